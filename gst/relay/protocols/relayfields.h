/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayfields.h: the fields of statistics that only ends of other protocols have
 * (relayprotocolend.c, and add_figures() of a protocol).  Without a row, a field is no counter that
 * outlives an element, and its metric has the type `unknown'.
 */
#pragma once

#include <gio/gio.h>
#include <gst/gst.h>
#include "faspstatfields.h"

G_BEGIN_DECLS

/* NULL: @name is not one of these fields. */
const FaspStatField *relay_fields_find (const gchar *name);
/* Copies the fields @theirs of a GStreamer element, ended by NULL, as @ours: the names that faspsrc
 * and faspsink have for them.  Leaves out a field that is missing.  Integers become guint64; a
 * guint64 in ns becomes ms if our name ends in `-ms', and is left out if it is 0: not known yet. */
void relay_fields_copy (const GstStructure *from, const gchar *const *theirs,
    const gchar *const *ours, GstStructure *to);
/* Sets the fields of a peer's address. */
void relay_fields_set_address (GstStructure *peer, GSocketAddress *address);

G_END_DECLS
