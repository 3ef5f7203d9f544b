/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A reader of several sources over the loopback interface: what is read, told and counted.
 */
#include <string.h>
#include "ends.h"
#include "faspsources.h"

#define SENDERS 2
#define PIECE 1000
#define WHOLE (4000 * PIECE)

/* There is no name server; atomic. */
static gint no_names;

/* Names of one address and of two, all of this machine. */
GList *
g_resolver_lookup_by_name (GResolver *resolver, const gchar *host, GCancellable *cancellable,
    GError **error)
{
  GList *addresses;

  if (g_atomic_int_get (&no_names)) {
    g_set_error_literal (error, G_RESOLVER_ERROR, G_RESOLVER_ERROR_TEMPORARY_FAILURE, "no names");
    return NULL;
  }
  addresses = g_list_append (NULL, g_inet_address_new_from_string ("127.0.0.1"));
  if (g_str_equal (host, "two.invalid"))
    addresses = g_list_append (addresses, g_inet_address_new_from_string ("127.0.0.2"));
  return addresses;
}

/* What a reader is told; by its own thread, but for what is atomic. */
typedef struct
{
  gint connected, removed, unresolved; /* atomic */
  guint joined, gaps, leads;
  guint leader;
  guint64 lost;
  /* what it read */
  guint64 bytes;
  gboolean wrong, eos;
} Told;

static void
on_event (FaspIo *io, const FaspEvent *event, gpointer data)
{
  if (event->type == FASP_EVENT_CONNECTED)
    g_atomic_int_inc (&((Told *) data)->connected);
  if (event->type == FASP_EVENT_REMOVED)
    g_atomic_int_inc (&((Told *) data)->removed);
}

static void
on_resolve_failed (const gchar *host, const GError *error, gpointer data)
{
  g_assert_nonnull (strstr (error->message,
      g_atomic_int_get (&no_names) ? "no names" : "other sources call all of its addresses"));
  g_atomic_int_inc (&((Told *) data)->unresolved);
}

static void
on_changed (const FaspMergeEvent *event, gpointer data)
{
  Told *told = data;

  g_assert_nonnull (event->why);
  if (event->type != FASP_MERGE_LEADS)
    return;
  told->leads++;
  told->leader = event->source;
}

static void
on_stream_event (guint source, const FaspEvent *event, gpointer data)
{
  Told *told = data;

  told->joined += event->type == FASP_EVENT_JOINED;
  told->gaps += event->type == FASP_EVENT_GAP;
  if (event->type == FASP_EVENT_GAP)
    told->lost += event->bytes_lost;
}

/* @port: that it calls, or its own; 0: any.  NULL: another program has that. */
static FaspIo *
make_sender (const gchar *local, FaspMode mode, guint16 port, const gchar *streamid)
{
  g_autoptr (GError) error = NULL;
  FaspEndpointConfig *endpoint;
  EndSettings settings;
  FaspIo *io;

  end_settings_init (&settings, FASP_ROLE_SENDER, mode, port, NULL);
  settings.link.local_address = local;
  settings.link.local_port = mode == FASP_MODE_CALLER ? 0 : port;
  settings.link.buffer = 1 << 20;
  endpoint = &settings.io.endpoint;
  endpoint->streamid = streamid;
  endpoint->settings.latency_ms = 1000;
  endpoint->settings.max_bitrate = 100000000;
  endpoint->settings.wait_for_connection = FALSE;
  endpoint->join = FASP_JOIN_BACK;
  endpoint->join_back_ms = 60000;
  endpoint->history = 60 * FASP_SEC;
  io = fasp_io_new (&settings.io, &error);
  g_assert_true (io != NULL || port > 0);
  return io;
}

static void
free_senders (FaspIo **senders)
{
  for (guint i = 0; i < SENDERS; i++)
    fasp_io_free (senders[i]);
}

