/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspstatfields.h: the fields of the statistics, in tables.
 *
 * A row gives a field's name, type, unit, offset in its struct (faspstats.h) and the condition
 * under which it is shown.  The elements make their GstStructure from the rows, fasp-relay its
 * metrics, and tests/style/statistics the tables in docs.  A new field needs a member of a struct,
 * a row here, and the line of code that counts.
 */
#pragma once

#include "fasphist.h"
#include "faspstats.h"

G_BEGIN_DECLS

/* Over all peers.  The element or relay that shows the statistics computes it. */
typedef struct
{
  gdouble channel_use;                 /* sender: largest share of the channel's rate that a peer
                                          uses; below 0: nothing is paced */
  FaspTime lateness[FASP_HIST_POINTS]; /* receiver: lateness of blocks as they arrive; µs */
  FaspTime lateness_in_order[FASP_HIST_POINTS]; /* receiver: lateness of blocks as they become
                                                   deliverable; µs */
} FaspSummaryStats;

/* The type of the member, and the form in which it is shown. */
typedef enum
{
  FASP_FORM_UINT64,          /* guint64, as it is */
  FASP_FORM_UINT,            /* guint, as it is */
  FASP_FORM_INT,             /* guint, shown as gint */
  FASP_FORM_BOOLEAN,         /* gboolean, as it is */
  FASP_FORM_DOUBLE,          /* gdouble, as it is */
  FASP_FORM_TIME,            /* FaspTime in µs, shown as gdouble in ms */
  FASP_FORM_RATE,            /* guint64 in bit/s, shown as gdouble in Mbit/s */
  FASP_FORM_INTERVAL,        /* guint64 in s, shown as guint64 in ns */
  FASP_FORM_INTERVAL_IF_ANY, /* the same; 0 is shown as the largest number */
  FASP_FORM_CIPHER,          /* FaspCipher, shown as its name */
  FASP_FORM_KEY,             /* guint8[32], shown as openssl prints a public key */
  FASP_FORM_TEXT,            /* gchar[], shown as a string */
  FASP_FORM_WORDS,           /* const gchar *, shown as a string */
  FASP_FORM_ADDRESS,         /* FaspAddress, shown as GSocketAddress, and as a string with
                                the name and -string */
  FASP_FORM_ROUNDS,          /* guint64[FASP_ROUNDS], shown as an array */
  FASP_FORM_FLOWS,           /* guint, shown as an array with a structure for each flow; see
                                fasp_endpoint_get_flows() */
  FASP_FORM_PATHS,           /* guint, the same for each path: fasp_endpoint_get_paths() */
} FaspStatForm;

#define FASP_FORMS (FASP_FORM_PATHS + 1)

/* Unit of the value that is shown. */
typedef enum
{
  FASP_UNIT_NONE, /* a count, a text or a boolean */
  FASP_UNIT_BYTES,
  FASP_UNIT_BITRATE, /* bit/s */
  FASP_UNIT_MBPS,    /* Mbit/s */
  FASP_UNIT_MS,
  FASP_UNIT_NS,
  FASP_UNIT_PPM,
  FASP_UNIT_SHARE, /* 1 is all */
} FaspStatUnit;

#define FASP_UNITS (FASP_UNIT_SHARE + 1)

/* How the value changes, for monitoring systems. */
typedef enum
{
  FASP_KIND_GAUGE,   /* up and down */
  FASP_KIND_COUNTER, /* up only */
  FASP_KIND_UNKNOWN, /* neither is promised */
} FaspStatKind;

typedef struct
{
  const gchar *name; /* name in structures and documents; metrics derive theirs from it */
  FaspStatForm form;
  FaspStatUnit unit;
  FaspStatKind kind;
  guint roles;  /* bits of FaspRole: the ends that have the field */
  gsize offset; /* offset of the member in the table's struct, bytes */
  /* TRUE: the field is shown.  @stats: the table's struct.  NULL: it is always shown. */
  gboolean (*is_shown) (gconstpointer stats);
  const gchar *meaning; /* in Markdown, with links relative to docs/plugins */
} FaspStatField;

/* The tables: the object that each one describes, and its struct. */
typedef enum
{
  FASP_STATS_ENDPOINT,      /* the element's: FaspEndpointStats */
  FASP_STATS_GROUP,         /* a multicast group's: FaspGroupStats */
  FASP_STATS_SESSION,       /* a peer's: FaspSessionStats */
  FASP_STATS_FLOW,          /* one of several flows': FaspFlowStats */
  FASP_STATS_PATH,          /* one of several paths: FaspPathStats */
  FASP_STATS_SOURCE,        /* a peer's that is one of several sources: FaspSourceStats */
  FASP_STATS_SOURCE_CHANGE, /* the last change of a source: FaspSourceChangeStats */
  FASP_STATS_LEAD,          /* the source that leads, of several: FaspLeadStats */
  FASP_STATS_PRESENTATION,  /* when the stream is played: FaspPresentationStats */
  FASP_STATS_SUMMARY,       /* all peers together: FaspSummaryStats */
} FaspStatsOf;

#define FASP_STAT_TABLES (FASP_STATS_SUMMARY + 1)

/* Rows in the order in which they are shown. */
typedef struct
{
  const FaspStatField *fields;
  guint n;
} FaspStatTable;

extern const FaspStatTable fasp_stat_tables[FASP_STAT_TABLES];

/* The first field of that name that an element shows in its own structure or in a peer's.  NULL:
 * there is none. */
const FaspStatField *fasp_stat_find (const gchar *name);
/* The field of that name in one table.  NULL: there is none. */
const FaspStatField *fasp_stat_find_in (FaspStatsOf of, const gchar *name);
/* The name of the GType of the shown value: "guint64". */
const gchar *fasp_stat_get_type_name (FaspStatForm form);

G_END_DECLS
