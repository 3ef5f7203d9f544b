/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayfec.h"
#include <stdio.h>
#include <string.h>

#define RTP_HEADER 12    /* bytes (RFC 3550, 5.1) */
#define REPAIR_HEADER 28 /* bytes: that, and the header of FEC (SMPTE ST 2022-1, 7.3) */

/* Where things are in a packet (RFC 3550, 5.1). */
#define NUMBER 2
#define TIMESTAMP 4
#define SSRC 8
/* Where things are in a repair packet (SMPTE ST 2022-1, 7.3). */
#define FIRST 12 /* number of the first packet that it protects */
#define LENGTH 14
#define PAYLOAD_TYPE 16
#define REPAIR_TIMESTAMP 20
#define KIND 24 /* N, D, type and index */
#define OFFSET 25
#define COUNT 26
#define KIND_ROW 0x40 /* D.  Type 0 is XOR; N is set only in headers with an extension. */

typedef struct
{
  guint16 number; /* of the packet; of a repair: of the first one that it protects */
  guint16 size;   /* bytes; 0: empty */
  gboolean row;   /* of a repair: of a row, not of a column */
  gboolean due;   /* of a repair: what it protects has come since it was looked at */
  guint8 *data;   /* RELAY_FEC_PACKET_MAX; NULL: was never used */
} Packet;

struct _RelayFec
{
  guint columns, rows;
  guint8 ssrc[4]; /* of the last packet */
  guint next;     /* place of the next repair */
  Packet media[RELAY_FEC_MEDIA];
  Packet repairs[RELAY_FEC_REPAIRS];
};

gboolean
relay_fec_read (const gchar *text, guint *columns, guint *rows)
{
  gchar x;
  gint end = 0;

  return sscanf (text, "%2u%c%2u%n", columns, &x, rows, &end) == 3 && x == 'x'
      && g_ascii_isdigit (text[0]) && g_ascii_isdigit (strchr (text, 'x')[1]) && text[end] == '\0'
      && *columns >= 1 && *columns <= 20 && *rows >= 4 && *rows <= 20 && *columns * *rows <= 100;
}

RelayFec *
relay_fec_new (guint columns, guint rows)
{
  RelayFec *fec = g_new0 (RelayFec, 1);

  fec->columns = columns;
  fec->rows = rows;
  return fec;
}

void
relay_fec_free (RelayFec *fec)
{
  if (fec == NULL)
    return;
  for (guint i = 0; i < RELAY_FEC_MEDIA; i++)
    g_free (fec->media[i].data);
  for (guint i = 0; i < RELAY_FEC_REPAIRS; i++)
    g_free (fec->repairs[i].data);
  g_free (fec);
}

static guint16
get_16 (const guint8 *data)
{
  return data[0] << 8 | data[1];
}

static void
keep (Packet *packet, guint16 number, const guint8 *data, gsize size)
{
  if (packet->data == NULL)
    packet->data = g_malloc (RELAY_FEC_PACKET_MAX);
  packet->number = number;
  packet->size = size;
  memcpy (packet->data, data, size);
}

void
relay_fec_forget (RelayFec *fec)
{
  for (guint i = 0; i < RELAY_FEC_MEDIA; i++)
    fec->media[i].size = 0;
  for (guint i = 0; i < RELAY_FEC_REPAIRS; i++)
    fec->repairs[i].size = 0;
}

static guint
get_step (const RelayFec *fec, const Packet *repair)
{
  return repair->row ? 1 : fec->columns;
}

static guint
get_count (const RelayFec *fec, const Packet *repair)
{
  return repair->row ? fec->columns : fec->rows;
}

static gboolean
protects (const RelayFec *fec, const Packet *repair, guint16 number)
{
  guint distance = (guint16) (number - repair->number), step = get_step (fec, repair);

  return distance % step == 0 && distance / step < get_count (fec, repair);
}

/* NULL: it has not come. */
static const Packet *
find (const RelayFec *fec, guint16 number)
{
  const Packet *packet = &fec->media[number % RELAY_FEC_MEDIA];

  return packet->size > 0 && packet->number == number ? packet : NULL;
}

/* Notes a packet, unless its place has it, or one that came after it: a late leg has brought it. */
static void
note (RelayFec *fec, const guint8 *data, gsize size)
{
  guint16 number = get_16 (data + NUMBER);
  Packet *packet = &fec->media[number % RELAY_FEC_MEDIA];

  if (packet->size > 0 && (gint16) (number - packet->number) <= 0)
    return;
  memcpy (fec->ssrc, data + SSRC, sizeof fec->ssrc);
  keep (packet, number, data, size);
  for (guint i = 0; i < RELAY_FEC_REPAIRS; i++)
    fec->repairs[i].due |= fec->repairs[i].size > 0 && protects (fec, &fec->repairs[i], number);
}