/* @ports: where each source calls; NULL: they listen. */
static FaspSources *
make_reader (Told *told, FaspRedundancy redundancy, const gchar *host, const guint16 *ports,
    GError **error)
{
  /* a source whose name may not be found looks it up again */
  const gboolean reconnects = g_strcmp0 (host, "two.invalid") == 0;
  FaspSourcesSettings settings = {
    .redundancy = redundancy,
    .recent = 1 << 20,
    .changed = on_changed,
    .event = on_stream_event,
    .user_data = told,
  };
  FaspIoSettings ios[SENDERS];
  EndSettings end;

  *told = (Told) { .leader = G_MAXUINT };
  end_settings_init (&end, FASP_ROLE_RECEIVER,
      ports != NULL ? FASP_MODE_CALLER : FASP_MODE_LISTENER, 0, told);
  end.link.local_address = NULL;
  end.link.buffer = 1 << 20;
  end.io.event = on_event;
  end.io.resolve_failed = on_resolve_failed;
  end.io.peer_host = host;
  end.io.endpoint.streamid = ports != NULL ? "mine" : NULL;
  end.io.endpoint.settings.latency_ms = 1000;
  end.io.endpoint.settings.max_bitrate = 0;
  end.io.endpoint.settings.reconnect = reconnects;
  end.io.endpoint.settings.keep_listening = ports == NULL;
  for (guint i = 0; i < SENDERS; i++) {
    ios[i] = end.io;
    ios[i].peer_port = ports != NULL ? ports[i] : 0;
  }
  return fasp_sources_new (&settings, ios, SENDERS, error);
}

static guint8
get_byte (guint64 offset)
{
  return (offset * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15)) >> 56;
}

/* The sender has bytes [@from, @to) of the stream that all of them have. */
static void
write_part (FaspIo *sender, guint64 from, guint64 to)
{
  for (guint64 at = from; at < to; at += PIECE) {
    guint8 bytes[PIECE];
    FaspIoPiece piece = {
      .data = bytes,
      .size = sizeof bytes,
      .position = { .known = TRUE, .origin = { "a stream" }, .offset = at },
      .media_time = at,
    };
    FaspEvent event;
    gsize done = 0;

    for (guint i = 0; i < PIECE; i++)
      bytes[i] = get_byte (at + i);
    g_assert_cmpint (fasp_io_write (sender, 0, &piece, 1, &done, &event), ==, FASP_IO_OK);
  }
}

/* Ends the stream, as an element does it. */
static gpointer
drain (gpointer sender)
{
  FaspEvent event;
  guint64 lost;

  while (fasp_io_drain (sender, &lost, &event) == FASP_IO_WAITING)
    ;
  return NULL;
}

/* Reads until the end, or so many bytes. */
static FaspIoResult
read_until (FaspSources *sources, Told *told, guint64 bytes)
{
  while (!told->eos && told->bytes < bytes) {
    FaspRead items[16];
    FaspEvent event;
    FaspIoResult result;
    guint n;

    result = fasp_sources_read (sources, items, G_N_ELEMENTS (items), &n, &event);
    if (result != FASP_IO_OK)
      return result;
    for (guint i = 0; i < n; i++) {
      FaspBlock *block = items[i].block;

      g_assert_cmpuint (items[i].session, ==, 0);
      told->eos |= (block->flags & FASP_BLOCK_EOS) != 0;
      for (guint k = 0; k < block->size; k++)
        told->wrong |= block->data[k] != get_byte (block->offset + k);
      told->bytes += block->size;
      fasp_block_unref (block);
    }
  }
  return FASP_IO_OK;
}

/* Both senders end what they have, and the reader reads all of it. */
static void
finish (FaspSources *sources, Told *told, FaspIo *const *senders, guint64 missing)
{
  GThread *threads[SENDERS];
  FaspSourcesStats stats;
  guint64 used = 0;

  for (guint i = 0; i < SENDERS; i++)
    threads[i] = g_thread_new ("drain", drain, senders[i]);
  g_assert_cmpint (read_until (sources, told, G_MAXUINT64), ==, FASP_IO_OK);
  fasp_sources_get_stats (sources, &stats);
  for (guint i = 0; i < SENDERS; i++) {
    FaspSourceStats of;

    fasp_sources_get_source_stats (sources, i, &of);
    g_assert_cmpint (of.leads, ==, told->leader == i);
    used += of.bytes_used;
  }
  fasp_sources_free (sources);
  for (guint i = 0; i < SENDERS; i++)
    g_thread_join (threads[i]);
  g_assert_true (told->eos);
  g_assert_false (told->wrong);
  g_assert_cmpuint (told->joined, ==, 1);
  g_assert_cmpuint (told->bytes, ==, WHOLE - missing);
  g_assert_cmpuint (stats.bytes_read, ==, WHOLE - missing);
  g_assert_cmpuint (used, ==, WHOLE - missing);
  g_assert_cmpuint (stats.bytes_missing, ==, missing);
  g_assert_cmpuint (told->lost, ==, missing);
  g_assert_cmpuint (told->gaps, ==, missing > 0);
}

