/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspwirehello.h"
#include "faspwireprivate.h"

enum
{
  OPTION_END = 0,
  OPTION_ROLE = 1,
  OPTION_LATENCY = 2,
  OPTION_STREAMID = 3,
  OPTION_START = 4,
  OPTION_WINDOW = 5,
  OPTION_DATAGRAM_MAX = 6,
  OPTION_RESUME = 7,
  OPTION_CID = 8,
  OPTION_CIPHERS = 9,
  OPTION_FLOWS = 10,
  OPTION_FEC = 11,
  OPTION_TIMESTAMPS = 12,
  OPTION_POSITION = 13,
  OPTION_WANTS = 14,
  OPTION_GROUP = 15,
  OPTION_GROUP_KEY = 16,
  OPTION_HEADER = 17,
  OPTION_OFFSETS = 18,
  OPTION_CRITICAL = 128, /* ids from here on must be understood */
};

/* --- handshake datagrams ----------------------------------------------------- */

static void
read_message (FaspReader *r, FaspHandshake *h)
{
  h->message_size = fasp_read_uint (r, 2);
  h->message = fasp_read_bytes (r, h->message_size);
  if (h->message_size > FASP_MESSAGE_MAX)
    r->failed = TRUE;
}

gboolean
fasp_wire_parse_handshake (const guint8 *data, gsize size, FaspHandshake *h)
{
  FaspReader r = { data, size };
  guint8 first;

  memset (h, 0, sizeof (*h));
  first = fasp_read_uint (&r, 1);
  if (r.failed || (first & 0xf0) != FASP_FIRST_HANDSHAKE)
    return FALSE;
  h->type = first & 0x0f;
  h->version = fasp_read_uint (&r, 1);
  h->to_cid = fasp_read_uint (&r, 4);
  h->from_cid = fasp_read_uint (&r, 4);
  if (!fasp_read_copy (&r, h->nonce, FASP_NONCE_SIZE))
    return FALSE;
  if (h->version != FASP_VERSION && h->type != FASP_HANDSHAKE_VERSIONS)
    return TRUE;

  switch (h->type) {
    case FASP_HANDSHAKE_OPEN:
    case FASP_HANDSHAKE_RETRY:
      h->cookie_size = fasp_read_uint (&r, 1);
      if (h->cookie_size != FASP_COOKIE_SIZE
          && (h->cookie_size != 0 || h->type == FASP_HANDSHAKE_RETRY))
        return FALSE;
      fasp_read_copy (&r, h->cookie, h->cookie_size);
      if (h->type == FASP_HANDSHAKE_OPEN) {
        h->pattern = fasp_read_uint (&r, 1);
        read_message (&r, h);
      }
      break;
    case FASP_HANDSHAKE_ACCEPT:
      read_message (&r, h);
      break;
    case FASP_HANDSHAKE_REJECT:
      h->reason = fasp_read_uint (&r, 2);
      fasp_wire_read_text (&r, fasp_read_uint (&r, 1), FASP_TEXT_MAX, h->text);
      break;
    case FASP_HANDSHAKE_VERSIONS:
      h->n_versions = fasp_read_uint (&r, 1);
      if (h->n_versions > sizeof (h->versions))
        return FALSE;
      fasp_read_copy (&r, h->versions, h->n_versions);
      break;
    case FASP_HANDSHAKE_PUNCH:
    case FASP_HANDSHAKE_ANNOUNCE:
      break;
    default:
      return FALSE;
  }
  return !r.failed;
}

static void
write_header (FaspWriter *w, const FaspHandshake *h)
{
  fasp_write_uint (w, FASP_FIRST_HANDSHAKE | h->type, 1);
  fasp_write_uint (w, h->version, 1);
  fasp_write_uint (w, h->to_cid, 4);
  fasp_write_uint (w, h->from_cid, 4);
  fasp_write_bytes (w, h->nonce, FASP_NONCE_SIZE);
}

static void
write_message (FaspWriter *w, const FaspHandshake *h)
{
  fasp_write_uint (w, h->message_size, 2);
  fasp_write_bytes (w, h->message, h->message_size);
}

void
fasp_wire_write_prologue (FaspWriter *w, const FaspHandshake *open)
{
  fasp_write_bytes (w, "fasp", 4);
  write_header (w, open);
  fasp_write_uint (w, open->pattern, 1);
}

