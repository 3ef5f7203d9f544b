/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What fasp-picture tells the relay: whatever it is, only what follows pictureframes.h is taken.
 * And what it may do when an attacker has taken it over.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* F_SETSIG */
#endif
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "pictureframes.h"
#include "picturelook.h"
#include "picturesandbox.h"

/* A baseline JPEG as far as its markers go: SOI, a segment, SOF0, SOS, one byte of data, EOI. */
static GByteArray *
make_jpeg (guint width, guint height)
{
  const guint8 begin[] = { 0xff, 0xd8, 0xff, 0xe0, 0x00, 0x04, 'x', 'y' };
  const guint8 frame[] = { 0xff, 0xc0, 0x00, 0x0b, 8, height >> 8, height, width >> 8, width, 1, 1,
    0x11, 0 };
  const guint8 scan[] = { 0xff, 0xda, 0x00, 0x08, 1, 1, 0, 0, 63, 0, 0x55, 0xff, 0xd9 };
  GByteArray *jpeg = g_byte_array_new ();

  g_byte_array_append (jpeg, begin, sizeof begin);
  g_byte_array_append (jpeg, frame, sizeof frame);
  return g_byte_array_append (jpeg, scan, sizeof scan);
}

static void
add (GByteArray *all, PictureType type, const guint8 *data, gsize size)
{
  g_autoptr (GByteArray) frame = picture_frame_make (type, data, size);

  g_byte_array_append (all, frame->data, frame->len);
}

/* All that a program tells of one picture. */
static GByteArray *
make_told (void)
{
  const guint8 levels[] = { 0xfd, 0xa8, 0xfc, 0x79, 0xd1, 0x20, 0xd1, 0x20 };
  g_autoptr (GByteArray) jpeg = make_jpeg (320, 180);
  GByteArray *told = g_byte_array_new ();

  add (told, PICTURE_WANTS, NULL, 0);
  add (told, PICTURE_JPEG, jpeg->data, jpeg->len);
  add (told, PICTURE_LOOK, (const guint8 *) "\x27\x10\xff\xff", 4);
  add (told, PICTURE_LEVELS, levels, sizeof levels);
  add (told, PICTURE_PROBLEM, (const guint8 *) "It is dark.", 11);
  add (told, PICTURE_DONE, NULL, 0);
  return told;
}

static void
check_frame (const PictureFrame *frame)
{
  PictureLevel levels[PICTURE_CHANNELS_MAX];
  g_autofree gchar *text = NULL;
  guint width, height;

  switch (frame->type) {
    case PICTURE_JPEG:
      g_assert_true (picture_frame_look_at_jpeg (frame, &width, &height));
      g_assert_cmpuint (width, <=, PICTURE_SIDE_MAX);
      g_assert_cmpuint (height, <=, PICTURE_SIDE_MAX);
      g_assert_cmpuint (frame->size, <=, PICTURE_JPEG_MAX);
      break;
    case PICTURE_LEVELS:
      g_assert_cmpuint (picture_frame_get_levels (frame, levels), <=, PICTURE_CHANNELS_MAX);
      break;
    case PICTURE_LOOK:
      g_assert_cmpuint (picture_frame_get_look (frame).dark, <=, PICTURE_LOOK_WHOLE);
      break;
    case PICTURE_PROBLEM:
      text = picture_frame_get_text (frame);
      g_assert_true (g_utf8_validate (text, -1, NULL));
      g_assert_cmpuint (strlen (text), <=, PICTURE_TEXT_MAX);
      break;
    default:
      g_assert_cmpuint (frame->size, ==, 0);
  }
}

/* Returns whether all was good. @n: how many frames were. */
static gboolean
take (PictureFrames *frames, const guint8 *data, gsize size, guint *n)
{
  PictureResult result;
  PictureFrame frame;

  if (!picture_frames_push (frames, data, size))
    return FALSE;
  while ((result = picture_frames_pop (frames, &frame)) == PICTURE_FRAME) {
    check_frame (&frame);
    (*n)++;
  }
  return result == PICTURE_MORE;
}

