/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * delayline.h: packets under way on a network. They leave in order of time; among equal
 * times, first in, first out. A binary heap.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _DelayLine DelayLine;

DelayLine *delay_line_new (GDestroyNotify free_item);
void delay_line_free (DelayLine *line);
guint delay_line_length (const DelayLine *line);
void delay_line_push (DelayLine *line, gint64 when, gpointer item);
/* When the first item is due; G_MAXINT64: there is none. */
gint64 delay_line_due (const DelayLine *line);
/* The first item if it is due at @now; else NULL. */
gpointer delay_line_pop (DelayLine *line, gint64 now);

G_END_DECLS
