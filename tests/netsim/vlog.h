/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vlog.h: the decision logs of the endpoints of a simulated network.
 *
 * A test that fails prints the end of each: when it aborts, as after a failed assertion,
 * and when the network is freed after g_test_fail().  FASP_LOG=DIRECTORY writes all of them
 * there, of benches, too.  In a bench nothing is logged otherwise.
 */
#pragma once

#include "faspendpoint.h"

G_BEGIN_DECLS

#define VLOG_END 40 /* events that are printed of each */

typedef struct _Vlog Vlog;

/* A network begins, or ends.  Logs of the networks before are forgotten when the next begins. */
void vlog_begin (void);
void vlog_end (void);
/* Follows @endpoint from now on; @log: what followed one of that name before, or NULL.  Returns
 * NULL if nothing is logged, or too many are followed.  It is never freed. */
Vlog *vlog_follow (Vlog *log, FaspEndpoint *endpoint, const gchar *name);
/* Endpoints that come from now on are not followed, or are again: to compare. */
void vlog_set_off (gboolean off);
/* Takes what the endpoint has logged since. */
void vlog_take (Vlog *log, FaspEndpoint *endpoint);

G_END_DECLS