/* In one piece or byte by byte, again and again. */
static void
test_good (void)
{
  g_autoptr (GByteArray) told = make_told ();
  PictureFrames *frames = picture_frames_new (PICTURE_OF_PICTURES);
  guint n = 0;

  for (guint i = 0; i < 100; i++)
    g_assert_true (take (frames, told->data, told->len, &n));
  for (guint i = 0; i < told->len; i++)
    g_assert_true (take (frames, told->data + i, 1, &n));
  g_assert_cmpuint (n, ==, 606);
  picture_frames_free (frames);
}

static void
test_contents (void)
{
  g_autoptr (GByteArray) told = make_told ();
  PictureFrames *frames = picture_frames_new (PICTURE_OF_PICTURES);
  PictureLevel levels[PICTURE_CHANNELS_MAX];
  g_autofree gchar *text = NULL;
  PictureFrame frame;
  guint width, height;

  g_assert_true (picture_frames_push (frames, told->data, told->len));
  g_assert_cmpint (picture_frames_pop (frames, &frame), ==, PICTURE_FRAME);
  g_assert_cmpint (frame.type, ==, PICTURE_WANTS);
  g_assert_cmpint (picture_frames_pop (frames, &frame), ==, PICTURE_FRAME);
  g_assert_true (picture_frame_look_at_jpeg (&frame, &width, &height));
  g_assert_cmpuint (width, ==, 320);
  g_assert_cmpuint (height, ==, 180);
  g_assert_cmpint (picture_frames_pop (frames, &frame), ==, PICTURE_FRAME);
  g_assert_cmpuint (picture_frame_get_look (&frame).dark, ==, PICTURE_LOOK_WHOLE);
  g_assert_cmpuint (picture_frame_get_look (&frame).change, ==, PICTURE_LOOK_UNKNOWN);
  g_assert_cmpint (picture_frames_pop (frames, &frame), ==, PICTURE_FRAME);
  g_assert_cmpuint (picture_frame_get_levels (&frame, levels), ==, 2);
  g_assert_cmpint (levels[0].peak, ==, -600);
  g_assert_cmpint (levels[0].rms, ==, -903);
  g_assert_cmpint (levels[1].rms, ==, -12000);
  g_assert_cmpint (picture_frames_pop (frames, &frame), ==, PICTURE_FRAME);
  text = picture_frame_get_text (&frame);
  g_assert_cmpstr (text, ==, "It is dark.");
  picture_frames_free (frames);
}

static void
assert_bad (GByteArray *told)
{
  PictureFrames *frames = picture_frames_new (PICTURE_OF_PICTURES);
  PictureFrame frame;
  guint n = 0;

  g_assert_false (take (frames, told->data, told->len, &n));
  /* and nothing that follows is taken */
  g_assert_cmpint (picture_frames_pop (frames, &frame), ==, PICTURE_BAD);
  picture_frames_free (frames);
  g_byte_array_set_size (told, 0);
}

static void
test_order (void)
{
  g_autoptr (GByteArray) told = g_byte_array_new ();

  add (told, PICTURE_DONE, NULL, 0);
  assert_bad (told);
  add (told, PICTURE_PROBLEM, (const guint8 *) "x", 1);
  assert_bad (told);
  add (told, PICTURE_WANTS, NULL, 0);
  add (told, PICTURE_WANTS, NULL, 0);
  assert_bad (told);
  add (told, PICTURE_WANTS, NULL, 0);
  add (told, PICTURE_LEVELS, NULL, 0);
  add (told, PICTURE_LEVELS, NULL, 0);
  assert_bad (told);
  add (told, PICTURE_WANTS, NULL, 0);
  add (told, PICTURE_DONE, NULL, 0);
  add (told, PICTURE_LEVELS, NULL, 0);
  assert_bad (told);
}

static void
assert_bad_content (PictureType type, const void *data, gsize size)
{
  g_autoptr (GByteArray) told = g_byte_array_new ();

  add (told, PICTURE_WANTS, NULL, 0);
  add (told, type, data, size);
  assert_bad (told);
}