void
fasp_wire_write_handshake (FaspWriter *w, const FaspHandshake *h)
{
  static const guint8 zeros[FASP_OPEN_SIZE];

  write_header (w, h);
  switch (h->type) {
    case FASP_HANDSHAKE_OPEN:
    case FASP_HANDSHAKE_RETRY:
      fasp_write_uint (w, h->cookie_size, 1);
      fasp_write_bytes (w, h->cookie, h->cookie_size);
      if (h->type == FASP_HANDSHAKE_OPEN) {
        fasp_write_uint (w, h->pattern, 1);
        write_message (w, h);
        if (w->used < FASP_OPEN_SIZE)
          fasp_write_bytes (w, zeros, FASP_OPEN_SIZE - w->used);
      }
      break;
    case FASP_HANDSHAKE_ACCEPT:
      write_message (w, h);
      break;
    case FASP_HANDSHAKE_REJECT:
      fasp_write_uint (w, h->reason, 2);
      fasp_wire_write_text (w, h->text);
      break;
    case FASP_HANDSHAKE_VERSIONS:
      fasp_write_uint (w, h->n_versions, 1);
      fasp_write_bytes (w, h->versions, h->n_versions);
      break;
    case FASP_HANDSHAKE_PUNCH:
    case FASP_HANDSHAKE_ANNOUNCE:
      break;
  }
  if (w->used < FASP_DATAGRAM_MIN)
    fasp_write_bytes (w, zeros, FASP_DATAGRAM_MIN - w->used);
}

/* --- hello -------------------------------------------------------------------- */

static void
read_start (FaspReader *r, FaspHello *h)
{
  h->start = fasp_read_uint (r, 8);
  if (h->start > FASP_BLOCK_MAX)
    r->failed = TRUE;
}

static void
read_resume (FaspReader *r, FaspHello *h)
{
  h->resume_cid = fasp_read_uint (r, 4);
  h->has_resume = fasp_read_copy (r, h->resume_proof, FASP_PROOF_SIZE);
}

static void
read_ciphers (FaspReader *r, FaspHello *h)
{
  h->n_ciphers = 0;
  while (r->left > 0) {
    guint8 cipher = fasp_read_uint (r, 1);

    /* unknown ciphers are ignored */
    if (cipher < FASP_CIPHERS && h->n_ciphers < FASP_CIPHERS)
      h->ciphers[h->n_ciphers++] = cipher;
  }
}

static void
read_flows (FaspReader *r, FaspHello *h)
{
  h->flows = fasp_read_uint (r, 1);
  if (h->flows == 0 || h->flows > FASP_FLOWS_MAX)
    r->failed = TRUE;
}

static void
read_wants (FaspReader *r, FaspWants *wants)
{
  guint8 join = fasp_read_uint (r, 1);

  wants->join = join <= FASP_JOIN_BACK ? join : FASP_JOIN_ANY;
  wants->back_ms = fasp_read_uint (r, 4);
  if (r->left > 0)
    fasp_stream_offset_read (r, &wants->from);
}

static void
read_group_key (FaspReader *r, FaspHello *h)
{
  FaspGroupKey *k = &h->group_key;

  k->cid = fasp_read_uint (r, 4);
  k->cipher = fasp_read_uint (r, 1);
  k->pn = fasp_read_uint (r, 8);
  h->has_group_key = fasp_read_copy (r, k->key, FASP_GROUP_KEY_SIZE);
  k->members = fasp_read_uint (r, 2);
  k->back_off = fasp_read_uint (r, 4);
  k->clock = fasp_read_uint (r, 2);
}

static void
read_unknown (FaspReader *r, guint8 id, FaspHello *h)
{
  if (id >= OPTION_CRITICAL)
    h->unsupported = TRUE;
  fasp_read_bytes (r, r->left);
}

/* Reads one option of a hello. @r: holds the value of the option, and no more. */
static void
read_option (FaspReader *r, guint8 id, FaspHello *h)
{
  switch (id) {
    case OPTION_ROLE:
      h->role = fasp_read_uint (r, 1);
      break;
    case OPTION_LATENCY:
      h->latency_ms = fasp_read_uint (r, 4);
      break;
    case OPTION_STREAMID:
      fasp_wire_read_text (r, r->left, FASP_STREAMID_MAX, h->streamid);
      break;
    case OPTION_START:
      read_start (r, h);
      break;
    case OPTION_WINDOW:
      h->window = fasp_read_uint (r, 4);
      break;
    case OPTION_DATAGRAM_MAX:
      h->datagram_max = fasp_read_uint (r, 2);
      break;
    case OPTION_RESUME:
      read_resume (r, h);
      break;
    case OPTION_CID:
      h->cid = fasp_read_uint (r, 4);
      break;
    case OPTION_CIPHERS:
      read_ciphers (r, h);
      break;
    case OPTION_FLOWS:
      read_flows (r, h);
      break;
    case OPTION_FEC:
      h->fec = fasp_read_uint (r, 2);
      break;
    case OPTION_TIMESTAMPS:
      h->timestamps = fasp_read_uint (r, 1);
      break;
    case OPTION_POSITION:
      fasp_stream_offset_read (r, &h->position);
      break;
    case OPTION_WANTS:
      read_wants (r, &h->wants);
      break;
    case OPTION_GROUP:
      h->has_group = TRUE;
      break;
    case OPTION_GROUP_KEY:
      read_group_key (r, h);
      break;
    case OPTION_HEADER:
      h->has_header = TRUE;
      break;
    case OPTION_OFFSETS:
      h->wants.offsets = TRUE;
      break;
    default:
      read_unknown (r, id, h);
      break;
  }
  /* a known option has exactly its length */
  if (r->left > 0)
    r->failed = TRUE;
}

