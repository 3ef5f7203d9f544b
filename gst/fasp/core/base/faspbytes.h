/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspbytes.h: cursors that read and write bytes.
 *
 * A failed read or write sets `failed' and every later one fails too, so a
 * parser checks once, at its end.  Integers are big-endian; varints are those
 * of RFC 9000 section 16.
 */
#pragma once

#include <string.h>
#include "fasptypes.h"

G_BEGIN_DECLS

#define FASP_VARINT_MAX ((G_GUINT64_CONSTANT (1) << 62) - 1)
#define FASP_VARINT_SIZE 8 /* bytes of the longest one */

typedef struct
{
  const guint8 *data; /* the next byte; not owned */
  gsize left;         /* bytes from there on */
  gboolean failed;    /* a read failed, so all later ones do */
} FaspReader;

typedef struct
{
  guint8 *data;          /* not owned */
  gsize size, used;      /* bytes of room at data, and bytes written there */
  gboolean failed;       /* a write failed, so all later ones do */
  const guint8 *payload; /* follows the bytes written; not owned: fasp_write_payload() */
  gsize payload_size;    /* bytes */
} FaspWriter;

static inline const guint8 *
fasp_read_bytes (FaspReader *r, gsize n)
{
  const guint8 *at = r->data;

  if (r->failed || r->left < n) {
    r->failed = TRUE;
    return NULL;
  }
  r->data += n;
  r->left -= n;
  return at;
}

/* Copies the next @n bytes to @to.  FALSE: fewer than @n are left. */
static inline gboolean
fasp_read_copy (FaspReader *r, gpointer to, gsize n)
{
  const guint8 *from = fasp_read_bytes (r, n);

  if (from != NULL && n > 0)
    memcpy (to, from, n);
  return from != NULL;
}

static inline guint64
fasp_read_uint (FaspReader *r, guint n)
{
  guint64 value = 0;

  fasp_read_copy (r, &value, n);
  return GUINT64_FROM_BE (value) >> (64 - 8 * n);
}

static inline guint64
fasp_read_varint (FaspReader *r)
{
  guint n;

  if (r->failed || r->left == 0) {
    r->failed = TRUE;
    return 0;
  }
  n = 1u << (r->data[0] >> 6);
  return fasp_read_uint (r, n) & (FASP_VARINT_MAX >> (64 - 8 * n));
}

/* The next @n bytes, for the caller to fill; NULL: there is no room for them. */
static inline guint8 *
fasp_write_room (FaspWriter *w, gsize n)
{
  guint8 *at = w->data + w->used;

  if (w->failed || w->size - w->used < n) {
    w->failed = TRUE;
    return NULL;
  }
  w->used += n;
  return at;
}

static inline void
fasp_write_bytes (FaspWriter *w, gconstpointer data, gsize n)
{
  guint8 *at = fasp_write_room (w, n);

  if (at != NULL && n > 0)
    memcpy (at, data, n);
}

/* Appends @data as the last bytes.  It is not copied and must stay valid. */
static inline void
fasp_write_payload (FaspWriter *w, const guint8 *data, gsize n)
{
  if (w->failed || w->size - w->used < n) {
    w->failed = TRUE;
    return;
  }
  w->payload = data;
  w->payload_size = n;
}

static inline void
fasp_write_uint (FaspWriter *w, guint64 value, guint n)
{
  guint64 bytes = GUINT64_TO_BE (value << (64 - 8 * n));

  fasp_write_bytes (w, &bytes, n);
}

static inline guint
fasp_varint_size (guint64 value)
{
  return value < (1u << 6) ? 1 : value < (1u << 14) ? 2 : value < (1u << 30) ? 4 : 8;
}

static inline void
fasp_write_varint (FaspWriter *w, guint64 value)
{
  guint n;

  if (value > FASP_VARINT_MAX) {
    w->failed = TRUE;
    return;
  }
  n = fasp_varint_size (value);
  /* two bits of length: log2 (n) */
  fasp_write_uint (w, value | (guint64) __builtin_ctz (n) << (8 * n - 2), n);
}

G_END_DECLS
