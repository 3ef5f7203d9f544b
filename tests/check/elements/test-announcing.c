/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tests of gstfaspannounce.h: walks the drawing there.
 */
#include <string.h>
#include "gstfaspannounce.h"

typedef enum
{
  HEADER, /* with these bytes */
  ENTRY,  /* the same, which the receiver needs in the stream */
  FOLLOW, /* data of that stream follows */
  DONE,   /* what was to be announced is; `announces': something was */
  FAILED, /* it could not be */
  PUSH,   /* the header is pushed */
  END,    /* of the session */
} What;

typedef struct
{
  What what;
  guint32 session;
  const gchar *bytes;
  gboolean announces;
  GstFaspHeaderState state;
} Step;

static FaspRead
make_item (const Step *step)
{
  FaspRead item = { .session = step->session };

  item.behind.known = TRUE;
  item.behind.origin.bytes[0] = (guint8) step->session;
  if (step->what == HEADER || step->what == ENTRY) {
    item.block = fasp_block_new ((guint32) strlen (step->bytes));
    memcpy (item.block->data, step->bytes, strlen (step->bytes));
    item.block->size = (guint32) strlen (step->bytes);
    item.block->flags = FASP_BLOCK_HEADER | (step->what == ENTRY ? FASP_BLOCK_ENTER : 0);
  }
  return item;
}

static void
take (GstFaspAnnounce *announce, const Step *step)
{
  FaspRead item = make_item (step);
  GstBuffer *buffer;

  switch (step->what) {
    case HEADER:
    case ENTRY:
      gst_fasp_announce_take_header (announce, &item);
      break;
    case FOLLOW:
      gst_fasp_announce_follow (announce, &item);
      break;
    case DONE:
    case FAILED:
      g_assert_cmpint (gst_fasp_announce_begin (announce, &item.behind), ==, step->announces);
      if (step->what == DONE)
        gst_fasp_announce_done (announce);
      else
        gst_fasp_announce_failed (announce);
      g_assert_cmpint (gst_fasp_announce_is_of (announce, &item.behind.origin), ==,
          step->what == DONE);
      break;
    case PUSH:
      g_assert_true (gst_fasp_announce_is_entry (announce));
      buffer = gst_fasp_announce_enter (announce);
      g_assert_true (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_HEADER));
      g_assert_cmpint (gst_buffer_memcmp (buffer, 0, step->bytes, strlen (step->bytes)), ==, 0);
      gst_buffer_unref (buffer);
      break;
    case END:
      gst_fasp_announce_forget_header (announce, step->session);
      break;
  }
}

static void
walk (const Step *steps, guint n)
{
  GstFaspAnnounce announce = { .header = NULL };

  for (guint i = 0; i < n; i++) {
    take (&announce, &steps[i]);
    g_assert_cmpint (announce.state, ==, steps[i].state);
    g_assert_cmpint (gst_fasp_announce_is_entry (&announce), ==,
        steps[i].state == GST_FASP_HEADER_ENTERS || steps[i].state == GST_FASP_HEADER_ANNOUNCED);
  }
  gst_fasp_announce_clear (&announce);
  g_assert_null (announce.header);
}

static void
test_announced (void)
{
  static const Step steps[] = {
    { DONE, 1, NULL, TRUE, GST_FASP_HEADER_SETTLED }, /* a stream without a header */
    { DONE, 1, NULL, FALSE, GST_FASP_HEADER_SETTLED },
    { HEADER, 1, "a", FALSE, GST_FASP_HEADER_CAME },
    { FOLLOW, 1, NULL, FALSE, GST_FASP_HEADER_CAME },
    { DONE, 1, NULL, TRUE, GST_FASP_HEADER_SETTLED },
    { HEADER, 1, "a", FALSE, GST_FASP_HEADER_SETTLED }, /* the same */
    { HEADER, 1, "", FALSE, GST_FASP_HEADER_CAME },     /* none any more */
    { DONE, 1, NULL, TRUE, GST_FASP_HEADER_SETTLED },
    { HEADER, 1, "b", FALSE, GST_FASP_HEADER_CAME },
    { END, 2, NULL, FALSE, GST_FASP_HEADER_CAME },
    { END, 1, NULL, FALSE, GST_FASP_HEADER_SETTLED },
    { HEADER, 2, "c", FALSE, GST_FASP_HEADER_CAME },
    { FOLLOW, 3, NULL, FALSE, GST_FASP_HEADER_SETTLED }, /* of another sender */
    { DONE, 3, NULL, TRUE, GST_FASP_HEADER_SETTLED },
  };

  walk (steps, G_N_ELEMENTS (steps));
}

static void
test_entered (void)
{
  static const Step steps[] = {
    { ENTRY, 1, "a", FALSE, GST_FASP_HEADER_ENTERS },
    { DONE, 1, NULL, TRUE, GST_FASP_HEADER_ANNOUNCED },
    { PUSH, 1, "a", FALSE, GST_FASP_HEADER_SETTLED },
    { ENTRY, 1, "a", FALSE, GST_FASP_HEADER_ENTERS }, /* the same, but needed again */
    { FAILED, 1, NULL, TRUE, GST_FASP_HEADER_ENTERS },
    { PUSH, 1, "a", FALSE, GST_FASP_HEADER_CAME },
    { DONE, 1, NULL, TRUE, GST_FASP_HEADER_SETTLED },
    { HEADER, 1, "b", FALSE, GST_FASP_HEADER_CAME },
    { ENTRY, 1, "b", FALSE, GST_FASP_HEADER_ENTERS },
    { DONE, 1, NULL, TRUE, GST_FASP_HEADER_ANNOUNCED },
    { HEADER, 1, "c", FALSE, GST_FASP_HEADER_ENTERS }, /* another one is needed as much */
    { HEADER, 1, "", FALSE, GST_FASP_HEADER_CAME },
    { ENTRY, 1, "d", FALSE, GST_FASP_HEADER_ENTERS },
    { FOLLOW, 2, NULL, FALSE, GST_FASP_HEADER_SETTLED },
  };

  walk (steps, G_N_ELEMENTS (steps));
}

/* A sender that has marked no key frame so far may not mark any. */
static void
test_keys (void)
{
  static const Step header = { HEADER, 1, "a", FALSE, GST_FASP_HEADER_CAME };
  GstFaspAnnounce announce = { .header = NULL };

  g_assert_false (gst_fasp_announce_is_delta (&announce, FALSE));
  g_assert_false (gst_fasp_announce_is_delta (&announce, TRUE));
  g_assert_true (gst_fasp_announce_is_delta (&announce, FALSE));
  gst_fasp_announce_clear (&announce);
  g_assert_false (gst_fasp_announce_is_delta (&announce, FALSE));
  take (&announce, &header); /* where there is a header, key frames are marked */
  g_assert_true (gst_fasp_announce_is_delta (&announce, FALSE));
  gst_fasp_announce_clear (&announce);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/announcing/announced", test_announced);
  g_test_add_func ("/announcing/entered", test_entered);
  g_test_add_func ("/announcing/keys", test_keys);
  return g_test_run ();
}