gboolean
fasp_wire_parse_hello (const guint8 *data, gsize size, FaspHello *h)
{
  FaspReader r = { data, size };

  memset (h, 0, sizeof *h);
  h->latency_ms = FASP_LATENCY_ANY;
  h->flows = 1;
  while (!r.failed && r.left >= 1) {
    guint8 id = fasp_read_uint (&r, 1);
    FaspReader value = { 0 };

    if (id == OPTION_END)
      break; /* padding */
    value.left = fasp_read_uint (&r, 2);
    value.data = fasp_read_bytes (&r, value.left);
    if (r.failed)
      break;
    read_option (&value, id, h);
    r.failed = value.failed;
  }
  return !r.failed && h->cid != 0 && (h->role == FASP_ROLE_SENDER || h->role == FASP_ROLE_RECEIVER);
}

/* The caller writes the value, of @size bytes, next. */
static void
begin_option (FaspWriter *w, guint8 id, gsize size)
{
  fasp_write_uint (w, id, 1);
  fasp_write_uint (w, size, 2);
}

static void
write_option (FaspWriter *w, guint8 id, guint64 value, guint size)
{
  begin_option (w, id, size);
  fasp_write_uint (w, value, size);
}

static void
write_bytes (FaspWriter *w, guint8 id, gconstpointer bytes, gsize size)
{
  begin_option (w, id, size);
  fasp_write_bytes (w, bytes, size);
}

static void
write_wants (FaspWriter *w, const FaspWants *wants)
{
  begin_option (w, OPTION_WANTS, wants->from.known ? 5 + FASP_STREAM_OFFSET_SIZE : 5);
  fasp_write_uint (w, wants->join, 1);
  fasp_write_uint (w, wants->back_ms, 4);
  if (wants->from.known)
    fasp_stream_offset_write (w, &wants->from);
}

static void
write_group_key (FaspWriter *w, const FaspGroupKey *k)
{
  begin_option (w, OPTION_GROUP_KEY, 4 + 1 + 8 + FASP_GROUP_KEY_SIZE + 2 + 4 + 2);
  fasp_write_uint (w, k->cid, 4);
  fasp_write_uint (w, k->cipher, 1);
  fasp_write_uint (w, k->pn, 8);
  fasp_write_bytes (w, k->key, FASP_GROUP_KEY_SIZE);
  fasp_write_uint (w, k->members, 2);
  fasp_write_uint (w, k->back_off, 4);
  fasp_write_uint (w, k->clock, 2);
}

void
fasp_wire_write_hello (FaspWriter *w, const FaspHello *h)
{
  gsize streamid_size = strlen (h->streamid);

  write_option (w, OPTION_ROLE, h->role, 1);
  if (h->latency_ms != FASP_LATENCY_ANY)
    write_option (w, OPTION_LATENCY, h->latency_ms, 4);
  if (streamid_size > 0)
    write_bytes (w, OPTION_STREAMID, h->streamid, streamid_size);
  if (h->role == FASP_ROLE_SENDER)
    write_option (w, OPTION_START, h->start, 8);
  else
    write_option (w, OPTION_WINDOW, h->window, 4);
  write_option (w, OPTION_DATAGRAM_MAX, h->datagram_max, 2);
  if (h->has_resume) {
    begin_option (w, OPTION_RESUME, 4 + FASP_PROOF_SIZE);
    fasp_write_uint (w, h->resume_cid, 4);
    fasp_write_bytes (w, h->resume_proof, FASP_PROOF_SIZE);
  }
  write_option (w, OPTION_CID, h->cid, 4);
  write_bytes (w, OPTION_CIPHERS, h->ciphers, h->n_ciphers);
  if (h->flows > 1)
    write_option (w, OPTION_FLOWS, h->flows, 1);
  if (h->fec > 0)
    write_option (w, OPTION_FEC, h->fec, 2);
  if (h->timestamps > 0)
    write_option (w, OPTION_TIMESTAMPS, h->timestamps, 1);
  if (h->position.known) {
    begin_option (w, OPTION_POSITION, FASP_STREAM_OFFSET_SIZE);
    fasp_stream_offset_write (w, &h->position);
  }
  if (h->wants.join != FASP_JOIN_ANY || h->wants.from.known)
    write_wants (w, &h->wants);
  if (h->has_group)
    begin_option (w, OPTION_GROUP, 0);
  if (h->has_group_key)
    write_group_key (w, &h->group_key);
  if (h->has_header)
    begin_option (w, OPTION_HEADER, 0);
  if (h->wants.offsets)
    begin_option (w, OPTION_OFFSETS, 0);
}
