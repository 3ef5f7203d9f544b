/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasplogformat.h: an event of the decision log as text: for programs, or for people.
 *
 * For programs it is a record of a JSON text sequence (RFC 7464) in the manner of qlog
 * (draft-ietf-quic-qlog-main-schema-14, schema QlogFileSeq): the byte 0x1e, a JSON object,
 * a line feed.  The first record is the header.  Times are in ms, with three decimals.
 *
 * Nothing is allocated, so that a program that has just crashed can still write its log.
 */
#pragma once

#include "fasplog.h"

G_BEGIN_DECLS

/* Bytes that are enough for any event or header, the NUL included. */
#define FASP_LOG_LINE 4096
/* The namespace of our events, and the URI of the schema that docs/debugging.md describes. */
#define FASP_LOG_NAMESPACE "fasp"
#define FASP_LOG_SCHEMA "fasp:qlog:events:fasp-1"

typedef struct
{
  const gchar *title;   /* name of the part of the program that logs, such as an element */
  const gchar *program; /* "faspsink 1.0.0" */
  const gchar *begun;   /* when the log began, by the wall clock (RFC 3339); NULL: not known */
  FaspRole role;        /* 0: not known */
  gboolean dials;
  gint64 run; /* number of this log, which all its events carry if the file has several logs; 0: the
                 file has one log */
  gint64 unix_offset; /* Unix time less `now', us; 0: not known */
} FaspLogHeader;

/* All write at most @size bytes, the NUL included, and return the length of the text.
 * @run: as in the header.  @address: the event's, as text; NULL: as hexadecimal digits. */
gsize fasp_log_write_header (const FaspLogHeader *header, gchar *text, gsize size);
gsize fasp_log_write_json (const FaspLogEntry *entry, gint64 run, const gchar *address, gchar *text,
    gsize size);
/* One line, without its end: seconds, session, name, field=value ... */
gsize fasp_log_write_line (const FaspLogEntry *entry, const gchar *address, gchar *text,
    gsize size);

G_END_DECLS
