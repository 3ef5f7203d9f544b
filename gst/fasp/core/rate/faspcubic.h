/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspcubic.h: the window of CUBIC (RFC 9438), bytes.  A sender that shares a queue with senders
 * that fill it must fill it, too, or it starves.
 */
#pragma once

#include "fasprate.h"

G_BEGIN_DECLS

/* The factor by which a loss reduces the window (RFC 9438, section 4.6). */
#define FASP_CUBIC_BETA .7

typedef struct
{
  gdouble window; /* packets */
  gdouble most;   /* W_max: the window before it was last reduced */
  gdouble first;  /* the window at the beginning of this epoch */
  FaspTime epoch; /* when this epoch began */
  gdouble reno;   /* W_est: the window that Reno would have */
} FaspCubic;

void fasp_cubic_begin (FaspCubic *cubic, FaspTime now, gdouble bytes);
/* @bytes were confirmed.  The round trip takes @rtt µs. */
void fasp_cubic_grow (FaspCubic *cubic, FaspTime now, FaspTime rtt, gdouble bytes);
/* A queue has overflowed; at most once in a round trip. */
void fasp_cubic_reduce (FaspCubic *cubic, FaspTime now);
gdouble fasp_cubic_get_window (const FaspCubic *cubic);

G_END_DECLS
