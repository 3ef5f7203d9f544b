/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfaspshared.h"

/* Bytes of a few blocks: to copy less than this costs no more than to hold it. */
#define WORTH_MIN 16384

typedef struct
{
  FaspMemory memory;
  GstBuffer *buffer;
  GstMapInfo map;
} Shared;

gboolean
gst_fasp_shared_is_worth (GstBuffer *buffer, guint i, gboolean constant)
{
  GstMemory *memory = gst_buffer_peek_memory (buffer, i);
  g_autoptr (GstStructure) config = NULL;
  guint most;

  if (memory->size < WORTH_MIN || memory->size < memory->maxsize / 2
      || (GST_MEMORY_IS_READONLY (memory) && !constant) || memory->parent != NULL
      || !gst_memory_is_type (memory, GST_ALLOCATOR_SYSMEM)
      || gst_buffer_get_parent_buffer_meta (buffer) != NULL)
    return FALSE;
  if (buffer->pool == NULL)
    return TRUE;
  config = gst_buffer_pool_get_config (buffer->pool);
  return gst_buffer_pool_config_get_params (config, NULL, NULL, NULL, &most) && most == 0;
}

static void
shared_free (FaspMemory *memory)
{
  Shared *shared = (Shared *) memory;

  gst_memory_unmap (shared->map.memory, &shared->map);
  gst_buffer_unref (shared->buffer);
  fasp_memory_clear (memory);
  g_free (shared);
}

FaspMemory *
gst_fasp_shared_new (GstBuffer *buffer, guint i, const guint8 **data, gsize *size)
{
  Shared *shared = g_new0 (Shared, 1);

  if (!gst_memory_map (gst_buffer_peek_memory (buffer, i), &shared->map, GST_MAP_READ)) {
    g_free (shared);
    return NULL;
  }
  fasp_memory_init (&shared->memory, shared_free);
  shared->buffer = gst_buffer_ref (buffer);
  *data = shared->map.data;
  *size = shared->map.size;
  return &shared->memory;
}