/* Until so many bytes have come from a sender. */
static void
wait_until_received (FaspIo *source, guint64 bytes)
{
  FaspEndpointStats stats = { 0 };

  for (guint looks = 0; stats.bytes_read + stats.buffer_bytes < bytes;) {
    pause_before_look (&looks);
    fasp_endpoint_get_stats (fasp_io_lock (source), &stats);
    fasp_io_unlock (source, FALSE);
  }
}

/* Both have the stream until each of them is trusted: returns how far that is. */
static guint64
write_until_trusted (FaspSources *sources, Told *told, FaspIo *const *senders)
{
  const guint64 part = 10 * PIECE;
  gboolean trusted = FALSE;
  guint64 at;

  for (at = 0; !trusted; at += part) {
    g_assert_cmpuint (at, <, WHOLE / 2);
    for (guint i = 0; i < SENDERS; i++)
      write_part (senders[i], at, at + part);
    for (guint i = 0; i < SENDERS; i++)
      wait_until_received (fasp_sources_get (sources, i), at + part);
    g_assert_cmpint (read_until (sources, told, at + part), ==, FASP_IO_OK);
    trusted = TRUE;
    for (guint i = 0; i < SENDERS; i++) {
      FaspSourceStats of;

      fasp_sources_get_source_stats (sources, i, &of);
      trusted &= of.is_trusted;
    }
  }
  return at;
}

/* The source that leads lacks bytes that the other one has; or both lack the same. */
static void
test_parts (gconstpointer redundancy)
{
  for (guint both_lack = 0; both_lack < 2; both_lack++) {
    const guint64 lacks = both_lack ? 10 * PIECE : 0;
    FaspIo *senders[SENDERS];
    guint16 ports[SENDERS];
    FaspSources *sources;
    guint64 both;
    Told told;

    for (guint i = 0; i < SENDERS; i++) {
      senders[i] = make_sender ("127.0.0.1", FASP_MODE_LISTENER, 0, NULL);
      ports[i] = fasp_io_get_port (senders[i]);
    }
    sources = make_reader (&told, GPOINTER_TO_UINT (redundancy), "127.0.0.1", ports, NULL);
    g_assert_cmpuint (fasp_sources_count (sources), ==, SENDERS);
    wait_for_count (&told.connected, SENDERS);
    both = write_until_trusted (sources, &told, senders);
    for (guint i = 0; i < SENDERS; i++)
      write_part (senders[i], both + lacks + (i == told.leader ? 20 * PIECE : 0), WHOLE);
    finish (sources, &told, senders, lacks);
    for (guint i = 0; i < SENDERS; i++)
      fasp_io_free (senders[i]);
  }
}

/* They call the reader, at one port. */
static void
test_called (void)
{
  FaspIo *senders[SENDERS];
  FaspSources *sources;
  Told told;

  sources = make_reader (&told, FASP_REDUNDANCY_HOT, NULL, NULL, NULL);
  for (guint i = 0; i < SENDERS; i++) {
    g_assert_cmpuint (fasp_io_get_port (fasp_sources_get (sources, i)), ==,
        fasp_io_get_port (fasp_sources_get (sources, 0)));
    senders[i] = make_sender ("127.0.0.1", FASP_MODE_CALLER,
        fasp_io_get_port (fasp_sources_get (sources, 0)), NULL);
  }
  wait_for_count (&told.connected, SENDERS);
  for (guint i = 0; i < SENDERS; i++)
    write_part (senders[i], 0, WHOLE);
  finish (sources, &told, senders, 0);
  free_senders (senders);
}

/* All senders that have called are gone: others may call, and the stream goes on. */
static void
test_called_again (void)
{
  FaspIo *senders[SENDERS];
  FaspSources *sources;
  Told told;

  sources = make_reader (&told, FASP_REDUNDANCY_STANDBY, NULL, NULL, NULL);
  for (guint round = 0; round < 2; round++) {
    guint64 half = WHOLE / 2;
    FaspRead item;
    FaspEvent event;
    guint n;

    for (guint i = 0; i < SENDERS; i++) {
      senders[i] = make_sender ("127.0.0.1", FASP_MODE_CALLER,
          fasp_io_get_port (fasp_sources_get (sources, 0)), NULL);
      write_part (senders[i], round * half, (round + 1) * half);
    }
    wait_for_count (&told.connected, (round + 1) * SENDERS);
    g_assert_cmpint (read_until (sources, &told, (round + 1) * half), ==, FASP_IO_OK);
    for (guint i = 0; i < SENDERS; i++)
      fasp_io_free (senders[i]);
    g_assert_cmpint (fasp_sources_read (sources, &item, 1, &n, &event), ==, FASP_IO_ENDED);
    g_assert_false (event.final);
  }
  g_assert_false (told.wrong);
  fasp_sources_free (sources);
}

