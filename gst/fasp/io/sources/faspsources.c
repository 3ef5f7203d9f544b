/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspsources.h"
#include "faspsourcechanges.h"

/* Blocks that are taken from a source at once, to save locks. */
#define AHEAD 64
/* If the merge's timeout has passed without effect, the merge is asked again after this time. */
#define NAP (5 * FASP_MSEC)
/* A gap is reported at most this often. */
#define REPORT_GAP_AFTER (60 * FASP_SEC)

/* A source. Used by the reading thread only, except `io' and `name', which never change. */
typedef struct
{
  FaspIo *io;
  gchar *name; /* as in FaspSourceChangeStats; owned */
  FaspSources *all;
  FaspAddress called; /* address that it calls, if other sources have the same name; under `lock' */
  FaspRead ahead[AHEAD];      /* blocks taken from the source and not put into the merge yet */
  guint n, next;              /* how many blocks were taken; index of the next one in `ahead' */
  FaspOtherSources announced; /* the settings that its endpoint got last */
  gboolean is_connected;      /* the source's sender was connected at the last visit() */
  gboolean has_ended;         /* the source's sender is gone, which was not reported yet */
  gboolean has_failed;        /* no sender of it will come any more */
  gboolean is_over; /* the source has failed, or its sender has ended the stream and no other will
                       come */
  FaspEvent event;  /* the event of the end or of the failure */
} Source;

struct _FaspSources
{
  guint n;
  Source list[FASP_SOURCES_MAX];
  FaspSourcesSettings settings;
  gboolean listens; /* the senders call */

  GMutex lock; /* guards what follows */
  GCond wake;  /* the thread that reads waits for this */
  gint news;   /* a source has blocks or events; atomic, so that it can be read without the lock */
  gboolean flushing;

  GMutex merging; /* guards what follows */
  FaspMerge *merge;
  FaspSourcesStats stats;
  FaspSourceChanges changes;
  guint from;         /* source of the last block read */
  guint clock_source; /* the source of the clock that was read last, its epoch, and the
                         epoch that the reader got */
  guint clock_epoch, epoch;
  FaspTime gap_reported; /* when a gap was reported; 0: never */
  GQueue pending;        /* Pending, owned: events of the stream to be reported */
};

typedef struct
{
  guint source;
  FaspEvent event;
} Pending;

/* --- opening and closing -------------------------------------------------------------- */

/* A source has blocks or events. Called by any thread of the source, with its endpoint locked. */
static void
news (gpointer data)
{
  FaspSources *self = data;

  if (g_atomic_int_get (&self->news))
    return;
  g_mutex_lock (&self->lock);
  g_atomic_int_set (&self->news, TRUE);
  g_cond_signal (&self->wake);
  g_mutex_unlock (&self->lock);
}

static gchar *
make_name (const FaspIoSettings *io)
{
  if (io->peer_host == NULL || io->endpoint.mode == FASP_MODE_LISTENER)
    return g_strdup ("");
  return g_strdup_printf (strchr (io->peer_host, ':') != NULL ? "[%s]:%u" : "%s:%u", io->peer_host,
      io->peer_port);
}

/* May a source call this address of a name that several sources have? */
static gboolean
claim (const FaspAddress *address, gpointer data)
{
  Source *source = data;
  FaspSources *self = source->all;
  gboolean is_free = TRUE;

  g_mutex_lock (&self->lock);
  for (guint i = 0; i < FASP_SOURCES_MAX; i++)
    is_free &= source == &self->list[i] || !fasp_address_equal (&self->list[i].called, address);
  if (is_free)
    source->called = *address;
  g_mutex_unlock (&self->lock);
  return is_free;
}

/* Has another source the same name? */
static gboolean
shares_name (const FaspSources *self, const FaspIoSettings *io, guint i)
{
  gboolean shares = FALSE;

  if (io->peer_host == NULL || g_hostname_is_ip_address (io->peer_host))
    return FALSE;
  for (guint k = 0; k < FASP_SOURCES_MAX; k++)
    shares |= k != i && g_strcmp0 (self->list[k].name, self->list[i].name) == 0;
  return shares;
}

