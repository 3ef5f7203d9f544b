/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the preview's process says, and the boxes of its MP4. */
#include <string.h>
#include <gst/app/app.h>
#include "pictureelements.h"
#include "pictureframes.h"
#include "previewboxes.h"
#include "previewchain.h"

/* --- boxes -------------------------------------------------------------------------------- */

/* Adds a box. @content: hexadecimal; NULL: what @inner has, if that is not NULL. */
static void
add_box (GByteArray *to, const gchar *type, const gchar *content, GByteArray *inner)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  guint8 head[8] = { 0 };

  for (const gchar *at = content; at != NULL && *at != '\0'; at += 2) {
    guint8 byte = g_ascii_xdigit_value (at[0]) << 4 | g_ascii_xdigit_value (at[1]);

    g_byte_array_append (bytes, &byte, 1);
  }
  if (inner != NULL)
    g_byte_array_append (bytes, inner->data, inner->len);
  head[2] = (bytes->len + sizeof head) >> 8;
  head[3] = bytes->len + sizeof head;
  memcpy (head + 4, type, 4);
  g_byte_array_append (to, head, sizeof head);
  g_byte_array_append (to, bytes->data, bytes->len);
  if (inner != NULL)
    g_byte_array_set_size (inner, 0);
}

#define FULL "00000000"
#define TIMES "0000000000000000"

/* Adds a track of version 0. @id: two hexadecimal digits. */
static void
add_track (GByteArray *to, const gchar *id, const gchar *handler, const gchar *timescale,
    GByteArray *media_info)
{
  g_autoptr (GByteArray) media = g_byte_array_new (), track = g_byte_array_new ();
  g_autofree gchar *head = g_strconcat (FULL TIMES "000000", id, NULL);
  g_autofree gchar *media_head = g_strconcat (FULL TIMES, timescale, NULL);
  g_autofree gchar *of_handler = g_strconcat (FULL "00000000", handler, NULL);

  add_box (media, "mdhd", media_head, NULL);
  add_box (media, "hdlr", of_handler, NULL);
  if (media_info != NULL)
    add_box (media, "minf", NULL, media_info);
  add_box (track, "tkhd", head, NULL);
  add_box (track, "mdia", NULL, media);
  add_box (to, "trak", NULL, track);
}

static void
read_tracks (PreviewTracks *tracks)
{
  g_autoptr (GByteArray) moov = g_byte_array_new (), inner = g_byte_array_new ();

  add_box (inner, "mvhd", FULL, NULL);
  add_track (inner, "01", "76696465", "00015f90", NULL); /* vide, 90000 */
  add_track (inner, "02", "736f756e", "0000bb80", NULL); /* soun, 48000 */
  add_box (moov, "moov", NULL, inner);
  preview_tracks_read (tracks, moov->data, moov->len);
}

static void
test_tracks (void)
{
  PreviewTracks tracks = { 0 };

  read_tracks (&tracks);
  g_assert_cmpuint (tracks.id[PREVIEW_VIDEO], ==, 1);
  g_assert_cmpuint (tracks.id[PREVIEW_AUDIO], ==, 2);
  g_assert_cmpuint (tracks.timescale[PREVIEW_VIDEO], ==, 90000);
  g_assert_cmpuint (tracks.timescale[PREVIEW_AUDIO], ==, 48000);
}

/* The sound begins 1 s after the picture. */
static const gint64 first[PREVIEW_TRACKS] = { 0, 1000000000 };

static const struct
{
  const gchar *head, *time, *run;
  gboolean good, begins;
  const gchar *placed; /* the end of the box tfdt */
} fragments[] = {
  /* flags of the first sample: behind the offset; in each sample; of all; none */
  { FULL "00000001", FULL "00000064", "00000005000000020000000002000000", TRUE, TRUE, "00000064" },
  { FULL "00000001", FULL "00000064", "00000005000000020000000000010000", TRUE, FALSE, "00000064" },
  { FULL "00000001", FULL "00000064", "000007010000000100000000000000640000000102000000", TRUE,
      TRUE, "00000064" },
  { FULL "00000001", FULL "00000064", "000007010000000100000000000000640000000100010000", TRUE,
      FALSE, "00000064" },
  { "00000038"
    "00000001"
    "000000640000000102000000",
      FULL "00000064", "0000000100000002", TRUE, TRUE, "00000064" },
  { "00000038"
    "00000001"
    "000000640000000100010000",
      FULL "00000064", "0000000100000002", TRUE, FALSE, "00000064" },
  { FULL "00000001", FULL "00000064", "0000000100000002", TRUE, TRUE, "00000064" },
  /* sound is never where a player begins; its time is moved, also one of 64 bits */
  { FULL "00000002", FULL "00000000", "0000000100000002", TRUE, FALSE, "0000bb80" },
  { FULL "00000002", "010000000000000000000064", "0000000100000002", TRUE, FALSE, "0000bb80" },
  /* a track that is not there, no time, no run, cut */
  { FULL "00000003", FULL "00000064", "0000000100000002", FALSE },
  { FULL "00000001", FULL, "0000000100000002", FALSE },
  { FULL "00000001", "0100000000000064", "0000000100000002", FALSE },
  { FULL "00000001", FULL "00000064", NULL, FALSE },
  { "0000", FULL "00000064", "0000000100000002", FALSE },
};

