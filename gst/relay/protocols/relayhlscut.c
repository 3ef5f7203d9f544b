/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayhlscut.h"
#include "relaykeyframes.h"

#define NONE G_MAXSIZE
#define CLOCK_MASK ((G_GINT64_CONSTANT (1) << 33) - 1)

/* µs; what ends at a step of the clock is left out if it is shorter: a sender whose clock steps at
 * each packet would have a file written for each. */
#define LEAST (100 * G_TIME_SPAN_MILLISECOND)

/* µs; a stream of which no packet comes for this long is interrupted, as in relayprotocolend.c. */
#define PAUSE G_TIME_SPAN_SECOND

/* What a stream lacks; each is reported once. */
typedef enum
{
  LACKS_KEY_FRAMES,
  LACKS_MORE_TABLES,
  LACKS_TRUE_CLOCK,
} Lack;

static const gchar *const lacks[] = {
  [LACKS_KEY_FRAMES] =
      "A segment begins between key frames, as none came in time: have the encoder "
      "make more of them, or write a longer segment.",
  [LACKS_MORE_TABLES] =
      "A part of the stream is left out, as a segment was full before the next PAT "
      "and PMT came: have the encoder send these more often, or write a longer "
      "segment.",
  [LACKS_TRUE_CLOCK] =
      "A part of the stream is left out, as its clock (PCR) runs much faster than the "
      "stream comes, or steps again and again: have the encoder send a PCR that is "
      "right.",
};

/* Where the stream can be cut. */
typedef struct
{
  gsize at; /* of the PAT, in the data; NONE: there is no such place */
  gint64 clock;
} Place;

struct _RelayHlsCut
{
  gint64 limit; /* of a segment's duration; as all clocks here, 1/90000 s */
  RelayKeyFrames frames;
  gboolean begun; /* FALSE: a place to begin at is looked for; the data is from the last PAT on */
  GByteArray *data;
  Place pat;              /* the last PAT */
  gboolean mapped;        /* a PMT came behind it */
  Place tables;           /* the last PAT with a PMT behind it */
  gboolean timed;         /* a PCR has come */
  gint64 pcr;             /* the last one */
  gint64 clock;           /* of the stream: the steps between its PCRs, summed up */
  gint64 begin;           /* of the segment, or since when a place is looked for */
  gint64 key;             /* the last key frame behind tables */
  gint64 longest, before; /* from one of these to the next, in this segment and the one before it */
  gint64 time;  /* when this segment, or the search, began: µs since 1970; 0: neither did */
  gint64 came;  /* the last packet: µs since 1970; 0: none has since the stream was interrupted */
  gint64 since; /* the first packet, or the one at which the last segment was whole */
  gboolean discontinuous; /* the segment that is open */
  gint64 spent; /* until when what was returned would have come at the slowest: µs since 1970 */
  RelayHlsSegment finished;
  gboolean lacks[G_N_ELEMENTS (lacks)], reported[G_N_ELEMENTS (lacks)]; /* of each Lack */
};

RelayHlsCut *
relay_hls_cut_new (guint target)
{
  RelayHlsCut *cut = g_new0 (RelayHlsCut, 1);

  /* less than half a second above the target is rounded down to it */
  cut->limit = target * 90000 + 44999;
  cut->data = g_byte_array_new ();
  cut->finished.data = g_byte_array_new ();
  cut->pat.at = cut->tables.at = NONE;
  cut->discontinuous = TRUE;
  return cut;
}

void
relay_hls_cut_free (RelayHlsCut *cut)
{
  g_byte_array_unref (cut->data);
  g_byte_array_unref (cut->finished.data);
  g_free (cut);
}

/* --- the clock ------------------------------------------------------------------------------- */

/* Reads the PCR of a packet, if it has one. TRUE: it does not follow the one before it. */
static gboolean
read_clock (RelayHlsCut *cut, const guint8 *data)
{
  TsPacket packet;
  gint64 pcr, step;
  gboolean follows;

  ts_packet_read (&packet, data, TS_PACKET);
  if (!packet.has_pcr || packet.pid != cut->frames.clock)
    return FALSE;
  pcr = packet.pcr / 300;
  step = (pcr - cut->pcr) & CLOCK_MASK;
  follows = cut->timed && step <= RELAY_HLS_STEP && !packet.announced;
  cut->clock += follows ? step : 0;
  cut->pcr = pcr;
  cut->timed = TRUE;
  return !follows;
}

/* --- cutting --------------------------------------------------------------------------------- */

static void
shift (Place *place, gsize by)
{
  place->at = place->at != NONE && place->at >= by ? place->at - by : NONE;
}

/* Ends the segment in front of a place. TRUE: there is one. *clock: there; it does not pass the
 * limit, which the place may do by one step of the PCR. */
static gboolean
end_segment (RelayHlsCut *cut, Place place, gint64 *clock)
{
  gboolean whole = cut->begun && place.at > 0 && place.clock > cut->begin;
  GByteArray *old = cut->data;

  *clock = MIN (place.clock, cut->begin + cut->limit);
  cut->data = cut->finished.data;
  g_byte_array_set_size (cut->data, 0);
  if (old->len > place.at)
    g_byte_array_append (cut->data, old->data + place.at, old->len - place.at);
  g_byte_array_set_size (old, place.at);
  cut->finished =
      (RelayHlsSegment) { old, (*clock - cut->begin) * 100 / 9, cut->time, cut->discontinuous };
  cut->discontinuous = !whole;
  shift (&cut->pat, place.at);
  shift (&cut->tables, place.at);
  cut->mapped &= cut->pat.at != NONE;
  return whole;
}

