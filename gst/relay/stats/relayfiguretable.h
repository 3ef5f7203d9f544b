/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayfiguretable.h: the figures of the relay, in one table.
 *
 * A row says what a figure is called, whose it is, where it is shown, and what it means; its value
 * is a member of a struct (relayfigures.h).  From the rows come /status.json, the summary of the
 * page, the answers of the API and their description (openapi.json), /metrics, the history, what
 * the page writes beside a figure, and fasp-relay --figures; tests/style/statistics compares
 * examples/monitoring with them.  So a new figure is a member, the line that fills it, and a row.
 *
 * Figures of the elements have their own table, faspstatfields.h in the core.
 */
#pragma once

#include <json-glib/json-glib.h>
#include "faspstatfields.h"

G_BEGIN_DECLS

/* The owner of a figure, and the struct that has it. */
typedef enum
{
  RELAY_OF_RELAY = 1 << 0,  /* RelayOwnFigures */
  RELAY_OF_STREAM = 1 << 1, /* RelayStreamFigures */
  RELAY_OF_INPUT = 1 << 2,  /* RelayEndFigures */
  RELAY_OF_OUTPUT = 1 << 3, /* RelayEndFigures */
  RELAY_OF_ENDS = RELAY_OF_INPUT | RELAY_OF_OUTPUT,
  RELAY_OF_SENDER = 1 << 4,   /* RelayPeerFigures */
  RELAY_OF_RECEIVER = 1 << 5, /* RelayPeerFigures */
  RELAY_OF_PEERS = RELAY_OF_SENDER | RELAY_OF_RECEIVER,
  RELAY_OF_SOURCE = 1 << 6,        /* RelaySourceFigures */
  RELAY_OF_PICTURE = 1 << 7,       /* RelayPictureStats */
  RELAY_OF_LEVEL = 1 << 8,         /* RelayLevelFigures */
  RELAY_OF_INPUT_ERROR = 1 << 9,   /* RelayErrorFigures */
  RELAY_OF_OUTPUT_ERROR = 1 << 10, /* RelayErrorFigures */
  RELAY_OF_ERRORS = RELAY_OF_INPUT_ERROR | RELAY_OF_OUTPUT_ERROR,
} RelayFigureOf;

#define RELAY_FIGURE_OWNERS 11

typedef enum
{
  RELAY_IN_STATUS = 1 << 0, /* /status.json */
  RELAY_IN_EVENTS = 1 << 1, /* /events: what the page shows */
  RELAY_IN_API = 1 << 2,
  RELAY_IN_METRICS = 1 << 3,
  RELAY_IN_HISTORY = 1 << 4, /* of a stream only; the page draws a chart of it */
  RELAY_IN_STATS = 1 << 5, /* a field of an element's statistics, which /events has anyway: the row
                              gives the page its label and unit */
} RelayFigureIn;

/* The type of the member, and of the JSON made from it. */
typedef enum
{
  RELAY_FORM_NAME,   /* const gchar *, a string */
  RELAY_FORM_TEXT,   /* const gchar *, a string; null if it is NULL or empty */
  RELAY_FORM_STATE,  /* RelayState, its name */
  RELAY_FORM_FLAG,   /* gboolean */
  RELAY_FORM_UINT,   /* guint, an integer */
  RELAY_FORM_UINT64, /* guint64, an integer */
  RELAY_FORM_INT64,  /* gint64, an integer */
  RELAY_FORM_NUMBER, /* gdouble, rounded as suits the unit; null if it is not finite */
  RELAY_FORM_TIME,   /* gint64, µs since 1970, ISO 8601; null if it is 0 */
} RelayFigureForm;

/* Further units, beside FaspStatUnit. */
enum
{
  RELAY_UNIT_S = FASP_UNITS,
  RELAY_UNIT_PIXELS,
  RELAY_UNIT_DBFS,
  RELAY_UNITS,
};

typedef struct
{
  const gchar *name;   /* as shown to users; empty: none */
  const gchar *word;   /* word of a figure's name that is left out of the metric's; NULL: none */
  const gchar *metric; /* the base unit of metrics, in which their names end; NULL: none */
  gdouble factor;      /* from the figure to the base unit */
  gdouble precision;   /* JSON numbers are rounded to a multiple of this */
} RelayUnit;

extern const RelayUnit relay_units[RELAY_UNITS];

typedef struct
{
  const gchar *name; /* in JSON; the metric's name is derived from it */
  guint of;          /* of RelayFigureOf */
  guint in;          /* of RelayFigureIn */
  RelayFigureForm form;
  guint unit; /* FaspStatUnit, or one of those above */
  FaspStatKind kind;
  gsize offset; /* in the struct, bytes */
  const gchar *meaning;
  const gchar *label;  /* on the page; NULL: the page does not show it as a figure */
  const gchar *metric; /* the metric's name; NULL: derived from the figure's name and unit */
} RelayFigure;

/* The next such row after @row; NULL: there is none. @row NULL: the first one. */
const RelayFigure *relay_figure_next (const RelayFigure *row, RelayFigureOf of, RelayFigureIn in);
/* "relay", "stream" ... */
const gchar *relay_figure_get_owner (RelayFigureOf of);

/* @figures: the owner's struct.  NAN: not known, or not a number. */
gdouble relay_figure_get_number (const RelayFigure *row, gconstpointer figures);
/* Makes an object of all figures of one owner that are shown in @in. */
JsonObject *relay_figures_to_object (RelayFigureOf of, RelayFigureIn in, gconstpointer figures);

/* The same for each of a list of structs; NULL: an empty array. */
JsonArray *relay_figures_to_array (RelayFigureOf of, RelayFigureIn in, const GArray *all);
/* Makes a metric's name: @owner (or empty), the words of @name without `total' and the unit's word,
 * and the base unit. */
gchar *relay_figures_make_metric (const gchar *owner, const gchar *name, guint unit);
/* Makes the name of a figure's metric, for one of its owners. */
gchar *relay_figure_make_metric (const RelayFigure *row, RelayFigureOf of);

/* Adds the figures to the schemas of openapi.json. */
void relay_figures_describe (JsonObject *schemas);
/* Returns labels, units and meanings for the page as JSON, a list for each owner. */
gchar *relay_figures_to_json (void);

G_END_DECLS
