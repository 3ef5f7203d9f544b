/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayasking.h"
#include "relayauth.h"

typedef struct
{
  RelayAdmission *admission;
  RelayRequest *request;
} Open;

/* @refusal: as for RelayAuthFunc.  The role is that of the configuration whose server has
 * answered. */
static void
on_decided (const gchar *refusal, gpointer data)
{
  Open *open = data;
  const RelayApiRequest *asked = relay_request_get (open->request);
  RelayHooked hooked = refusal == NULL  ? RELAY_LET_IN :
      relay_auth_is_undecided (refusal) ? RELAY_UNDECIDED :
                                          RELAY_NOT_LET_IN;

  relay_request_decide (open->request, hooked,
      relay_admission_note_hooked (open->admission, hooked, asked->address, asked->network));
  g_free (open);
}

void
relay_asking_ask (RelayAdmission *admission, RelayRequest *request, const RelayAsk *ask)
{
  Open *open = g_new (Open, 1);
  RelayCredentials given;
  RelayQuestion question = {
    .action = g_str_equal (ask->path, RELAY_HTTP_METRICS) ? "metrics" : "api",
    .ip = ask->address,
  };

  *open = (Open) { admission, request };
  relay_access_read_credentials (ask->authorization, &given);
  question.user = given.user;
  question.password = given.password;
  question.token = given.token;
  switch (relay_auth_ask (&question, on_decided, open)) {
    case RELAY_AUTH_NO_SERVER: /* a reload has taken it away */
      on_decided ("there is no server of auth-url", open);
      break;
    case RELAY_AUTH_KNOWN:
      on_decided (NULL, open);
      break;
    case RELAY_AUTH_ASKED:
      break;
  }
  relay_access_clear_credentials (&given);
}
