/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * ratereport.h: what the programs behind bench-throughput print at their end: a
 * line of JSON with bytes, seconds, gbit_s, and the CPU seconds of the process.
 */
#pragma once

#include <glib.h>

/* @first, @last: of the bytes, µs. Further counts: pairs of a name and a guint64, and
 * NULL. */
void rate_report (guint64 bytes, gint64 first, gint64 last, ...) G_GNUC_NULL_TERMINATED;
