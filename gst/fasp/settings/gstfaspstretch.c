/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "gstfaspstretch.h"

/* Keys that a process makes at a time, if it has as many processors: 256 MiB, which is half of what
 * examples/kubernetes lets a small relay have. */
#define MOST 2

typedef enum
{
  UNMADE,
  BEING_MADE,
  MADE,
} Making;

/* All members are under `lock', except for the key while it is being made: the thread that makes it
 * owns it. */
struct _GstFaspStretched
{
  guint users;
  Making making;
  gchar *passphrase;
  guint8 key[FASP_KEY_SIZE];
};

/* All keys of this process.  `made' is signalled when one is made. */
static GMutex lock;
static GCond made;
static GList *all;
static guint makers; /* threads that make a key */

/* This and the following functions: call them with the lock held. */
static GstFaspStretched *
find (const gchar *passphrase)
{
  for (GList *l = all; l != NULL; l = l->next)
    if (g_str_equal (((GstFaspStretched *) l->data)->passphrase, passphrase))
      return l->data;
  return NULL;
}

static GstFaspStretched *
find_unmade (void)
{
  for (GList *l = all; l != NULL; l = l->next)
    if (((GstFaspStretched *) l->data)->making == UNMADE)
      return l->data;
  return NULL;
}

static gboolean
is_free (void)
{
  return makers < MIN (g_get_num_processors (), MOST);
}

static void
make (GstFaspStretched *self)
{
  self->making = BEING_MADE;
  makers++;
  g_mutex_unlock (&lock);
  fasp_stretch (self->passphrase, self->key);
  g_mutex_lock (&lock);
  makers--;
  self->making = MADE;
  g_cond_broadcast (&made);
}

static gpointer
make_all (gpointer unused)
{
  GstFaspStretched *self;

  g_mutex_lock (&lock);
  while (is_free () && (self = find_unmade ()) != NULL)
    make (self);
  g_mutex_unlock (&lock);
  return NULL;
}

GstFaspStretched *
gst_fasp_stretch_begin (const gchar *passphrase)
{
  GstFaspStretched *self;
  GThread *thread = NULL;
  gboolean begins;

  g_mutex_lock (&lock);
  self = find (passphrase);
  begins = self == NULL && is_free ();
  if (self == NULL) {
    self = g_new0 (GstFaspStretched, 1);
    self->passphrase = g_strdup (passphrase);
    all = g_list_append (all, self);
  }
  self->users++;
  g_mutex_unlock (&lock);
  /* if no thread can be made, the thread that needs the key makes it */
  if (begins)
    thread = g_thread_try_new ("stretch", make_all, NULL, NULL);
  if (thread != NULL)
    g_thread_unref (thread);
  return self;
}

void
gst_fasp_stretched_wait (GstFaspStretched *self)
{
  g_mutex_lock (&lock);
  while (self->making != MADE)
    if (self->making == UNMADE && is_free ())
      make (self);
    else
      g_cond_wait (&made, &lock);
  g_mutex_unlock (&lock);
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
  /* waits, as the process may end after this, and OpenSSL with it */
  while (last && self->making == BEING_MADE)
    g_cond_wait (&made, &lock);
  g_mutex_unlock (&lock);
  if (!last)
    return;
  fasp_wipe (self->passphrase, strlen (self->passphrase));
  g_free (self->passphrase);
  fasp_wipe (self, sizeof *self);
  g_free (self);
}