static void
test_bad (void)
{
  static const guint8 silent[4] = { 0x80, 0, 0, 0 }, many[4 * (PICTURE_CHANNELS_MAX + 1)] = { 0 };
  g_autofree gchar *text = g_strnfill (PICTURE_TEXT_MAX + 1, 'x');
  g_autoptr (GByteArray) told = g_byte_array_new ();

  assert_bad_content (PICTURE_LEVELS, silent, 4);
  assert_bad_content (PICTURE_LEVELS, many, 3);
  assert_bad_content (PICTURE_LEVELS, many, sizeof many);
  assert_bad_content (PICTURE_LOOK, "\x27\x11\0\0", 4);
  assert_bad_content (PICTURE_LOOK, "\0\0\x27\x11", 4);
  assert_bad_content (PICTURE_LOOK, "\0\0\0", 3);
  assert_bad_content (PICTURE_PROBLEM, "a\nb", 3);
  assert_bad_content (PICTURE_PROBLEM, "\xff", 1);
  assert_bad_content (PICTURE_PROBLEM, text, PICTURE_TEXT_MAX + 1);
  assert_bad_content (PICTURE_DONE, "x", 1);
  assert_bad_content ('X', "x", 1);
  assert_bad_content (PICTURE_JPEG, "\xff\xd8\xff\xd9", 4);
  assert_bad_content (PICTURE_JPEG, "<svg/>", 6);
  /* longer than it may be: its head is enough */
  add (told, PICTURE_WANTS, NULL, 0);
  g_byte_array_append (told, (const guint8 *) "\x7f\xff\xff\xffJ", PICTURE_HEAD);
  assert_bad (told);
  g_byte_array_append (told, (const guint8 *) "\0\0\0\0W", PICTURE_HEAD);
  assert_bad (told);
}

/* A picture is black but for a hundredth of it, and changes by a tenth of a sample's range. */
static void
test_look (void)
{
  PictureLooker looker = { 0 };
  guint8 samples[300] = { 0 };
  PictureLook look;

  memset (samples, 255, 3);
  look = picture_looker_take (&looker, samples, sizeof samples);
  g_assert_cmpuint (look.dark, ==, PICTURE_LOOK_WHOLE * 99 / 100);
  g_assert_cmpuint (look.change, ==, PICTURE_LOOK_UNKNOWN);
  look = picture_looker_take (&looker, samples, sizeof samples);
  g_assert_cmpuint (look.change, ==, 0);
  memset (samples + 3, 255, 30);
  look = picture_looker_take (&looker, samples, sizeof samples);
  g_assert_cmpuint (look.dark, ==, PICTURE_LOOK_WHOLE * 89 / 100);
  g_assert_cmpuint (look.change, ==, PICTURE_LOOK_WHOLE / 10);
  /* a picture of another size */
  look = picture_looker_take (&looker, samples, 30);
  g_assert_cmpuint (look.change, ==, PICTURE_LOOK_UNKNOWN);
  picture_looker_clear (&looker);
}

static void
test_jpeg (void)
{
  static const guint sides[][2] = { { 0, 1 }, { 1, 0 }, { 641, 1 }, { 1, 641 }, { 65535, 65535 } };
  PictureFrame frame = { PICTURE_JPEG };
  guint width, height;

  for (guint i = 0; i < G_N_ELEMENTS (sides); i++) {
    g_autoptr (GByteArray) jpeg = make_jpeg (sides[i][0], sides[i][1]);

    frame.data = jpeg->data;
    frame.size = jpeg->len;
    g_assert_false (picture_frame_look_at_jpeg (&frame, &width, &height));
  }
  /* cut off anywhere, it has no end */
  {
    g_autoptr (GByteArray) jpeg = make_jpeg (640, 640);

    frame.data = jpeg->data;
    frame.size = jpeg->len;
    g_assert_true (picture_frame_look_at_jpeg (&frame, &width, &height));
    while (--frame.size > 0)
      g_assert_false (picture_frame_look_at_jpeg (&frame, &width, &height));
  }
}

