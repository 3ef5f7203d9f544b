/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * linkoptions.h: the impairments of both directions from the command line, and their
 * changes while the link runs.
 */
#pragma once

#include <glib.h>
#include "impair.h"

G_BEGIN_DECLS

typedef enum
{
  LINK_A,
  LINK_B,
} LinkSide;

typedef struct
{
  gint64 when;         /* µs from the start */
  gchar *name, *value; /* as on the command line, without the leading dashes */
} LinkChange;

typedef struct
{
  ImpairConfig wires[2]; /* by the side that they start from */
  GArray *changes;       /* LinkChange, by time */
  guint32 seed;
  gint mtu;
  gchar *stats;       /* file for the figures */
  gint64 seconds;     /* µs after which to stop; 0: do not */
  gboolean spin;      /* keep a core busy, to be less late */
  gchar *listen, *to; /* for the relay */
  gint64 rebind;      /* relay: µs after which B sees clients at new ports; 0: never */
} LinkOptions;

/* Parses and removes the options in front of COMMAND. @relay chooses the set of
 * options. Errors say what to write instead. */
gboolean link_options_parse (LinkOptions *options, gboolean relay, gint *argc, gchar ***argv,
    GError **error);
void link_options_clear (LinkOptions *options);
/* Applies the changes that are due at @now µs from the start. */
void link_options_change (LinkOptions *options, ImpairConfig *a, ImpairConfig *b, gint64 now);
/* When the next change is due, µs from the start; G_MAXINT64: never. */
gint64 link_options_due (const LinkOptions *options);

G_END_DECLS
