/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspwirehello.h: the messages before there is a session, and their limits: handshake datagrams,
 * and the hello inside them. Part of the wire format, with the same rules as faspwire.h.
 */
#pragma once

#include "fasplimits.h"
#include "faspposition.h"
#include "faspwire.h"

G_BEGIN_DECLS

#define FASP_VERSION 5
#define FASP_NONCE_SIZE 16
#define FASP_COOKIE_SIZE 40
#define FASP_PROOF_SIZE 16
#define FASP_GROUP_KEY_SIZE 32
#define FASP_OPEN_SIZE 1200 /* an OPEN is padded to this */
#define FASP_HANDSHAKE_HEADER 26
/* Largest message in an OPEN with a cookie. The pattern and the length precede it. */
#define FASP_MESSAGE_MAX (FASP_OPEN_SIZE - FASP_HANDSHAKE_HEADER - 1 - FASP_COOKIE_SIZE - 1 - 2)
#define FASP_PROLOGUE_SIZE (4 + FASP_HANDSHAKE_HEADER + 1)

/* --- handshake datagrams ------------------------------------------------------- */

typedef enum
{
  FASP_HANDSHAKE_OPEN = 1,
  FASP_HANDSHAKE_RETRY = 2,
  FASP_HANDSHAKE_ACCEPT = 3,
  FASP_HANDSHAKE_REJECT = 4,
  FASP_HANDSHAKE_VERSIONS = 5,
  FASP_HANDSHAKE_PUNCH = 6,
  FASP_HANDSHAKE_ANNOUNCE = 7,
} FaspHandshakeType;

typedef struct
{
  FaspHandshakeType type;
  guint8 version;
  guint32 to_cid, from_cid;
  guint8 nonce[FASP_NONCE_SIZE]; /* the caller's; ANNOUNCE: the group's number */
  /* OPEN (the cookie may be empty), RETRY */
  guint8 cookie_size;
  guint8 cookie[FASP_COOKIE_SIZE];
  guint8 pattern; /* OPEN: a FaspNoisePattern, or an unknown one */
  /* OPEN, ACCEPT: a handshake message, not copied */
  const guint8 *message;
  guint16 message_size;
  /* REJECT */
  guint16 reason;
  gchar text[FASP_TEXT_MAX + 1];
  /* VERSIONS */
  guint8 n_versions;
  guint8 versions[16];
} FaspHandshake;

/* FALSE: malformed. If the version is unknown, only type, version, connection ids and
 * nonce are filled in. */
gboolean fasp_wire_parse_handshake (const guint8 *data, gsize size, FaspHandshake *handshake);
/* Pads an OPEN to FASP_OPEN_SIZE. */
void fasp_wire_write_handshake (FaspWriter *w, const FaspHandshake *handshake);
/* The cleartext of an OPEN: "fasp", its header and its pattern. The handshake authenticates it, so
 * that both ends have seen the same. */
void fasp_wire_write_prologue (FaspWriter *w, const FaspHandshake *open);

/* --- hello --------------------------------------------------------------------- */

/* The data that a member needs to receive from its group. */
typedef struct
{
  guint32 cid; /* connection id in the group's datagrams */
  guint8 cipher;
  guint64 pn;                      /* number of its next packet */
  guint8 key[FASP_GROUP_KEY_SIZE]; /* the key of that packet's phase */
  guint members;
  guint back_off, clock; /* µs, ms: see faspnackbackoff.h */
} FaspGroupKey;

/* The payload of the messages in OPEN and ACCEPT: the writer's description of itself. */
typedef struct
{
  guint8 role;
  guint32 latency_ms;
  gchar streamid[FASP_STREAMID_MAX + 1];
  guint64 start;        /* sender: first block */
  guint32 window;       /* receiver: in units */
  guint16 datagram_max; /* largest UDP payload that the writer receives; 0: not given */
  gboolean has_resume;
  guint32 resume_cid; /* OPEN: the listener's connection id in the session to resume */
  guint8 resume_proof[FASP_PROOF_SIZE];
  guint32 cid;     /* the writer's connection id, as in the header */
  guint n_ciphers; /* OPEN: the caller's, best first; ACCEPT: the one chosen */
  guint8 ciphers[FASP_CIPHERS];
  guint8 flows;              /* OPEN: most flows that can be used; ACCEPT: flows in use */
  guint16 fec;               /* blocks in a repair's window; receiver: that it can decode; sender:
                                that it would send; 0: no FEC */
  guint8 timestamps;         /* receive timestamps in a FEEDBACK; receiver: the most that it can
                                report; sender: not 0 if it wants them; 0: none */
  FaspStreamOffset position; /* sender: of the first byte of block `start' */
  gboolean has_header;       /* sender: a receiver that has no bytes of the stream needs its
                                header */
  FaspWants wants;           /* receiver */
  gboolean has_group;        /* receiver: listens to a group */
  gboolean has_group_key;    /* sender: gives the key of that group */
  FaspGroupKey group_key;
  gboolean unsupported; /* the hello has an unknown critical option */
} FaspHello;

/* FALSE: malformed, or without a role or connection id. */
gboolean fasp_wire_parse_hello (const guint8 *data, gsize size, FaspHello *hello);
void fasp_wire_write_hello (FaspWriter *w, const FaspHello *hello);

G_END_DECLS