/* Whatever is changed, and however it is cut: never more than the bounds, and bad stays bad. */
static void
test_fuzz (void)
{
  GRand *random = g_rand_new_with_seed (1);
  guint good = 0, bad = 0;

  for (guint i = 0; i < 20000; i++) {
    g_autoptr (GByteArray) told = make_told ();
    PictureFrames *frames = picture_frames_new (PICTURE_OF_PICTURES);
    guint changes = g_rand_int_range (random, 0, 6), n = 0;
    gboolean goes_on = TRUE;

    for (guint k = 0; k < changes; k++)
      told->data[g_rand_int_range (random, 0, told->len)] = g_rand_int (random);
    for (guint at = 0, size; goes_on && at < told->len; at += size) {
      size = MIN (told->len - at, (guint) g_rand_int_range (random, 1, 40));
      /* a buffer of its own, so that a read beyond it is seen */
      g_autofree guint8 *piece = g_memdup2 (told->data + at, size);

      goes_on = take (frames, piece, size, &n);
    }
    good += goes_on;
    bad += !goes_on;
    picture_frames_free (frames);
  }
  g_rand_free (random);
  g_assert_cmpuint (good, >, 1000);
  g_assert_cmpuint (bad, >, 1000);
}

/* --- the sandbox --------------------------------------------------------------------------- */

#define NO_SANDBOX 100

/* In a process that is closed: what it can do and should not, or the other way round; NULL: none.
 */
static const gchar *
find_hole (int fd)
{
  const gsize page = 4096;
  void *shared = mmap (NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

  /* when something is written, the kernel would send that signal */
  if (fcntl (fd, F_SETOWN, getppid ()) == 0 || fcntl (fd, F_SETSIG, SIGKILL) == 0)
    return "a pipe signals others";
  if (kill (getppid (), 0) == 0)
    return "it signals others";
  if (open ("/dev/null", O_RDONLY) >= 0)
    return "it opens a file";
  if (socket (AF_INET, SOCK_DGRAM, 0) >= 0 || socket (AF_UNIX, SOCK_STREAM, 0) >= 0)
    return "it opens a socket";
  if (fork () >= 0)
    return "it makes a process";
  if (mmap (NULL, page, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
    return "it makes code";
  if (shared == MAP_FAILED || madvise (shared, page, MADV_REMOVE) == 0)
    return "it takes memory from the ring";
  if (madvise (shared, page, MADV_DONTNEED) != 0)
    return "it cannot free memory";
  if (fcntl (fd, F_SETFL, fcntl (fd, F_GETFL) | O_NONBLOCK) != 0)
    return "it cannot use what is open";
  return NULL;
}

static void
test_sandbox (void)
{
  gchar hole[64] = "";
  int fds[2], status;
  gssize n;
  pid_t pid;

#if defined __SANITIZE_THREAD__ || defined __SANITIZE_ADDRESS__
  g_test_skip ("a sanitizer needs more addresses than the decoder may have");
  return;
#endif
  g_assert_cmpint (pipe (fds), ==, 0);
  pid = fork ();
  if (pid == 0) {
    const gchar *found;

    if (!picture_sandbox_close ())
      _exit (NO_SANDBOX);
    found = find_hole (fds[1]);
    _exit (found != NULL && write (fds[1], found, strlen (found)) > 0);
  }
  g_assert_cmpint (pid, >, 0);
  close (fds[1]);
  n = read (fds[0], hole, sizeof hole - 1);
  g_assert_cmpint (n, >=, 0);
  close (fds[0]);
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  g_assert_cmpstr (hole, ==, "");
  g_assert_true (WIFEXITED (status));
  if (WEXITSTATUS (status) == NO_SANDBOX)
    g_test_skip ("there is no seccomp");
  else
    g_assert_cmpint (WEXITSTATUS (status), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/picture/good", test_good);
  g_test_add_func ("/picture/contents", test_contents);
  g_test_add_func ("/picture/order", test_order);
  g_test_add_func ("/picture/bad", test_bad);
  g_test_add_func ("/picture/look", test_look);
  g_test_add_func ("/picture/jpeg", test_jpeg);
  g_test_add_func ("/picture/fuzz", test_fuzz);
  g_test_add_func ("/picture/sandbox", test_sandbox);
  return g_test_run ();
}
