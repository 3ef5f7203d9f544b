/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfaspjoiner.h"

/* Smaller buffers get just the memory they need: a queue downstream may hold many. */
#define POOLED_MIN (GST_FASP_JOINED_MAX / 2)

void
gst_fasp_joiner_clear (GstFaspJoiner *joiner)
{
  if (joiner->pool != NULL)
    gst_buffer_pool_set_active (joiner->pool, FALSE);
  gst_clear_object (&joiner->pool);
}

static GstBufferPool *
make_pool (void)
{
  GstBufferPool *pool = gst_buffer_pool_new ();
  GstStructure *config = gst_buffer_pool_get_config (pool);

  gst_buffer_pool_config_set_params (config, NULL, GST_FASP_JOINED_MAX, 0, 0);
  gst_buffer_pool_set_config (pool, config);
  gst_buffer_pool_set_active (pool, TRUE);
  return pool;
}

static GstBuffer *
make_buffer (GstFaspJoiner *joiner, gsize size)
{
  GstBuffer *buffer = NULL;

  if (size < POOLED_MIN)
    return gst_buffer_new_allocate (NULL, size, NULL);
  if (joiner->pool == NULL)
    joiner->pool = make_pool ();
  if (gst_buffer_pool_acquire_buffer (joiner->pool, &buffer, NULL) != GST_FLOW_OK)
    return gst_buffer_new_allocate (NULL, size, NULL);
  /* the flag was set while the buffer was downstream */
  GST_MINI_OBJECT_FLAG_UNSET (gst_buffer_peek_memory (buffer, 0), GST_MEMORY_FLAG_READONLY);
  gst_buffer_set_size (buffer, size);
  return buffer;
}

/* Does @block follow @item in the stream, by their offsets, if any is known? */
static gboolean
follows (const FaspRead *item, const FaspBlock *block)
{
  return item->block->offset == FASP_OFFSET_UNKNOWN ?
      block->offset == FASP_OFFSET_UNKNOWN :
      block->offset == item->block->offset + item->block->size;
}

/* Returns how many of the items belong together, and the sum of their bytes. */
static guint
count_alike (const FaspRead *items, guint n, gsize *size)
{
  guint i = 1;

  *size = items[0].block->size;
  for (; i < n; i++) {
    const FaspBlock *block = items[i].block;

    if (block->media_time != items[0].block->media_time || !follows (&items[i - 1], block)
        || (block->flags
            & (FASP_BLOCK_EOS | FASP_BLOCK_DISCONT | FASP_BLOCK_LACKS | FASP_BLOCK_CLOCK_JUMP
                | FASP_BLOCK_KEY | FASP_BLOCK_HEADER))
        || *size + block->size > GST_FASP_JOINED_MAX)
      break;
    *size += block->size;
  }
  return i;
}

GstBuffer *
gst_fasp_joiner_wrap (FaspBlock *block)
{
  return gst_buffer_new_wrapped_full (GST_MEMORY_FLAG_READONLY, block->data, block->capacity, 0,
      block->size, block, (GDestroyNotify) fasp_block_unref);
}

GstBuffer *
gst_fasp_joiner_take (GstFaspJoiner *joiner, const FaspRead *items, guint n, guint *used)
{
  GstBuffer *buffer;
  GstMapInfo map;
  gsize size;

  *used = count_alike (items, n, &size);
  if (*used == 1)
    return gst_fasp_joiner_wrap (items[0].block);
  buffer = make_buffer (joiner, size);
  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  size = 0;
  for (guint i = 0; i < *used; i++) {
    FaspBlock *block = items[i].block;

    memcpy (map.data + size, block->data, block->size);
    size += block->size;
    fasp_block_unref (block);
  }
  gst_buffer_unmap (buffer, &map);
  return buffer;
}
