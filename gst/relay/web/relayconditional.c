/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayconditional.h"
#include <string.h>

static gchar *
make_tag (const RelayPage *page)
{
  return g_strdup_printf ("\"%" G_GINT64_MODIFIER "x\"", page->time);
}

/* Returns a date of HTTP, which is in English in every locale (RFC 9110, 5.6.7). */
static gchar *
make_date (gint64 seconds)
{
  static const gchar *const days[] = { "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun" };
  static const gchar *const months[] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug",
    "Sep", "Oct", "Nov", "Dec" };
  g_autoptr (GDateTime) time = g_date_time_new_from_unix_utc (seconds);

  return g_strdup_printf ("%s, %02d %s %04d %02d:%02d:%02d GMT",
      days[g_date_time_get_day_of_week (time) - 1], g_date_time_get_day_of_month (time),
      months[g_date_time_get_month (time) - 1], g_date_time_get_year (time),
      g_date_time_get_hour (time), g_date_time_get_minute (time), g_date_time_get_second (time));
}

void
relay_conditional_add (struct MHD_Response *response, const RelayPage *page)
{
  g_autofree gchar *date = NULL, *tag = NULL;

  MHD_add_response_header (response, "Cache-Control", page->time != 0 ? "no-cache" : "no-store");
  if (page->time == 0)
    return;
  date = make_date (page->time / G_USEC_PER_SEC);
  tag = make_tag (page);
  MHD_add_response_header (response, "ETag", tag);
  MHD_add_response_header (response, "Last-Modified", date);
}

void
relay_conditional_leave_out (const gchar *known, RelayPage *page)
{
  g_autofree gchar *tag = make_tag (page);

  if (page->time == 0 || known == NULL || strstr (known, tag) == NULL)
    return;
  page->status = 304;
  g_clear_pointer (&page->bytes, g_bytes_unref);
  page->text = g_strdup ("");
}
