/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fasplogformat.h"

typedef struct
{
  gchar *text;
  gsize size, length; /* a text that does not fit is cut */
  gboolean json;      /* TRUE: for programs; FALSE: for people */
} Out;

static void G_GNUC_PRINTF (2, 3) put (Out *out, const gchar *format, ...)
{
  va_list args;
  gint n;

  va_start (args, format);
  n = g_vsnprintf (out->text + out->length, out->size - out->length, format, args);
  va_end (args);
  out->length = MIN (out->length + MAX (n, 0), out->size - 1);
}

/* @value in units of 1 / 10^@digits.  Without %f, whose output depends on the locale. */
static void
put_decimal (Out *out, gint64 value, guint digits)
{
  guint64 unit = digits == 3 ? 1000 : 1000000;
  guint64 size = value < 0 ? -(guint64) value : (guint64) value;

  put (out, "%s%" G_GUINT64_FORMAT ".%0*u", value < 0 ? "-" : "", size / unit, (gint) digits,
      (guint) (size % unit));
}

/* A text may come from the peer: characters that are not printable UTF-8 are replaced. */
static void
put_text (Out *out, const gchar *text)
{
  put (out, "\"");
  while (*text != '\0') {
    gunichar c = g_utf8_get_char_validated (text, -1);

    if (c == (gunichar) -1 || c == (gunichar) -2) {
      put (out, "?");
      text++;
      continue;
    }
    if (c == '"' || c == '\\')
      put (out, "\\%c", (gchar) c);
    else if (c < ' ' || (c >= 0x7f && c < 0xa0))
      put (out, "\\u%04x", c);
    else
      put (out, "%.*s", (gint) (g_utf8_next_char (text) - text), text);
    text = g_utf8_next_char (text);
  }
  put (out, "\"");
}

static void
put_address (Out *out, const FaspAddress *address, const gchar *text)
{
  if (text != NULL) {
    put_text (out, text);
    return;
  }
  put (out, "\"");
  for (guint i = 0; i < MIN (address->len, sizeof address->bytes); i++)
    put (out, "%02x", address->bytes[i]);
  put (out, "\"");
}

/* Names as in docs/debugging.md. */
static const gchar *
get_reason (gint64 reason)
{
  static const gchar *const names[] = {
    [FASP_REASON_NONE] = "none",
    [FASP_REASON_FINISHED] = "finished",
    [FASP_REASON_STOPPED] = "stopped",
    [FASP_REASON_TOO_SLOW] = "too_slow",
    [FASP_REASON_REFUSED] = "refused",
    [FASP_REASON_BUSY] = "busy",
    [FASP_REASON_SAME_ROLE] = "same_role",
    [FASP_REASON_UNSUPPORTED] = "unsupported",
    [FASP_REASON_KEY] = "key",
    [FASP_REASON_ENCRYPTION] = "encryption",
    [FASP_REASON_VERSION] = "version",
    [FASP_REASON_SILENT] = "silent",
    [FASP_REASON_REPLACED] = "replaced",
    [FASP_REASON_ENDED_HERE] = "ended_here",
  };

  return reason >= 0 && reason < (gint64) G_N_ELEMENTS (names) ? names[reason] : "unknown";
}

static void
put_word (Out *out, const gchar *word)
{
  put (out, out->json ? "\"%s\"" : "%s", word);
}

static void
put_value (Out *out, const FaspLogEntry *entry, FaspLogType type, gint64 value,
    const gchar *address)
{
  switch (type) {
    case FASP_LOG_END:
      break;
    case FASP_LOG_NUMBER:
      put (out, "%" G_GINT64_FORMAT, value);
      break;
    case FASP_LOG_TIME:
      put_decimal (out, value, 3);
      break;
    case FASP_LOG_FRACTION:
      put_decimal (out, value, 6);
      break;
    case FASP_LOG_FLAG:
      put (out, "%s", value != 0 ? "true" : "false");
      break;
    case FASP_LOG_NAME:
      put_word (out, (const gchar *) (gintptr) value);
      break;
    case FASP_LOG_REASON:
      put_word (out, get_reason (value));
      break;
    case FASP_LOG_ADDRESS:
      put_address (out, &entry->address, address);
      break;
    case FASP_LOG_TEXT:
      put_text (out, entry->text);
      break;
  }
}

