/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayfields.h: the fields of statistics that only ends of other protocols have
 * (relayprotocolend.c, and add_figures() of a protocol).  Without a row, a field is no counter that
 * outlives an element, and its metric has the type `unknown'.
 */
#pragma once

#include "faspstatfields.h"

G_BEGIN_DECLS

/* NULL: @name is not one of these fields. */
const FaspStatField *relay_fields_find (const gchar *name);

G_END_DECLS
