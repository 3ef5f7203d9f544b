/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayconfigkeys.h: the keys of the configuration.
 */
#pragma once

#include "relaykey.h"

G_BEGIN_DECLS

/* Defaults of an input with backups, ms: a sender that is silent for a second counts as interrupted
 * (relayprotocolend.c), and an end that has run for ten has lasted (relayretry.h). */
#define RELAY_SWITCH_AFTER 1000
#define RELAY_WAIT_TO_RESTORE 10000

extern const RelayKey relay_section_keys[]; /* of [relay] */
extern const RelayKey relay_stream_keys[];  /* of [stream NAME] */
extern const RelayKey relay_user_keys[];    /* of [user NAME] */
extern const RelayKey relay_token_keys[];   /* of [token NAME] */
extern const RelayKey relay_hook_keys[];    /* of [hook NAME] */

G_END_DECLS