FaspSources *
fasp_sources_new (const FaspSourcesSettings *settings, const FaspIoSettings *ios, guint n,
    GError **error)
{
  FaspSources *self = g_new0 (FaspSources, 1);

  g_mutex_init (&self->lock);
  g_mutex_init (&self->merging);
  g_cond_init (&self->wake);
  g_queue_init (&self->pending);
  self->settings = *settings;
  self->listens = ios[0].endpoint.mode == FASP_MODE_LISTENER;
  self->epoch = 1;
  self->stats.join_offset = FASP_OFFSET_UNKNOWN;
  fasp_source_changes_init (&self->changes);
  self->merge = fasp_merge_new (settings->redundancy, n, settings->recent);
  fasp_merge_restore_after (self->merge, settings->wait_to_restore);
  for (guint i = 0; i < n; i++) {
    self->list[i].all = self;
    self->list[i].name = make_name (&ios[i]);
  }
  for (guint i = 0; i < n; i++) {
    FaspIoSettings io = ios[i];

    io.endpoint.one_of_several = TRUE;
    io.beside = i > 0 && io.endpoint.mode == FASP_MODE_LISTENER ? self->list[0].io : NULL;
    io.news = news;
    io.news_data = self;
    if (shares_name (self, &io, i)) {
      io.claim = claim;
      io.claim_data = &self->list[i];
    }
    self->list[i].io = fasp_io_new (&io, error);
    if (self->list[i].io == NULL) {
      fasp_sources_free (self);
      return NULL;
    }
    self->n++;
  }
  return self;
}

void
fasp_sources_close (FaspSources *self)
{
  for (guint i = 0; i < self->n; i++)
    fasp_io_begin_close (self->list[i].io);
  for (guint i = 0; i < self->n; i++)
    fasp_io_close (self->list[i].io);
}

void
fasp_sources_free (FaspSources *self)
{
  if (self == NULL)
    return;
  fasp_sources_close (self);
  fasp_merge_free (self->merge);
  for (guint i = 0; i < self->n; i++) {
    Source *source = &self->list[i];

    while (source->next < source->n)
      fasp_block_unref (source->ahead[source->next++].block);
    fasp_io_free (source->io);
  }
  for (guint i = 0; i < FASP_SOURCES_MAX; i++)
    g_free (self->list[i].name);
  g_queue_clear_full (&self->pending, g_free);
  g_mutex_clear (&self->lock);
  g_mutex_clear (&self->merging);
  g_cond_clear (&self->wake);
  g_free (self);
}

guint
fasp_sources_count (const FaspSources *self)
{
  return self->n;
}

FaspIo *
fasp_sources_get (const FaspSources *self, guint i)
{
  return self->list[i].io;
}

/* --- the stream as a whole ---------------------------------------------------------------- */

static FaspEvent *
push_event (FaspSources *self, FaspEventType type)
{
  Pending *pending = g_new0 (Pending, 1);

  pending->source = self->from;
  pending->event.type = type;
  g_queue_push_tail (&self->pending, pending);
  return &pending->event;
}

static void
join (FaspSources *self, const FaspStreamOffset *position)
{
  gboolean in_the_middle = position->known && position->offset != 0;
  FaspEvent *event = push_event (self, FASP_EVENT_JOINED);

  self->stats.join_offset = position->offset;
  self->stats.joins_in_the_middle += in_the_middle;
  event->start.position = *position;
  event->start.in_the_middle = in_the_middle;
}

static void
miss (FaspSources *self, FaspTime now, guint64 bytes)
{
  FaspEvent *event;

  self->stats.bytes_missing += bytes;
  if (self->gap_reported > 0 && now - self->gap_reported < REPORT_GAP_AFTER)
    return;
  self->gap_reported = now;
  event = push_event (self, FASP_EVENT_GAP);
  event->bytes_lost = bytes;
  event->left_behind = TRUE; /* no source brought these bytes */
}

