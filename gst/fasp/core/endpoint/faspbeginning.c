/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspbeginning.h"
#include "faspcallingprivate.h"
#include "faspadmitted.h"
#include "faspdial.h"
#include "faspencoder.h"
#include "fasphistory.h"
#include "fasphold.h"
#include "fasplimits.h"
#include "faspmulticast.h"
#include "faspreading.h"
#include "faspstreamid.h"
#include "faspretention.h"
#include "faspwriting.h"

FaspSession *
fasp_beginning_make (FaspEndpoint *endpoint, FaspTime now, const FaspAddress *peer,
    const FaspHello *hello, const FaspHello *ours, const guint8 nonce[FASP_NONCE_SIZE])
{
  const FaspEndpointConfig *config = &endpoint->config;
  guint8 secret[FASP_PING_SECRET];
  guint flows = MIN (config->flows, hello->flows);
  FaspSession *session;
  guint64 seed;

  endpoint->random (endpoint->random_data, secret, sizeof secret);
  session = fasp_session_new (config->role, ours->cid, now, peer, flows, secret,
      g_new0 (FaspSessionRecord, 1));
  if (hello->datagram_max > 0)
    session->sizes.datagram_max = CLAMP (hello->datagram_max, FASP_PMTU_BASE, FASP_DATAGRAM_MAX);
  fasp_session_set_rekeying (session, config->rekey_interval, config->rekey_datagrams,
      endpoint->random, endpoint->random_data);
  session->notes.trace = endpoint->notes.trace;
  session->notes.log = fasp_log_new_session (endpoint->notes.log, ours->cid);
  session->peer_id = hello->cid;
  session->liveness.resume_timeout = config->resume_timeout;
  session->terms.latency = fasp_latency_agree (config->settings.latency_ms, hello->latency_ms);
  memcpy (session->record->nonce, nonce, FASP_NONCE_SIZE);
  if (config->role == FASP_ROLE_SENDER) {
    session->record->start = (FaspSessionStart) {
      .block = ours->start,
      .position = ours->position,
      .has_header = ours->has_header,
      .previous = hello->wants.from,
      .live_from = fasp_history_begins_in_past (endpoint, ours->start) ?
          fasp_store_get_head (endpoint->store) :
          0,
    };
    fasp_session_send (session, now,
        &(FaspTxConfig) {
            .store = endpoint->store,
            .planner = endpoint->planner,
            .log = session->notes.log,
            .start = ours->start,
            .window = hello->window,
            .latency = session->terms.latency,
            .interval = config->settings.glitch_interval,
            .no_rtx = config->no_rtx,
            .fec = config->fec,
            .fec_share = config->fec_share,
            .fec_window = hello->fec,
        });
    /* without receive timestamps of the peer, the rate is max-bitrate; if that is 0, the
     * controller's first one */
    fasp_session_control (session, now,
        hello->timestamps > 0 || config->settings.max_bitrate == 0 ? config->rate_control :
                                                                     FASP_RATE_CONTROL_FIXED,
        config->settings.min_bitrate, config->settings.max_bitrate);
    session->paths.flowlets = config->flowlets;
    session->paths.has_arrivals = hello->timestamps > 0 && fasp_endpoint_config_controls (config);
    fasp_pacer_init (&session->pacer, config->settings.max_bitrate,
        fasp_pacer_choose_burst (config->settings.max_bitrate, 0));
    endpoint->random (endpoint->random_data, (guint8 *) &seed, sizeof seed);
    fasp_multipath_init (&session->multipath, config->assignment, flows, seed, now);
    session->flow_choice.duplicates = config->assignment == FASP_ASSIGNMENT_DUPLICATE;
    session->terms.has_fec = fasp_tx_get_fec (session->tx)->mode != FASP_FEC_OFF;
    session->terms.sends_offsets = hello->wants.offsets;
    fasp_writing_begins (endpoint);
  } else {
    fasp_session_receive (session, now, hello->start, fasp_endpoint_get_window (endpoint));
    fasp_reading_begin (endpoint, session, hello);
    fasp_rx_set_give_up (session->rx, config->settings.too_late_skip);
    session->terms.sends_timestamps = hello->timestamps > 0;
    fasp_feedback_set_eager (fasp_rx_get_feedback (session->rx),
        session->terms.sends_timestamps || flows > 1);
    if (config->fec != FASP_FEC_OFF && hello->fec > 0)
      fasp_rx_set_fec (session->rx, now, FASP_FEC_WINDOW_MAX);
  }
  fasp_total_share_init (&session->shared.share, session);
  if (config->role == FASP_ROLE_SENDER)
    session->shared.total = &endpoint->shared.total;
  FASP_LOG (session->notes.log, now, SESSION_STARTED, FASP_LOG_POINTER (peer), hello->cid, flows,
      session->terms.latency.latency,
      config->role == FASP_ROLE_SENDER ? ours->start : hello->start);
  fasp_endpoint_add (endpoint, session);
  return session;
}

void
fasp_beginning_opened (FaspEndpoint *endpoint, FaspTime now, FaspSession *session)
{
  g_autofree gchar *shown =
      session->streamid != NULL ? fasp_streamid_show (session->streamid) : NULL;

  session->record->notified.connected = TRUE;
  FASP_LOG (session->notes.log, now, SESSION_CONNECTED,
      FASP_LOG_POINTER (fasp_session_get_address (session)), FASP_LOG_POINTER (shown),
      session->role == FASP_ROLE_SENDER ? (gint64) fasp_tx_get_base (session->tx) :
                                          FASP_LOG_UNKNOWN);
  fasp_dial_connected (endpoint);
  fasp_admitted_left (endpoint, session);
  session->shared.share.network =
      fasp_networks_join (endpoint->calling->admitted.networks, &session->record->network);
  if (session->listener && session->role == FASP_ROLE_SENDER)
    fasp_newcomers_add (endpoint->calling->admitted.newcomers, session);
  endpoint->stats.sessions++;
  fasp_endpoint_push_event (endpoint, FASP_EVENT_CONNECTED, session)->start.in_the_middle =
      endpoint->store != NULL && fasp_writing_is_in_the_middle (endpoint, session);
  fasp_hold_end (endpoint, now, "taken");
  if (endpoint->store == NULL)
    return;
  fasp_history_mark_offset (endpoint, now, session);
  fasp_multicast_opened (endpoint, now, session);
  fasp_retention_note_first_needed (endpoint, session);
  fasp_writing_fit_blocks (endpoint);
  fasp_writing_opened (endpoint, now, session);
  fasp_encoder_joined (endpoint, now, session);
  if (!fasp_store_is_finished (endpoint->store))
    endpoint->stats.bytes_unconfirmed = 0;
}