static void
make_fragment (GByteArray *moof, guint i)
{
  g_autoptr (GByteArray) all = g_byte_array_new (), part = g_byte_array_new ();

  add_box (part, "tfhd", fragments[i].head, NULL);
  if (fragments[i].run != NULL)
    add_box (part, "trun", fragments[i].run, NULL);
  add_box (part, "tfdt", fragments[i].time, NULL);
  add_box (all, "mfhd", FULL "00000001", NULL);
  add_box (all, "traf", NULL, part);
  add_box (moof, "moof", NULL, all);
}

static void
test_fragments (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (fragments); i++) {
    g_autoptr (GByteArray) moof = g_byte_array_new ();
    PreviewTracks tracks = { 0 };
    gboolean begins;
    g_autofree gchar *end = NULL;

    read_tracks (&tracks);
    make_fragment (moof, i);
    g_test_message ("fragment %u", i);
    g_assert_cmpint (preview_tracks_place (&tracks, moof->data, moof->len, first, &begins), ==,
        fragments[i].good);
    if (!fragments[i].good)
      continue;
    g_assert_cmpint (begins, ==, fragments[i].begins);
    end = g_strdup_printf ("%02x%02x%02x%02x", moof->data[moof->len - 4], moof->data[moof->len - 3],
        moof->data[moof->len - 2], moof->data[moof->len - 1]);
    /* the picture's time begins at what the muxer has */
    g_assert_cmpstr (end, ==, tracks.shift[PREVIEW_VIDEO] != 0 ? "00000000" : fragments[i].placed);
  }
}

/* Nothing is read or written beyond any cut or wrong size (with AddressSanitizer). */
static void
test_broken (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (fragments); i++) {
    g_autoptr (GByteArray) moof = g_byte_array_new ();

    make_fragment (moof, i);
    for (guint at = 0; at < moof->len; at++)
      for (guint bit = 0; bit < 8; bit++) {
        g_autofree guint8 *copy = g_memdup2 (moof->data, moof->len), *cut = g_memdup2 (copy, at);
        PreviewTracks tracks = { .id = { 1, 2 }, .timescale = { 90000, 48000 } };
        gboolean begins;

        copy[at] ^= 1 << bit;
        preview_tracks_place (&tracks, copy, moof->len, first, &begins);
        preview_tracks_place (&tracks, cut, at, first, &begins);
        preview_tracks_read (&tracks, copy, moof->len);
        preview_tracks_read (&tracks, cut, at);
      }
  }
}

static void
test_measure (void)
{
  static const guint8 box[] = { 0, 0, 0, 9, 'f', 't', 'y', 'p', 1 }, none[8] = { 0, 0, 0, 7 };
  gchar type[5];

  g_assert_cmpuint (preview_box_measure (box, 7, type), ==, 0);
  g_assert_cmpuint (preview_box_measure (box, sizeof box, type), ==, 9);
  g_assert_cmpstr (type, ==, "ftyp");
  g_assert_cmpuint (preview_box_measure (none, sizeof none, type), ==, PREVIEW_BAD);
}

/* Numbers of Opus that are little-endian, as GStreamer 1.22 writes them, become big-endian; those
 * that are big-endian already stay. */
static void
test_opus (void)
{
  static const gchar *const wrong = "0002380180bb000000fe00",
                            *const right = "000201380000bb80fe0000";
  const gchar *both[] = { wrong, right };

  for (guint i = 0; i < G_N_ELEMENTS (both); i++) {
    g_autoptr (GByteArray) a = g_byte_array_new (), b = g_byte_array_new ();
    g_autoptr (GByteArray) moov = g_byte_array_new ();
    g_autofree gchar *entry = g_strnfill (56, '0');
    PreviewTracks tracks = { 0 };
    static const guint8 fields[] = { 0, 2, 0x01, 0x38, 0, 0, 0xbb, 0x80, 0xfe, 0, 0 };

    add_box (a, "dOps", both[i], NULL);
    add_box (b, "Opus", entry, a);
    add_box (a, "stsd", FULL "00000001", b);
    add_box (b, "stbl", NULL, a);
    add_track (a, "02", "736f756e", "0000bb80", b);
    add_box (moov, "moov", NULL, a);
    preview_tracks_read (&tracks, moov->data, moov->len);
    g_assert_cmpmem (moov->data + moov->len - sizeof fields, sizeof fields, fields, sizeof fields);
  }
}