/* Counts a block that was taken from the merge, and notes events of the stream. */
static void
note (FaspSources *self, FaspTime now, FaspRead *read, const FaspMergeTaken *taken)
{
  const FaspBlock *block = read->block;
  FaspStreamOffset position = read->behind;

  read->session = 0;
  if (block->flags & FASP_BLOCK_EOS)
    return;
  self->from = taken->source;
  if (block->flags & FASP_BLOCK_HEADER)
    return;
  position.offset = block->offset;
  if (taken->begins)
    join (self, &position);
  if (taken->missing > 0)
    miss (self, now, taken->missing);
  self->stats.bytes_read += block->size;
}

/* --- reading ---------------------------------------------------------------------------- */

static gboolean
is_same (const FaspOtherSources *a, const FaspOtherSources *b)
{
  return a->recovery_time == b->recovery_time && a->stands_by == b->stands_by
      && a->has.known == b->has.known && a->has.offset == b->has.offset
      && fasp_origin_equal (&a->has.origin, &b->has.origin);
}

/* Passes to a source's endpoint which bytes the reader has, takes blocks from it, and updates its
 * state in the merge. TRUE: there is something new. */
static gboolean
visit (FaspSources *self, guint i, FaspTime now)
{
  Source *source = &self->list[i];
  FaspOtherSources others = fasp_merge_get_other_sources (self->merge, i);
  gboolean had = source->next < source->n;
  FaspSourceState state;
  FaspEvent event;
  guint n;

  if (!had)
    source->next = source->n = 0;
  switch (fasp_io_poll (source->io, is_same (&others, &source->announced) ? NULL : &others, &state,
      source->ahead, had ? 0 : AHEAD, &n, &event)) {
    case FASP_IO_OK:
      source->n = n;
      break;
    case FASP_IO_ENDED:
      source->has_ended = TRUE;
      source->event = event;
      break;
    case FASP_IO_FAILED:
      if (!source->has_failed)
        source->event = event;
      source->has_failed = TRUE;
      break;
    case FASP_IO_WAITING:
    case FASP_IO_FLUSHING:
      break;
  }
  source->announced = others;
  /* the source counts as connected while blocks of it are left to be read */
  state.is_connected |= source->next < source->n;
  source->is_connected = state.is_connected;
  fasp_merge_set_state (self->merge, now, i, &state);
  return !had && source->n > 0;
}

static gboolean
feed (FaspSources *self, guint i, FaspTime now)
{
  Source *source = &self->list[i];
  guint before = source->next;

  while (source->next < source->n && fasp_merge_wants (self->merge, i))
    fasp_merge_put (self->merge, now, i, &source->ahead[source->next++]);
  return source->next != before;
}

static gboolean
feed_all (FaspSources *self, FaspTime now)
{
  gboolean any = FALSE;

  for (guint i = 0; i < self->n; i++)
    any |= feed (self, i, now);
  return any;
}

/* Has a source no more blocks in `ahead', though it may have more? The merge would then take these
 * for missing. */
static gboolean
has_run_out (const FaspSources *self)
{
  for (guint i = 0; i < self->n; i++) {
    const Source *source = &self->list[i];

    if (source->n == AHEAD && source->next == source->n && fasp_merge_wants (self->merge, i))
      return TRUE;
  }
  return FALSE;
}

/* Puts blocks into the merge and takes the stream from it, until a source has run out. TRUE: no
 * more can be read for now. */
static gboolean
merge (FaspSources *self, FaspTime now, FaspRead *items, guint max, guint *n)
{
  gboolean more = TRUE;
  FaspMergeTaken taken;

  while (more) {
    more = feed_all (self, now);
    if (has_run_out (self))
      return FALSE;
    while (*n < max && fasp_merge_take (self->merge, now, &items[*n], &taken)) {
      more = TRUE;
      note (self, now, &items[(*n)++], &taken);
      if (items[*n - 1].block->flags & FASP_BLOCK_EOS)
        return TRUE;
    }
    if (*n == max)
      return TRUE;
  }
  return FALSE;
}

