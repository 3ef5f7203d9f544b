/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaypictureview.h: a stream's picture and levels as they are shown in JSON.
 */
#pragma once

#include <json-glib/json-glib.h>
#include "relaystream.h"

G_BEGIN_DECLS

/* Adds `picture' and `levels', which are null and empty if there are no pictures. */
void relay_picture_describe (const RelayPictureStats *stats, JsonObject *object);
/* The same in short: `levels' are the peaks alone. */
void relay_picture_summarize (const RelayPictureStats *stats, JsonObject *object);

G_END_DECLS
