/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayretry.h: when outputs of one stream that have failed are opened again.
 *
 * The first time after 0.1 s.  If an output then does not last for 10 s, the delay doubles each
 * time, up to 10 s.  Used in the main context only.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define RELAY_RETRY_FIRST 100 /* ms */
#define RELAY_RETRY_MAX 10000
/* After an output has run for this long, µs, its delay begins with RELAY_RETRY_FIRST again. */
#define RELAY_RETRY_LASTED (10 * G_USEC_PER_SEC)

typedef struct _RelayRetry RelayRetry;

/* Returns the next delay in ms. @delay: the last one; 0: there was none. @lasted: the output has
 * run for RELAY_RETRY_LASTED. */
guint relay_retry_next (guint delay, gboolean lasted);

/* Called from the main context when it is time for an output. FALSE: it cannot be opened yet, and
 * waits again, as long as before. It must not call a function of this file that changes the output.
 */
typedef gboolean (*RelayRetryFunc) (guint id, gpointer data);

RelayRetry *relay_retry_new (RelayRetryFunc func, gpointer data);
void relay_retry_free (RelayRetry *retry);

/* The output has failed. Returns the delay after which it is opened again, ms. */
guint relay_retry_failed (RelayRetry *retry, guint id, gboolean lasted);
gboolean relay_retry_waits (const RelayRetry *retry, guint id);
guint relay_retry_count (const RelayRetry *retry);
/* The output was removed or replaced. */
void relay_retry_forget (RelayRetry *retry, guint id);
void relay_retry_forget_all (RelayRetry *retry);

G_END_DECLS
