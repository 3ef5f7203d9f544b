/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relaycut.h"

struct _RelayCut
{
  guint piece; /* s; 0: it is never cut */
  gboolean begun;
  gint64 number; /* of the piece that is written */
  gint64 last;   /* when packets last came, s */
  gint64 key; /* when a key frame last came, or the recording began or went on after a pause, s */
  gint64 due; /* since when it is time for the next piece, s; G_MAXINT64: it is not */
  RelayKeyFrames frames;
  GByteArray *held; /* packets from a PAT on, while a cut is due */
  gboolean mapped;  /* a PMT is among them */
  gboolean lacks, noticed;
};

RelayCut *
relay_cut_new (guint piece)
{
  RelayCut *cut = g_new0 (RelayCut, 1);

  cut->piece = piece;
  cut->due = G_MAXINT64;
  cut->held = g_byte_array_new ();
  return cut;
}

void
relay_cut_free (RelayCut *cut)
{
  g_byte_array_unref (cut->held);
  g_free (cut);
}

/* Returns the time that belongs to the piece which is written. */
static gint64
get_time (const RelayCut *cut, gint64 seconds)
{
  return cut->due == G_MAXINT64 ? seconds : (cut->number + 1) * cut->piece - 1;
}

static gboolean
write_held (RelayCut *cut, gint64 seconds, RelayCutFunc func, gpointer data)
{
  gboolean good = cut->held->len == 0 || func (cut->held->data, cut->held->len, seconds, data);

  g_byte_array_set_size (cut->held, 0);
  cut->mapped = FALSE;
  return good;
}

gboolean
relay_cut_flush (RelayCut *cut, RelayCutFunc func, gpointer data)
{
  return write_held (cut, get_time (cut, 0), func, data);
}

static void
begin_piece (RelayCut *cut, gint64 seconds, gboolean at_key_frame)
{
  cut->number = seconds / cut->piece;
  cut->due = G_MAXINT64;
  cut->noticed &= !at_key_frame;
  cut->lacks = !at_key_frame && !cut->noticed;
}

/* The stream goes on after a pause, in which it became time for the next piece. */
static gboolean
resume (RelayCut *cut, gint64 seconds, RelayCutFunc func, gpointer data)
{
  gint64 old = get_time (cut, seconds);

  cut->number = seconds / cut->piece;
  cut->due = G_MAXINT64;
  cut->key = seconds;
  return write_held (cut, old, func, data);
}

/* It is time for the next piece. Handles one packet. */
static gboolean
push_packet (RelayCut *cut, const guint8 *packet, RelayBegins what, gint64 seconds,
    RelayCutFunc func, gpointer data)
{
  gint64 old = get_time (cut, seconds);

  if (what == RELAY_BEGINS_KEY_FRAME && cut->mapped) {
    begin_piece (cut, seconds, TRUE);
    g_byte_array_append (cut->held, packet, TS_PACKET);
    return write_held (cut, seconds, func, data);
  }
  if (seconds - cut->key >= RELAY_CUT_WAIT || seconds - cut->due >= RELAY_CUT_WAIT
      || seconds / cut->piece < cut->number) {
    begin_piece (cut, seconds, FALSE);
    return write_held (cut, old, func, data) && func (packet, TS_PACKET, seconds, data);
  }
  if ((what == RELAY_BEGINS_PAT || cut->held->len >= RELAY_CUT_HELD_MAX)
      && !write_held (cut, old, func, data))
    return FALSE;
  if (what != RELAY_BEGINS_PAT && cut->held->len == 0)
    return func (packet, TS_PACKET, old, data);
  cut->mapped |= what == RELAY_BEGINS_PMT;
  g_byte_array_append (cut->held, packet, TS_PACKET);
  return TRUE;
}

gboolean
relay_cut_push (RelayCut *cut, const guint8 *data, gsize size, gint64 seconds, RelayCutFunc func,
    gpointer data_of)
{
  gsize from = 0, at = 0;

  if (cut->piece == 0)
    return func (data, size, seconds, data_of);
  if (!cut->begun) {
    cut->begun = TRUE;
    cut->number = seconds / cut->piece;
    cut->key = cut->last = seconds;
  }
  if (seconds - cut->last >= RELAY_CUT_WAIT && seconds / cut->piece != cut->number
      && !resume (cut, seconds, func, data_of))
    return FALSE;
  cut->last = seconds;
  for (; at + TS_PACKET <= size; at += TS_PACKET) {
    RelayBegins what = relay_key_frames_look (&cut->frames, data + at);

    if (what == RELAY_BEGINS_KEY_FRAME)
      cut->key = seconds;
    if (cut->due == G_MAXINT64 && seconds / cut->piece == cut->number)
      continue;
    cut->due = MIN (cut->due, seconds);
    from = at + TS_PACKET;
    if (!push_packet (cut, data + at, what, seconds, func, data_of))
      return FALSE;
  }
  /* all of them are of one piece, as the time is the same */
  return from == size || func (data + from, size - from, get_time (cut, seconds), data_of);
}

gboolean
relay_cut_lacks_key_frames (RelayCut *cut)
{
  gboolean lacks = cut->lacks;

  cut->noticed |= lacks;
  cut->lacks = FALSE;
  return lacks;
}