/* Is the field left out, as its value is not known? */
static gboolean
is_unknown (const FaspLogEntry *entry, FaspLogType type, gint64 value)
{
  return value == FASP_LOG_UNKNOWN || (type == FASP_LOG_NAME && value == 0)
      || (type == FASP_LOG_ADDRESS && entry->address.len == 0)
      || (type == FASP_LOG_TEXT && entry->text[0] == '\0');
}

static void
put_fields (Out *out, const FaspLogEntry *entry, const gchar *address)
{
  const FaspLogKind *kind = fasp_log_get_kind (entry->event);
  const gchar *comma = "";

  for (guint i = 0; kind->fields[i].type != FASP_LOG_END; i++) {
    const FaspLogField *field = &kind->fields[i];

    if (is_unknown (entry, field->type, entry->values[i]))
      continue;
    put (out, out->json ? "%s\"%s\":" : " %s%s=", comma, field->name);
    put_value (out, entry, field->type, entry->values[i], address);
    comma = out->json ? "," : "";
  }
}

gsize
fasp_log_write_json (const FaspLogEntry *entry, gint64 run, const gchar *address, gchar *text,
    gsize size)
{
  Out out = { text, size, 0, TRUE };

  put (&out, "\x1e{\"time\":");
  put_decimal (&out, entry->time, 3);
  put (&out, ",\"name\":\"" FASP_LOG_NAMESPACE ":%s\"", fasp_log_get_kind (entry->event)->name);
  if (entry->session != 0)
    put (&out, ",\"group_id\":\"%u\"", entry->session);
  if (run != 0)
    put (&out, ",\"run\":%" G_GINT64_FORMAT, run);
  put (&out, ",\"data\":{");
  put_fields (&out, entry, address);
  put (&out, "}}\n");
  return out.length;
}

gsize
fasp_log_write_line (const FaspLogEntry *entry, const gchar *address, gchar *text, gsize size)
{
  Out out = { text, size, 0, FALSE };

  put_decimal (&out, entry->time, 6);
  if (entry->session != 0)
    put (&out, " %10u", entry->session);
  else
    put (&out, " %10s", "-");
  put (&out, " %s", fasp_log_get_kind (entry->event)->name);
  put_fields (&out, entry, address);
  return out.length;
}

static const gchar *
get_role (FaspRole role)
{
  return role == 0 ? "unknown" : role == FASP_ROLE_SENDER ? "sender" : "receiver";
}

gsize
fasp_log_write_header (const FaspLogHeader *header, gchar *text, gsize size)
{
  Out out = { text, size, 0, TRUE };

  put (&out,
      "\x1e{\"file_schema\":\"urn:ietf:params:qlog:file:sequential\","
      "\"serialization_format\":\"application/qlog+json-seq\",\"title\":");
  put_text (&out, header->title);
  put (&out,
      ",\"trace\":{\"common_fields\":{"
      "\"time_format\":\"relative_to_epoch\",\"reference_time\":"
      "{\"clock_type\":\"monotonic\",\"epoch\":\"unknown\"");
  if (header->begun != NULL)
    put (&out, ",\"wall_clock_time\":\"%s\"", header->begun);
  put (&out, "}");
  if (header->run != 0)
    put (&out, ",\"run\":%" G_GINT64_FORMAT, header->run);
  if (header->unix_offset != 0) {
    put (&out, ",\"unix_offset\":");
    put_decimal (&out, header->unix_offset, 3);
  }
  put (&out, ",\"program\":");
  put_text (&out, header->program);
  put (&out, ",\"role\":\"%s\"},\"vantage_point\":{\"name\":", get_role (header->role));
  put_text (&out, header->title);
  put (&out, ",\"type\":\"%s\"},\"event_schemas\":[\"" FASP_LOG_SCHEMA "\"]}}\n",
      header->role == 0 ? "unknown" :
          header->dials ? "client" :
                          "server");
  return out.length;
}
