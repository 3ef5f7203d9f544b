/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * tsfaults.h: each error of TR 101 290, made once in a stream that is good otherwise, and what is
 * nearly one.
 */
#pragma once

#include "tsmaker.h"

G_BEGIN_DECLS

/* When a fault begins, ns after the stream: its clocks have settled. */
#define FAULT_BEGINS (5 * TS_SECOND)
/* A stream so long has known the fault, and its end, ns. */
#define FAULT_STREAM (16 * TS_SECOND)
#define FAULT_ANY G_MAXUINT /* as often as it happens */

typedef struct
{
  const gchar *name;
  gboolean (*change) (Maker *maker, guint8 *packet);
  gint64 duration; /* ns */
  guint packets;   /* to change */
  struct
  {
    TsErrorKind kind;
    guint count;
  } wanted[3]; /* ended by a count of 0 */
} Fault;

extern const Fault faults[];
extern const guint n_faults;

const Fault *fault_find (const gchar *name);
/* The stream of this maker has the fault, of one maker at a time. */
void fault_begin (Maker *maker, const Fault *fault);
/* How often an error has to be counted; FAULT_ANY: once or more. */
guint fault_get_wanted (const Fault *fault, TsErrorKind kind);

/* Makes a stream of FAULT_STREAM with the fault. */
GBytes *fault_make_stream (const Fault *fault);

G_END_DECLS
