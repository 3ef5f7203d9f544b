/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfaspaddress.h"
#include "gstfaspdebug.h"
#include "gstfaspevents.h"
#include "gstfasplines.h"

typedef struct
{
  gchar *name;      /* interface or address of this machine, as set by the user; NULL: neither */
  gint64 warned_at; /* when a warning was last posted, µs; 0: never */
  gboolean warned;  /* a warning was posted, and no message yet that the outage is over */
} Line;

struct _GstFaspLines
{
  Line *list;
  guint n;
  guint flowlets; /* sockets of each line */
};

static gchar *
find_name (const FaspSocketSettings *socket)
{
  const gchar *name = socket->interface != NULL ? socket->interface : socket->local_address;

  return name != NULL && name[0] != '\0' ? g_strdup (name) : NULL;
}

GstFaspLines *
gst_fasp_lines_new (const GstFaspSockets *sockets)
{
  GstFaspLines *lines = g_new0 (GstFaspLines, 1);

  lines->flowlets = sockets->flowlets;
  lines->n = sockets->n / sockets->flowlets;
  lines->list = g_new0 (Line, lines->n);
  for (guint i = 0; i < lines->n; i++)
    lines->list[i].name = find_name (&sockets->list[i * sockets->flowlets]);
  return lines;
}

void
gst_fasp_lines_free (GstFaspLines *lines)
{
  if (lines == NULL)
    return;
  for (guint i = 0; i < lines->n; i++)
    g_free (lines->list[i].name);
  g_free (lines->list);
  g_free (lines);
}

static Line *
get_line (const GstFaspLines *lines, guint socket)
{
  return &lines->list[MIN (socket / lines->flowlets, lines->n - 1)];
}

gchar *
gst_fasp_lines_describe (const GstFaspLines *lines, guint socket, const FaspAddress *peer)
{
  const gchar *name = get_line (lines, socket)->name;
  g_autofree gchar *to = peer != NULL ? gst_fasp_address_to_string (peer) : NULL;

  if (lines->n * lines->flowlets == 1)
    return NULL;
  if (name == NULL && to == NULL)
    return g_strdup_printf ("line %u", socket / lines->flowlets + 1);
  return g_strdup_printf ("line%s%s%s%s%s", name != NULL ? " \"" : "", name != NULL ? name : "",
      name != NULL ? "\"" : "", to != NULL ? " to " : "", to != NULL ? to : "");
}

/* The time of day at a time of the monotonic clock, in ns since 1970. */
static guint64
to_real_time (FaspTime time)
{
  return (g_get_real_time () - g_get_monotonic_time () + time) * GST_USECOND;
}

static void
post (const Line *line, GstElement *element, const FaspEvent *event, gboolean out)
{
  GstStructure *s = gst_structure_new (out ? "line-lost" : "line-back", "flow", G_TYPE_UINT,
      event->outage.flow, "line", G_TYPE_STRING, line->name, "since", G_TYPE_UINT64,
      to_real_time (event->outage.since), NULL);

  gst_fasp_address_describe (s, "address", &event->address);
  if (out)
    gst_structure_set (s, "reason", G_TYPE_STRING, event->text, NULL);
  else
    gst_structure_set (s, "outage", G_TYPE_UINT64, (guint64) event->outage.gone * GST_USECOND,
        NULL);
  gst_element_post_message (element, gst_message_new_element (GST_OBJECT (element), s));
}

static void
report_lost (Line *line, GstElement *element, const FaspEvent *event, const gchar *which)
{
  g_autofree gchar *peer = gst_fasp_address_to_string (&event->address);

  GST_INFO_OBJECT (element, "flow %u, %s, carries nothing: %s", event->outage.flow, which,
      event->text);
  if (!gst_fasp_events_is_due (&line->warned_at))
    return;
  line->warned = TRUE;
  GST_ELEMENT_WARNING_WITH_DETAILS (element, RESOURCE, READ,
      ("Nothing passes on %s (flow %u) any more: %s. The other lines carry the "
       "stream, and this one is used again as soon as it can be. Check its "
       "network, and the firewalls on it.",
          which, event->outage.flow, event->text),
      (NULL), GST_FASP_PEER ("line-lost", peer));
}

static void
report_back (Line *line, GstElement *element, const FaspEvent *event, const gchar *which)
{
  g_autofree gchar *peer = gst_fasp_address_to_string (&event->address);

  GST_INFO_OBJECT (element, "flow %u, %s, carries again after %.1f s", event->outage.flow, which,
      event->outage.gone / 1e6);
  if (!line->warned)
    return;
  line->warned = FALSE;
  GST_ELEMENT_INFO_WITH_DETAILS (element, RESOURCE, READ,
      ("Datagrams pass on %s (flow %u) again, after %.1f s.", which, event->outage.flow,
          event->outage.gone / 1e6),
      /* gst-launch-1.0 prints only this part of an INFO */
      ("datagrams pass on %s (flow %u) again, after %.1f s", which, event->outage.flow,
          event->outage.gone / 1e6),
      GST_FASP_PEER ("line-back", peer));
}

void
gst_fasp_lines_post (GstFaspLines *lines, GstElement *element, const FaspEvent *event)
{
  Line *line = get_line (lines, event->address.socket);
  g_autofree gchar *which = gst_fasp_lines_describe (lines, event->address.socket, &event->address);
  gboolean out = event->type == FASP_EVENT_FLOW_OUT;

  post (line, element, event, out);
  if (out)
    report_lost (line, element, event, which);
  else
    report_back (line, element, event, which);
}