/* Reads from all sources through the merge. Returns when to look again. */
static FaspTime
gather (FaspSources *self, FaspTime now, FaspRead *items, guint max, guint *n)
{
  gboolean more = TRUE;
  FaspTime until;

  g_mutex_lock (&self->merging);
  while (more) {
    guint before = *n;

    more = FALSE;
    for (guint i = 0; i < self->n; i++)
      more |= visit (self, i, now);
    feed_all (self, now);
    fasp_merge_decide (self->merge, now);
    if (merge (self, now, items, max, n))
      break;
    more |= *n > before || has_run_out (self);
    for (guint i = 0; i < self->n; i++)
      more |= !fasp_merge_is_announced (self->merge, i, &self->list[i].announced);
  }
  until = fasp_merge_get_timeout (self->merge, now);
  g_mutex_unlock (&self->merging);
  return until > now ? until : now + NAP;
}

/* Reports the events of the stream and of the merge. */
static void
report (FaspSources *self, FaspTime now)
{
  FaspMergeEvent event;
  gboolean more;

  do {
    g_autofree Pending *pending = NULL;

    g_mutex_lock (&self->merging);
    more = fasp_merge_poll_event (self->merge, &event);
    if (more)
      fasp_source_changes_note (&self->changes, now, &event);
    pending = g_queue_pop_head (&self->pending);
    g_mutex_unlock (&self->merging);
    if (more)
      self->settings.changed (&event, self->settings.user_data);
    if (pending != NULL)
      self->settings.event (pending->source, &pending->event, self->settings.user_data);
    more |= pending != NULL;
  } while (more);
}

static gboolean
is_any_connected (const FaspSources *self)
{
  gboolean any = FALSE;

  for (guint i = 0; i < self->n; i++)
    any |= self->list[i].is_connected;
  return any;
}

static gboolean
are_all_over (const FaspSources *self)
{
  gboolean all = TRUE;

  for (guint i = 0; i < self->n; i++)
    all &= self->list[i].is_over;
  return all;
}

/* Marks unreported ends of sources as reported. Returns the last such source; NULL: there are
 * none. */
static Source *
note_ends (FaspSources *self)
{
  Source *last = NULL;

  for (guint i = 0; i < self->n; i++) {
    Source *source = &self->list[i];

    /* another sender may call a source that listens */
    source->is_over |=
        source->has_failed || (source->has_ended && source->event.final && !self->listens);
    if (source->has_ended)
      last = source;
    source->has_ended = FALSE;
  }
  return last;
}

static const Source *
find_failed (const FaspSources *self)
{
  for (guint i = 0; i < self->n; i++)
    if (self->list[i].has_failed)
      return &self->list[i];
  return NULL;
}

/* There is nothing to read. TRUE: no sender will come any more, or the last one has gone; *result
 * and *event say which. Several ends are reported as one. */
static gboolean
is_at_end (FaspSources *self, FaspIoResult *result, FaspEvent *event)
{
  const Source *last = note_ends (self);

  *result = last != NULL ? FASP_IO_ENDED : FASP_IO_FAILED;
  if (last == NULL && are_all_over (self))
    last = find_failed (self);
  if (last == NULL || is_any_connected (self))
    return FALSE;
  *event = last->event;
  event->session = 0;
  event->final = are_all_over (self);
  return TRUE;
}

static gboolean
begin (FaspSources *self)
{
  gboolean flushing;

  g_mutex_lock (&self->lock);
  flushing = self->flushing;
  g_atomic_int_set (&self->news, FALSE);
  g_mutex_unlock (&self->lock);
  return !flushing;
}

