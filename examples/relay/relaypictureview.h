/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relaypictureview.h: a stream's picture and levels as they are shown: as a page, and in JSON.
 */
#pragma once

#include <json-glib/json-glib.h>
#include "relayhttp.h"
#include "relaystream.h"

G_BEGIN_DECLS

/* Makes the page picture.jpg. @stream: NULL: there is none of that name. */
void relay_picture_show (const RelayStreamStats *stream, RelayPage *page);

/* Adds `picture' and `levels', which are null and empty if there are no pictures. */
void relay_picture_describe (const RelayPictureStats *stats, JsonObject *object);
/* The same in short: `levels' are the peaks alone. */
void relay_picture_summarize (const RelayPictureStats *stats, JsonObject *object);

G_END_DECLS
