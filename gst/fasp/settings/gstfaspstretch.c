/* GStreamer fasp elements
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <string.h>
#include "gstfaspstretch.h"

struct _GstFaspStretched
{
  guint users; /* under `lock' */
  gchar *passphrase;
  guint8 key[FASP_KEY_SIZE];
};

/* All keys of this process. A thread that stretches holds `turn', and takes it before `lock'. */
static GMutex turn, lock;
static GList *all;

static GstFaspStretched *
find (const gchar *passphrase)
{
  GstFaspStretched *found = NULL;

  g_mutex_lock (&lock);
  for (GList *l = all; l != NULL && found == NULL; l = l->next)
    if (g_str_equal (((GstFaspStretched *) l->data)->passphrase, passphrase))
      found = l->data;
  if (found != NULL)
    found->users++;
  g_mutex_unlock (&lock);
  return found;
}

GstFaspStretched *
gst_fasp_stretch (const gchar *passphrase)
{
  GstFaspStretched *self = find (passphrase);

  if (self != NULL)
    return self;
  g_mutex_lock (&turn);
  /* the thread that had the turn before us may have made the same key */
  self = find (passphrase);
  if (self == NULL) {
    self = g_new0 (GstFaspStretched, 1);
    self->users = 1;
    self->passphrase = g_strdup (passphrase);
    fasp_stretch (passphrase, self->key);
    g_mutex_lock (&lock);
    all = g_list_prepend (all, self);
    g_mutex_unlock (&lock);
  }
  g_mutex_unlock (&turn);
  return self;
}

const guint8 *
gst_fasp_stretched_get_key (const GstFaspStretched *self)
{
  return self->key;
}

void
gst_fasp_stretched_unref (GstFaspStretched *self)
{
  gboolean last;

  if (self == NULL)
    return;
  g_mutex_lock (&lock);
  last = --self->users == 0;
  if (last)
    all = g_list_remove (all, self);
  g_mutex_unlock (&lock);
  if (!last)
    return;
  fasp_wipe (self->passphrase, strlen (self->passphrase));
  g_free (self->passphrase);
  fasp_wipe (self, sizeof *self);
  g_free (self);
}