static gpointer
flush_later (gpointer sources)
{
  g_usleep (100 * 1000);
  fasp_sources_set_flushing (sources, TRUE);
  return NULL;
}

/* All senders go in one moment: that is told once. */
static void
test_gone_at_once (void)
{
  FaspIo *senders[SENDERS];
  FaspSources *sources;
  FaspRead item;
  FaspEvent event;
  GThread *thread;
  Told told;
  guint n;

  sources = make_reader (&told, FASP_REDUNDANCY_HOT, NULL, NULL, NULL);
  for (guint i = 0; i < SENDERS; i++)
    senders[i] = make_sender ("127.0.0.1", FASP_MODE_CALLER,
        fasp_io_get_port (fasp_sources_get (sources, 0)), NULL);
  wait_for_count (&told.connected, SENDERS);
  free_senders (senders);
  wait_for_count (&told.removed, SENDERS);
  g_assert_cmpint (fasp_sources_read (sources, &item, 1, &n, &event), ==, FASP_IO_ENDED);
  thread = g_thread_new ("flush", flush_later, sources);
  g_assert_cmpint (fasp_sources_read (sources, &item, 1, &n, &event), ==, FASP_IO_FLUSHING);
  g_thread_join (thread);
  fasp_sources_free (sources);
}

/* A sender at each address of two.invalid.  FALSE: they cannot have one port, and that is told. */
static gboolean
make_two (FaspIo **senders, guint16 *ports)
{
  senders[0] = make_sender ("127.0.0.1", FASP_MODE_LISTENER, 0, NULL);
  ports[0] = ports[1] = fasp_io_get_port (senders[0]);
  senders[1] = make_sender ("127.0.0.2", FASP_MODE_LISTENER, ports[0], NULL);
  if (senders[1] != NULL)
    return TRUE;
  g_test_skip ("somebody else has that port at the other address");
  fasp_io_free (senders[0]);
  return FALSE;
}

/* Each source calls another address of one name. */
static void
test_name (void)
{
  FaspIo *senders[SENDERS];
  guint16 ports[SENDERS];
  FaspSources *sources;
  Told told;

  if (!make_two (senders, ports))
    return;
  sources = make_reader (&told, FASP_REDUNDANCY_HOT, "two.invalid", ports, NULL);
  wait_for_count (&told.connected, SENDERS);
  for (guint i = 0; i < SENDERS; i++)
    write_part (senders[i], 0, WHOLE);
  finish (sources, &told, senders, 0);
  g_assert_cmpint (told.unresolved, ==, 0);
  free_senders (senders);
}

/* A name that can no longer be looked up: the reason is that, whatever addresses the other source
 * called before. */
static void
test_name_lost (void)
{
  FaspIo *senders[SENDERS];
  guint16 ports[SENDERS];
  FaspSources *sources;
  Told told;

  if (!make_two (senders, ports))
    return;
  sources = make_reader (&told, FASP_REDUNDANCY_HOT, "two.invalid", ports, NULL);
  wait_for_count (&told.connected, SENDERS);
  g_atomic_int_set (&no_names, TRUE);
  free_senders (senders);
  wait_for_count (&told.unresolved, SENDERS);
  fasp_sources_free (sources);
  g_atomic_int_set (&no_names, FALSE);
}

/* There are fewer addresses than sources. */
static void
test_name_of_one (void)
{
  FaspIo *sender = make_sender ("127.0.0.1", FASP_MODE_LISTENER, 0, NULL);
  const guint16 ports[SENDERS] = { fasp_io_get_port (sender), fasp_io_get_port (sender) };
  FaspSources *sources;
  Told told;

  write_part (sender, 0, WHOLE);
  sources = make_reader (&told, FASP_REDUNDANCY_STANDBY, "one.invalid", ports, NULL);
  wait_for_count (&told.unresolved, 1);
  g_assert_cmpint (read_until (sources, &told, WHOLE), ==, FASP_IO_OK);
  g_assert_false (told.wrong);
  g_assert_cmpint (told.connected, ==, 1);
  fasp_sources_free (sources);
  fasp_io_free (sender);
}