/* Begins a segment, or to look for a place. */
static void
begin (RelayHlsCut *cut, gboolean found, gint64 clock, gint64 time)
{
  cut->begun = found;
  cut->begin = clock;
  cut->before = cut->longest;
  cut->longest = 0;
  cut->time = time;
  cut->discontinuous |= !found;
}

static Place
get_end (const RelayHlsCut *cut, gint64 clock)
{
  return (Place) { cut->data->len, clock };
}

/* Notes what begins in the packet, and keeps it. */
static void
keep (RelayHlsCut *cut, RelayBegins what, const guint8 *packet)
{
  if (what == RELAY_BEGINS_PAT) {
    if (!cut->begun) {
      g_byte_array_set_size (cut->data, 0);
      cut->tables.at = NONE;
    }
    cut->pat = get_end (cut, cut->clock);
    cut->mapped = FALSE;
  }
  if (what == RELAY_BEGINS_PMT && cut->pat.at != NONE) {
    cut->mapped = TRUE;
    cut->tables = cut->pat;
  }
  if (cut->begun || cut->pat.at != NONE)
    g_byte_array_append (cut->data, packet, TS_PACKET);
}

/* A stream can begin with this packet and its tables. TRUE: a segment is whole. */
static gboolean
handle_key (RelayHlsCut *cut, gint64 time)
{
  gboolean whole = FALSE;
  gint64 clock = cut->clock;

  if (cut->begun)
    cut->longest = MAX (cut->longest, cut->clock - cut->key);
  if (!cut->begun
      || (cut->pat.at > 0
          && cut->clock - cut->begin + MAX (cut->longest, cut->before) > cut->limit)) {
    if (cut->begun)
      whole = end_segment (cut, (Place) { cut->pat.at, cut->clock }, &clock);
    begin (cut, TRUE, clock, time);
  }
  cut->key = cut->clock;
  return whole;
}

/* The segment would become too long, or too large. TRUE: it is whole. */
static gboolean
handle_limit (RelayHlsCut *cut, gint64 time)
{
  gboolean found = cut->tables.at != NONE && (cut->tables.at > 0 || !cut->begun);
  Place place = found ? cut->tables : get_end (cut, cut->clock);
  gint64 clock;
  gboolean whole = end_segment (cut, place, &clock);

  if (found || cut->begun)
    cut->lacks[found ? LACKS_KEY_FRAMES : LACKS_MORE_TABLES] = TRUE;
  begin (cut, found, clock, time);
  return whole;
}

/* Is it time to end the segment, or the search, wherever that is possible? */
static gboolean
is_at_limit (const RelayHlsCut *cut)
{
  return cut->data->len >= RELAY_HLS_HELD_MAX
      || (cut->clock - cut->begin > cut->limit && (cut->begun || cut->tables.at != NONE));
}

/* May the finished segment be returned? Else it is lost. */
static gboolean
is_affordable (RelayHlsCut *cut, gint64 time)
{
  gint64 cost = MAX (cut->finished.duration, RELAY_HLS_SHORTEST) / RELAY_HLS_FASTER;
  gint64 latest = time + RELAY_HLS_AHEAD / RELAY_HLS_FASTER;

  /* later than the latest: the clock of this host was set back */
  if (cut->spent < time || cut->spent > latest)
    cut->spent = time;
  if (cut->spent + cost > latest) {
    cut->lacks[LACKS_TRUE_CLOCK] = TRUE;
    relay_hls_cut_lose (cut);
    return FALSE;
  }
  cut->spent += cost;
  return TRUE;
}

const RelayHlsSegment *
relay_hls_cut_push (RelayHlsCut *cut, const guint8 *packet, gint64 time)
{
  gint64 old = cut->clock, unused;
  RelayBegins what = relay_key_frames_look (&cut->frames, packet);
  gboolean whole = FALSE, places;

  if (time - cut->came > PAUSE || time < cut->came)
    cut->since = time;
  cut->came = time;
  if (cut->time == 0)
    begin (cut, FALSE, cut->clock, time);
  if (read_clock (cut, packet)) {
    whole =
        end_segment (cut, cut->mapped ? (Place) { cut->pat.at, old } : get_end (cut, old), &unused)
        && cut->finished.duration >= LEAST;
    begin (cut, FALSE, cut->clock, time);
  }
  keep (cut, what, packet);
  places = what == RELAY_BEGINS_KEY_FRAME || (what == RELAY_BEGINS_PMT && cut->frames.video == 0);
  if (cut->mapped && cut->timed && places)
    whole |= handle_key (cut, time);
  if (!whole && is_at_limit (cut))
    whole = handle_limit (cut, time);
  if (!whole || !is_affordable (cut, time))
    return NULL;
  cut->since = time;
  return &cut->finished;
}

const gchar *
relay_hls_cut_find_fault (const RelayHlsCut *cut)
{
  gint64 longest = RELAY_HLS_WAIT + cut->limit * 100 / 9;

  return cut->came - cut->since < longest ?
      NULL :
      "No segment is written: HLS needs a PAT, a PMT and a PCR that goes on, which this stream does "
      "not have.";
}

const RelayHlsSegment *
relay_hls_cut_flush (RelayHlsCut *cut)
{
  gint64 unused;
  gboolean whole = end_segment (cut, get_end (cut, cut->clock), &unused);

  begin (cut, FALSE, cut->clock, 0);
  cut->came = cut->since = 0;
  return whole ? &cut->finished : NULL;
}

void
relay_hls_cut_lose (RelayHlsCut *cut)
{
  cut->discontinuous = TRUE;
}

const gchar *
relay_hls_cut_complain (RelayHlsCut *cut)
{
  for (guint i = 0; i < G_N_ELEMENTS (lacks); i++)
    if (cut->lacks[i] && !cut->reported[i]) {
      cut->reported[i] = TRUE;
      return lacks[i];
    }
  return NULL;
}
