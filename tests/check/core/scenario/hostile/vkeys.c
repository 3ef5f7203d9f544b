/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>
#include "vkeys.h"

/* The private key of somebody, from a number. */
static void
make_key (guint8 who, guint8 key[FASP_KEY_SIZE])
{
  memset (key, who, FASP_KEY_SIZE);
}

static void
allow (FaspCredentials *credentials, guint8 who, const gchar *name)
{
  guint8 key[FASP_KEY_SIZE], public_key[FASP_KEY_SIZE];

  make_key (who, key);
  fasp_x25519_public (key, public_key);
  fasp_credentials_allow (credentials, public_key, name);
}

static FaspCredentials *
make_credentials (const VKeys *keys)
{
  FaspCredentials *credentials = fasp_credentials_new ();
  guint8 key[FASP_KEY_SIZE];

  if (keys->secret != 0) {
    make_key (keys->secret, key);
    fasp_credentials_set_psk (credentials, key);
  }
  if (keys->own != 0) {
    make_key (keys->own, key);
    fasp_credentials_set_key (credentials, key);
  }
  if (keys->peer != 0)
    allow (credentials, keys->peer, "somebody");
  if (keys->cipher >= 0)
    fasp_credentials_set_cipher (credentials, keys->cipher);
  return credentials;
}

void
vkeys_set (VCast *n, VnetSide side, const VKeys *keys)
{
  FaspEndpointConfig *c = side == VNET_A ? &n->sender : &n->receiver;

  fasp_credentials_unref (c->credentials);
  c->credentials = make_credentials (keys);
}

void
vkeys_begin (VCast *n, const VKeys *keys)
{
  vkeys_set (n, VNET_A, keys);
  vkeys_set (n, VNET_B, keys);
  vcast_begin (n, VNET_B);
}

const VKeys vkeys_nobody = { .cipher = -1 };

const VKeys vkeys_secret = { .secret = 7, .cipher = -1 };
