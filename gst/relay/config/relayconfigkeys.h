/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayconfigkeys.h: the keys of the configuration.
 */
#pragma once

#include "relaykey.h"

G_BEGIN_DECLS

extern const RelayKey relay_section_keys[]; /* of [relay] */
extern const RelayKey relay_stream_keys[];  /* of [stream NAME] */

G_END_DECLS
