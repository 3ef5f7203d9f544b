/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayconfigkeys.h: the keys of the configuration.
 */
#pragma once

#include "relaykey.h"

G_BEGIN_DECLS

extern const RelayKey relay_section_keys[]; /* of [relay] */
extern const RelayKey relay_stream_keys[];  /* of [stream NAME] */
extern const RelayKey relay_user_keys[];    /* of [user NAME] */
extern const RelayKey relay_token_keys[];   /* of [token NAME] */

G_END_DECLS