void
relay_fec_take_media (RelayFec *fec, const guint8 *data, gsize size)
{
  if (size >= RTP_HEADER && size <= RELAY_FEC_PACKET_MAX)
    note (fec, data, size);
}

gboolean
relay_fec_take_repair (RelayFec *fec, gboolean row, const guint8 *data, gsize size)
{
  Packet *repair;

  if (size < REPAIR_HEADER || size > RELAY_FEC_PACKET_MAX || data[0] >> 6 != 2
      || (data[KIND] & ~7) != (row ? KIND_ROW : 0) || data[OFFSET] != (row ? 1 : fec->columns)
      || data[COUNT] != (row ? fec->columns : fec->rows))
    return FALSE;
  repair = &fec->repairs[fec->next++ % RELAY_FEC_REPAIRS];
  repair->row = row;
  repair->due = TRUE;
  keep (repair, get_16 (data + FIRST), data, size);
  return TRUE;
}

/* XORs the fields that a repair covers into @out: header bits, timestamp and payload. */
static void
add (guint8 *out, gsize bytes, const Packet *packet)
{
  gsize size = MIN (bytes, (gsize) packet->size - RTP_HEADER);

  out[0] ^= packet->data[0] & 0x3f; /* all but the version */
  out[1] ^= packet->data[1];
  for (guint i = TIMESTAMP; i < SSRC; i++)
    out[i] ^= packet->data[i];
  for (gsize i = RTP_HEADER; i < RTP_HEADER + size; i++)
    out[i] ^= packet->data[i];
}

/* NULL: the sizes do not fit together.  @number: of the only packet that the repair lacks. */
static GBytes *
recover (const RelayFec *fec, const Packet *repair, guint16 number)
{
  guint16 bytes = get_16 (repair->data + LENGTH);
  const Packet *one = NULL;
  guint8 *out;

  for (guint i = 0; i < get_count (fec, repair); i++)
    if ((one = find (fec, repair->number + i * get_step (fec, repair))) != NULL)
      bytes ^= one->size - RTP_HEADER;
  if (bytes > repair->size - REPAIR_HEADER)
    return NULL;
  out = g_malloc0 (RTP_HEADER + bytes);
  out[0] = 0x80 | (repair->data[0] & 0x3f);
  out[1] = (repair->data[1] & 0x80) | (repair->data[PAYLOAD_TYPE] & 0x7f);
  memcpy (out + TIMESTAMP, repair->data + REPAIR_TIMESTAMP, 4);
  memcpy (out + RTP_HEADER, repair->data + REPAIR_HEADER, bytes);
  for (guint i = 0; i < get_count (fec, repair); i++)
    if ((one = find (fec, repair->number + i * get_step (fec, repair))) != NULL)
      add (out, bytes, one);
  memcpy (out + SSRC, fec->ssrc, sizeof fec->ssrc);
  out[NUMBER] = number >> 8;
  out[NUMBER + 1] = number;
  return g_bytes_new_take (out, RTP_HEADER + bytes);
}

/* Looks at a repair for what it lacks, and forgets it if it can give no more.  NULL: it can give
 * nothing now. */
static GBytes *
look_at (RelayFec *fec, Packet *repair)
{
  guint lacks = 0;
  guint16 number = 0;
  GBytes *recovered = NULL;

  repair->due = FALSE;
  for (guint i = 0; i < get_count (fec, repair); i++) {
    guint16 n = repair->number + i * get_step (fec, repair);

    if (find (fec, n) == NULL) {
      lacks++;
      number = n;
    }
  }
  if (lacks > 1)
    return NULL;
  if (lacks == 1)
    recovered = recover (fec, repair, number);
  repair->size = 0;
  return recovered;
}

GBytes *
relay_fec_pop (RelayFec *fec)
{
  GBytes *recovered = NULL;
  gsize size;

  for (guint i = 0; i < RELAY_FEC_REPAIRS && recovered == NULL; i++)
    if (fec->repairs[i].due && fec->repairs[i].size > 0)
      recovered = look_at (fec, &fec->repairs[i]);
  if (recovered != NULL) {
    const guint8 *data = g_bytes_get_data (recovered, &size);

    note (fec, data, size);
  }
  return recovered;
}
