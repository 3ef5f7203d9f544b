/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * accesshouse.h: a relay's API and its admission, with accounts, and each path that it has.
 */
#pragma once

#include "relayadmission.h"

G_BEGIN_DECLS

#define STREAMS \
  "[stream a]\ninput = fasp://:1\noutput = fasp://:2\n" \
  "[stream b]\ninput = fasp://:3\noutput = fasp://:4\n"
#define HASH \
  "$scrypt$ln=15,r=8,p=3$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

/* A relay's API and its admission, with a user and a token of each role, and a token for the
 * stream a. */
typedef struct
{
  RelayConfig *config;
  RelayApi *api;
  RelayAdmission *admission;
  RelayRole auth_role; /* of clients that the server of auth-url lets in; NONE: it is not asked */
  gchar *folder;
  gchar *cookies[RELAY_ROLE_ADMINISTER + 1]; /* of a user of each role */
} House;

/* Fill in auth_role before. */
void house_begin (House *house);
void house_end (House *house);

/* Returns the status with which a client is refused; 0: it is not. */
guint house_expect (RelayRole has, RelayRole needs);
/* Replaces the variables of a path. */
gchar *house_fill (const gchar *pattern, const gchar *stream);

/* @needs: the least role of the operation. */
typedef void (*HouseCheck) (House *house, const gchar *method, const gchar *pattern,
    RelayRole needs);
/* Checks each path of openapi.json, with each method. */
void house_check_paths (House *house, HouseCheck check);

G_END_DECLS