/* Lengths that lead beyond the sample end the search, also where counters have 32 bits. */
static void
test_idr (void)
{
  static const struct
  {
    guint8 sample[16];
    gsize size;
    gboolean has;
  } samples[] = {
    { { 0, 0, 0, 2, 0x09, 0xf0, 0, 0, 0, 1, 0x65 }, 11, TRUE },
    { { 0, 0, 0, 2, 0x09, 0xf0, 0, 0, 0, 1, 0x41 }, 11, FALSE },
    { { 0, 0, 0, 1, 0x65 }, 4, FALSE },
    { { 0 }, 0, FALSE },
    { { 0, 0, 0, 0, 0, 0, 0, 1, 0x65 }, 9, TRUE },
    { { 0, 0, 0, 9, 0x41, 0, 0, 0, 1, 0x65 }, 10, FALSE },
    { { 0xff, 0xff, 0xff, 0xfc, 0x41, 0, 0, 0, 1, 0x65 }, 10, FALSE },
    { { 0xff, 0xff, 0xff, 0xff, 0x41, 0, 0, 0, 1, 0x65 }, 10, FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (samples); i++)
    g_assert_cmpint (preview_sample_has_idr (samples[i].sample, samples[i].size), ==,
        samples[i].has);
}

/* --- segments ------------------------------------------------------------------------------ */

static gint given, passed; /* seqnum of the demuxer's segment, and of the one behind the parser */

static GstPadProbeReturn
note_segment (GstPad *pad, GstPadProbeInfo *info, gpointer to)
{
  GstEvent *event = gst_pad_probe_info_get_event (info);
  const GstSegment *segment;

  if (GST_EVENT_TYPE (event) != GST_EVENT_SEGMENT)
    return GST_PAD_PROBE_OK;
  gst_event_parse_segment (event, &segment);
  g_assert_true (to == &given || segment->start == 0);
  g_atomic_int_set ((gint *) to, gst_event_get_seqnum (event));
  return GST_PAD_PROBE_OK;
}

static void
note_segments_of (GstElement *element, GstPad *pad, gpointer to)
{
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, note_segment, to, NULL);
}

GstElement *__real_picture_element_add (GstElement *pipeline, GstElement *before,
    const gchar *name);
GstElement *__wrap_picture_element_add (GstElement *pipeline, GstElement *before,
    const gchar *name);

GstElement *
__wrap_picture_element_add (GstElement *pipeline, GstElement *before, const gchar *name)
{
  GstElement *element = __real_picture_element_add (pipeline, before, name);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, "sink");

  if (g_str_equal (name, "tsdemux"))
    g_signal_connect (element, "pad-added", G_CALLBACK (note_segments_of), &given);
  else if (g_str_equal (name, "queue"))
    note_segments_of (element, pad, &passed);
  return element;
}

/* The segment that replaces the demuxer's has its seqnum, by which an application knows what of the
 * pipeline belongs together. */
static void
test_segment (void)
{
  g_autoptr (GstElement) made =
      gst_parse_launch ("audiotestsrc num-buffers=100 ! opusenc ! mpegtsmux ! appsink name=sink "
                        "sync=false max-buffers=0",
          NULL);
  g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (made), "sink");
  static PreviewChain *chain; /* stays until the program ends */
  GstSample *sample;

  chain = preview_chain_new ();
  gst_element_set_state (made, GST_STATE_PLAYING);
  while ((sample = gst_app_sink_pull_sample (GST_APP_SINK (sink))) != NULL) {
    GstMapInfo map;

    g_assert_true (gst_buffer_map (gst_sample_get_buffer (sample), &map, GST_MAP_READ));
    g_assert_true (preview_chain_push (chain, map.data, map.size));
    gst_buffer_unmap (gst_sample_get_buffer (sample), &map);
    gst_sample_unref (sample);
  }
  gst_element_set_state (made, GST_STATE_NULL);
  while (g_atomic_int_get (&passed) == 0)
    g_usleep (1000);
  g_assert_cmpint (passed, ==, given);
}

/* --- frames -------------------------------------------------------------------------------- */

