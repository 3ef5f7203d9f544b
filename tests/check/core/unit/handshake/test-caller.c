/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The caller's end of a handshake.
 */
#include <string.h>
#include "faspcaller.h"
#include "faspcredentials.h"
#include "faspnoise.h"
#include "faspwirehello.h"

/* The ACCEPT of a listener that has the group's key @key, to the call of @caller; @message has
 * room for it. */
static FaspHandshake
accept_with_key (const FaspCaller *caller, FaspCredentials *credentials,
    const guint8 key[FASP_GROUP_KEY_SIZE], guint8 message[FASP_MESSAGE_MAX])
{
  FaspHello hello = {
    .role = FASP_ROLE_SENDER,
    .cid = 2,
    .flows = 1,
    .n_ciphers = 1,
    .ciphers = { FASP_CIPHER_AES_128_GCM },
    .has_group_key = TRUE,
  };
  FaspHandshake accept = {
    .type = FASP_HANDSHAKE_ACCEPT,
    .version = FASP_VERSION,
    .to_cid = caller->open.from_cid,
    .from_cid = 2,
    .message = message,
  };
  const guint8 ephemeral[FASP_KEY_SIZE] = { 2 };
  guint8 payload[FASP_MESSAGE_MAX];
  FaspWriter p = { payload, sizeof payload }, m = { message, FASP_MESSAGE_MAX };
  FaspNoise noise;
  gsize size;

  fasp_credentials_begin (credentials, FALSE, &caller->open, ephemeral, &noise);
  g_assert_true (fasp_noise_read (&noise, caller->open.message, caller->open.message_size, payload,
      &size));
  memcpy (hello.group_key.key, key, FASP_GROUP_KEY_SIZE);
  hello.group_key.cid = 3;
  hello.group_key.cipher = FASP_CIPHER_AES_128_GCM;
  fasp_wire_write_hello (&p, &hello);
  g_assert_true (fasp_noise_write (&noise, payload, p.used, &m));
  memcpy (accept.nonce, caller->open.nonce, FASP_NONCE_SIZE);
  accept.message_size = m.used;
  return accept;
}

/* Nor does an answer that is not taken leave the key of a group behind. */
static void
test_forgets_group (void)
{
  static const guint8 zeros[FASP_GROUP_KEY_SIZE];
  const FaspHello hello = { .role = FASP_ROLE_RECEIVER, .flows = 1 };
  const guint8 nonce[FASP_NONCE_SIZE] = { 1 }, ephemeral[FASP_KEY_SIZE] = { 1 };
  const guint8 key[FASP_GROUP_KEY_SIZE] = "The group's key";
  FaspCredentials *credentials = fasp_credentials_new ();
  guint8 message[FASP_MESSAGE_MAX];
  FaspAgreement agreement = { 0 };
  FaspHandshake accept;
  FaspCaller caller;

  fasp_caller_start (&caller, 0, 1, nonce, &hello, credentials, ephemeral);
  accept = accept_with_key (&caller, credentials, key, message);
  accept.from_cid = 4; /* not what its message says */
  g_assert_cmpint (fasp_caller_receive (&caller, 0, &accept, &agreement), ==, FASP_CALLER_FORGED);
  g_assert_cmpmem (agreement.hello.group_key.key, sizeof key, zeros, sizeof key);
  accept.from_cid = 2;
  g_assert_cmpint (fasp_caller_receive (&caller, 0, &accept, &agreement), ==, FASP_CALLER_ACCEPTED);
  g_assert_cmpmem (agreement.hello.group_key.key, sizeof key, key, sizeof key);
  fasp_caller_stop (&caller);
  fasp_credentials_unref (credentials);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/secure/forgets-group", test_forgets_group);
  return g_test_run ();
}