static void
wait_for_news (FaspSources *self, FaspTime until)
{
  gboolean in_time = TRUE;

  g_mutex_lock (&self->lock);
  while (in_time && !g_atomic_int_get (&self->news) && !self->flushing)
    if (until == FASP_NEVER)
      g_cond_wait (&self->wake, &self->lock);
    else
      in_time = g_cond_wait_until (&self->wake, &self->lock, until);
  g_mutex_unlock (&self->lock);
}

FaspIoResult
fasp_sources_read (FaspSources *self, FaspRead *items, guint max, guint *n, FaspEvent *event)
{
  FaspIoResult result;

  *n = 0;
  while (begin (self)) {
    FaspTime now = g_get_monotonic_time ();
    FaspTime until = gather (self, now, items, max, n);

    report (self, now);
    if (*n > 0)
      return FASP_IO_OK;
    if (is_at_end (self, &result, event))
      return result;
    wait_for_news (self, until);
  }
  return FASP_IO_FLUSHING;
}

void
fasp_sources_set_flushing (FaspSources *self, gboolean flushing)
{
  g_mutex_lock (&self->lock);
  self->flushing = flushing;
  g_cond_signal (&self->wake);
  g_mutex_unlock (&self->lock);
}

gboolean
fasp_sources_prefer (FaspSources *self, guint i)
{
  gboolean done;

  g_mutex_lock (&self->merging);
  done = fasp_merge_prefer (self->merge, g_get_monotonic_time (), i);
  g_mutex_unlock (&self->merging);
  news (self);
  return done;
}

/* --- what the element asks for ---------------------------------------------------------- */

static guint
find_leader (const FaspSources *self)
{
  FaspSourceStats stats;

  for (guint i = 0; i < self->n; i++) {
    fasp_merge_get_stats (self->merge, i, &stats);
    if (stats.leads)
      return i;
  }
  return self->from;
}

void
fasp_sources_get_sender_clock (FaspSources *self, FaspSenderClock *clock)
{
  FaspSenderClock of_block;
  guint leader;

  g_mutex_lock (&self->merging);
  leader = find_leader (self);
  fasp_endpoint_get_sender_clock (fasp_io_lock (self->list[self->from].io), &of_block);
  fasp_io_unlock (self->list[self->from].io, FALSE);
  fasp_endpoint_get_sender_clock (fasp_io_lock (self->list[leader].io), clock);
  fasp_io_unlock (self->list[leader].io, FALSE);
  /* the clock of another source has another epoch */
  if (leader != self->clock_source || clock->epoch != self->clock_epoch)
    self->epoch++;
  self->clock_source = leader;
  self->clock_epoch = clock->epoch;
  clock->epoch = self->epoch;
  clock->jump = of_block.jump;
  g_mutex_unlock (&self->merging);
}

void
fasp_sources_get_stats (FaspSources *self, FaspSourcesStats *stats)
{
  g_mutex_lock (&self->merging);
  *stats = self->stats;
  g_mutex_unlock (&self->merging);
}

void
fasp_sources_get_source_stats (FaspSources *self, guint i, FaspSourceStats *stats)
{
  g_mutex_lock (&self->merging);
  fasp_merge_get_stats (self->merge, i, stats);
  g_mutex_unlock (&self->merging);
}

void
fasp_sources_get_lead_stats (FaspSources *self, FaspTime now, FaspLeadStats *stats)
{
  g_mutex_lock (&self->merging);
  fasp_source_changes_get_lead (&self->changes, now, stats);
  stats->promised_interval = fasp_merge_get_promise (self->merge);
  g_mutex_unlock (&self->merging);
}

void
fasp_sources_get_source_change (FaspSources *self, FaspTime now, guint i,
    FaspSourceChangeStats *stats)
{
  g_mutex_lock (&self->merging);
  fasp_source_changes_get_source (&self->changes, now, i, stats);
  g_mutex_unlock (&self->merging);
  stats->name = self->list[i].name;
}