/* Types of frames in the order in which they come; some frames have valid content. */
static const struct
{
  const gchar *types;
  gboolean good;
} orders[] = {
  { "TIYMMYM", TRUE },
  { "P", TRUE },
  { "TIYP", TRUE },
  { "I", FALSE },   /* without its type */
  { "TY", FALSE },  /* before the head */
  { "TIM", FALSE }, /* before a beginning */
  { "TT", FALSE },
  { "TII", FALSE },
  { "TITY", FALSE },
  { "OTIY", FALSE },
  { "PT", FALSE },
  { "W", FALSE }, /* of pictures */
  { "J", FALSE },
};

static void
test_orders (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (orders); i++) {
    PictureFrames *frames = picture_frames_new (PICTURE_OF_PREVIEW);
    PictureResult result = PICTURE_MORE;

    g_test_message ("%s", orders[i].types);
    for (const gchar *type = orders[i].types; *type != '\0' && result != PICTURE_BAD; type++) {
      g_autoptr (GByteArray) frame =
          picture_frame_make (*type, (const guint8 *) "video/mp4", *type == 'W' ? 0 : 9);
      PictureFrame got;

      g_assert_true (picture_frames_push (frames, frame->data, frame->len));
      result = picture_frames_pop (frames, &got);
    }
    g_assert_cmpint (result, ==, orders[i].good ? PICTURE_FRAME : PICTURE_BAD);
    picture_frames_free (frames);
  }
}

/* The type becomes a header of HTTP. */
static void
test_contents (void)
{
  static const gchar *const bad[] = { "video/mp4\r\nSet-Cookie: a=b", "video/mp4; \xc3\xa4",
    "video/mp4;\x7f", "text/html", "video/mp4a", "text/html;video/mp4", "video/mp4;,text/html",
    "video/mp4; codecs=\"a\",text/html", "video/mp4; codecs=\"a\"\n" };

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autoptr (GByteArray) frame =
        picture_frame_make (PICTURE_MEDIA, (const guint8 *) bad[i], strlen (bad[i]));
    PictureFrames *frames = picture_frames_new (PICTURE_OF_PREVIEW);
    PictureFrame got;

    g_assert_true (picture_frames_push (frames, frame->data, frame->len));
    g_assert_cmpint (picture_frames_pop (frames, &got), ==, PICTURE_BAD);
    picture_frames_free (frames);
  }
}

static void
test_sizes (void)
{
  static const struct
  {
    gchar type;
    guint most;
  } sizes[] = { { PICTURE_MEDIA, PICTURE_MEDIA_MAX }, { PICTURE_INIT, PICTURE_INIT_MAX },
    { PICTURE_KEY, PICTURE_PIECE_MAX }, { PICTURE_PIECE, PICTURE_PIECE_MAX } };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    PictureFrames *frames = picture_frames_new (PICTURE_OF_PREVIEW);
    guint length = sizes[i].most + 2;
    guint8 head[] = { length >> 24, length >> 16, length >> 8, length, sizes[i].type };
    PictureFrame got;

    /* refused before what it announces has come */
    g_assert_true (picture_frames_push (frames, head, sizeof head));
    g_assert_cmpint (picture_frames_pop (frames, &got), ==, PICTURE_BAD);
    picture_frames_free (frames);
  }
}

/* Many small frames are not moved for each of them: each lies behind the one before it. */
static void
test_small (void)
{
  PictureFrames *frames = picture_frames_new (PICTURE_OF_PREVIEW);
  const guint8 *last = NULL;
  PictureFrame got;

  for (const gchar *types = "TIYMMMMM"; *types != '\0'; types++) {
    g_autoptr (GByteArray) frame = picture_frame_make (*types, (const guint8 *) "video/mp4", 9);

    g_assert_true (picture_frames_push (frames, frame->data, frame->len));
  }
  while (picture_frames_pop (frames, &got) == PICTURE_FRAME) {
    g_assert_true (last == NULL || got.data == last + PICTURE_HEAD + 9);
    last = got.data;
  }
  g_assert_cmpint (got.type, ==, PICTURE_PIECE);
  picture_frames_free (frames);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/relay/preview/tracks", test_tracks);
  g_test_add_func ("/relay/preview/fragments", test_fragments);
  g_test_add_func ("/relay/preview/broken", test_broken);
  g_test_add_func ("/relay/preview/measure", test_measure);
  g_test_add_func ("/relay/preview/opus", test_opus);
  g_test_add_func ("/relay/preview/idr", test_idr);
  g_test_add_func ("/relay/preview/segment", test_segment);
  g_test_add_func ("/relay/preview/orders", test_orders);
  g_test_add_func ("/relay/preview/contents", test_contents);
  g_test_add_func ("/relay/preview/sizes", test_sizes);
  g_test_add_func ("/relay/preview/small", test_small);
  return g_test_run ();
}