/* The application chooses the source that leads. */
static void
test_prefer (void)
{
  FaspIo *senders[SENDERS];
  guint16 ports[SENDERS];
  FaspSenderClock clock;
  FaspSources *sources;
  guint first, epoch;
  Told told;

  for (guint i = 0; i < SENDERS; i++) {
    senders[i] = make_sender ("127.0.0.1", FASP_MODE_LISTENER, 0, NULL);
    ports[i] = fasp_io_get_port (senders[i]);
    write_part (senders[i], 0, WHOLE / 2);
  }
  sources = make_reader (&told, FASP_REDUNDANCY_HOT, "127.0.0.1", ports, NULL);
  wait_for_count (&told.connected, SENDERS);
  g_assert_cmpint (read_until (sources, &told, WHOLE / 2), ==, FASP_IO_OK);
  first = told.leader;
  fasp_sources_get_sender_clock (sources, &clock);
  epoch = clock.epoch;
  g_assert_false (fasp_sources_prefer (sources, SENDERS));
  g_assert_true (fasp_sources_prefer (sources, 1 - first));
  for (guint i = 0; i < SENDERS; i++)
    write_part (senders[i], WHOLE / 2, WHOLE);
  g_assert_cmpint (read_until (sources, &told, WHOLE), ==, FASP_IO_OK);
  g_assert_cmpuint (told.leader, ==, 1 - first);
  /* the clock is another machine's */
  fasp_sources_get_sender_clock (sources, &clock);
  g_assert_cmpuint (clock.epoch, !=, epoch);
  finish (sources, &told, senders, 0);
  free_senders (senders);
}

static gpointer
flush_soon (gpointer sources)
{
  g_usleep (1000);
  fasp_sources_set_flushing (sources, TRUE);
  return NULL;
}

/* A flush ends the wait for senders that bring nothing. */
static void
test_flush (void)
{
  FaspSources *sources;
  GThread *thread;
  Told told;

  sources = make_reader (&told, FASP_REDUNDANCY_HOT, NULL, NULL, NULL);
  thread = g_thread_new ("flush", flush_soon, sources);
  g_assert_cmpint (read_until (sources, &told, WHOLE), ==, FASP_IO_FLUSHING);
  g_thread_join (thread);
  fasp_sources_close (sources);
  fasp_sources_free (sources);
}

/* Only when all senders refuse, the reader fails. */
static void
test_refused (void)
{
  FaspIo *senders[SENDERS];
  guint16 ports[SENDERS];
  FaspSources *sources;
  Told told;

  for (guint i = 0; i < SENDERS; i++) {
    senders[i] = make_sender ("127.0.0.1", FASP_MODE_LISTENER, 0, "another");
    ports[i] = fasp_io_get_port (senders[i]);
  }
  sources = make_reader (&told, FASP_REDUNDANCY_HOT, "127.0.0.1", ports, NULL);
  g_assert_cmpint (read_until (sources, &told, WHOLE), ==, FASP_IO_FAILED);
  fasp_sources_free (sources);
  free_senders (senders);
}

/* There is no thread for the second one: nothing of the first remains. */
static void
test_no_threads (void)
{
  const guint16 ports[SENDERS] = { 9, 9 };

  for (guint n = 0; n < SENDERS; n++) {
    g_autoptr (GError) error = NULL;
    Told told;

    threads_left = n;
    g_assert_null (make_reader (&told, FASP_REDUNDANCY_HOT, "127.0.0.1", ports, &error));
    g_assert_nonnull (error);
    threads_left = -1;
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/sources/parts/hot", GUINT_TO_POINTER (FASP_REDUNDANCY_HOT), test_parts);
  g_test_add_data_func ("/sources/parts/standby", GUINT_TO_POINTER (FASP_REDUNDANCY_STANDBY),
      test_parts);
  g_test_add_func ("/sources/called", test_called);
  g_test_add_func ("/sources/called-again", test_called_again);
  g_test_add_func ("/sources/gone-at-once", test_gone_at_once);
  g_test_add_func ("/sources/name", test_name);
  g_test_add_func ("/sources/name-lost", test_name_lost);
  g_test_add_func ("/sources/name-of-one", test_name_of_one);
  g_test_add_func ("/sources/prefer", test_prefer);
  g_test_add_func ("/sources/flush", test_flush);
  g_test_add_func ("/sources/refused", test_refused);
  g_test_add_func ("/sources/no-threads", test_no_threads);
  return g_test_run ();
}
