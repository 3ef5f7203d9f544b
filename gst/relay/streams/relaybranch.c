/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relaybranch.h"
#include <string.h>
#include "relayallowed.h"
#include "relayauth.h"
#include "relaybackups.h"
#include "relayedit.h"
#include "relayprotocol.h"
#include "relayprotocolend.h"
#include "relaysrtname.h"

/* How an IPv6 address begins that stands for one of IPv4. */
#define MAPPED "::ffff:"

static void
count_refused (RelayBranch *branch)
{
  g_mutex_lock (&branch->lock);
  branch->mute++;
  g_mutex_unlock (&branch->lock);
}

/* Called in the element's network thread.  The element itself refuses callers that give
 * another streamid. */
static gboolean
on_connecting (GstElement *element, GSocketAddress *address, const gchar *streamid,
    RelayBranch *branch)
{
  gboolean good =
      (streamid != NULL && streamid[0] != '\0') || !g_atomic_int_get (branch->require_streamid);

  if (!good)
    count_refused (branch);
  return good;
}

/* --- whether a caller may come in ------------------------------------------------------------ */

/* A question that was put off. */
typedef struct
{
  RelayBranch *branch;
  GstElement *element;
  gchar *ticket;
  gboolean counts; /* the element does not count whom it turns away for this answer: fasp */
} Open;

static void
free_open (Open *open)
{
  relay_branch_unref (open->branch);
  gst_object_unref (open->element);
  g_free (open->ticket);
  g_free (open);
}

/* @for_caller: the reason that the caller gets.  @again: it may call again. */
static void
decide (Open *open, const gchar *refusal, const gchar *for_caller, gboolean again)
{
  gboolean known; /* FALSE: the caller has gone meanwhile */

  g_signal_emit_by_name (open->element, "decide-caller", open->ticket, refusal == NULL, refusal,
      for_caller, again, &known);
  if (known && refusal != NULL && open->counts)
    count_refused (open->branch);
  free_open (open);
}

static void
on_decided (const gchar *refusal, gpointer open)
{
  gboolean again = refusal != NULL && relay_auth_is_undecided (refusal);

  decide (open, refusal, again ? "try again" : "refused", again);
}

/* Returns the address without its port, an IPv4 address as such. */
static gchar *
get_ip (const gchar *address)
{
  const gchar *port = strrchr (address, ':');
  gsize n = port != NULL ? (gsize) (port - address) : strlen (address);
  gboolean brackets = n > 1 && address[0] == '[';
  g_autofree gchar *ip = g_strndup (address + brackets, n - 2 * brackets);

  return g_strdup (g_str_has_prefix (ip, MAPPED) && strchr (ip, '.') != NULL ?
          ip + strlen (MAPPED) :
          ip);
}

static gboolean
is_allowed (const RelayBranch *branch, const gchar *ip)
{
  g_autoptr (GInetAddress) address = g_inet_address_new_from_string (ip);

  return relay_allowed_has (branch->allowed, address);
}

/* Called in the element's network thread, when nothing else has refused the caller. TRUE: the
 * answer comes later. */
static gboolean
on_asked (GstElement *element, const gchar *address, const gchar *streamid, const gchar *key,
    const gchar *name, const gchar *ticket, RelayBranch *branch)
{
  g_autofree gchar *ip = get_ip (address);
  g_auto (RelaySrtName) said = { 0 };
  g_autofree gchar *uri = NULL;
  RelayQuestion question = { branch->id == 0 ? "publish" : "read", branch->stream, NULL, ip };
  Open *open = g_new (Open, 1);
  gboolean later;

  g_object_get (element, "uri", &uri, NULL);
  question.protocol = relay_protocol_find (uri)->scheme;
  *open = (Open) { relay_branch_ref (branch), gst_object_ref (element), g_strdup (ticket),
    relay_protocol_find (uri)->make_end != NULL };
  /* other protocols than fasp refuse it before */
  if (!is_allowed (branch, ip)) {
    decide (open, RELAY_NOT_ALLOWED, "its address is not allowed", FALSE);
    return TRUE;
  }
  relay_srt_name_read (streamid != NULL ? streamid : "", &said);
  /* What the caller has proved goes before what it says.  A user without a password proves nothing,
   * and would look like the name of a key. */
  question.password = said.password;
  question.user = name != NULL && name[0] != '\0'       ? name :
      key != NULL                                       ? key :
      said.password != NULL && said.password[0] != '\0' ? said.user :
                                                          NULL;
  question.query = said.query;
  g_atomic_int_set (&branch->asked, TRUE);
  later = relay_auth_ask (&question, on_decided, open) == RELAY_AUTH_ASKED;
  if (!later)
    free_open (open);
  return later;
}

static void
connect_source (gpointer element, gpointer branch)
{
  g_signal_connect (element, "caller-connecting", G_CALLBACK (on_connecting), branch);
  g_signal_connect (element, "caller-asked", G_CALLBACK (on_asked), branch);
}

static void
disconnect_source (gpointer element, gpointer branch)
{
  g_signal_handlers_disconnect_by_data (element, branch);
}

/* --- the branch ------------------------------------------------------------------------------ */

RelayBranch *
relay_branch_new (const RelayEnd *end, const gchar *stream, const gchar *name,
    gint *require_streamid, GError **error)
{
  static guint64 made;
  GstElement *element = end->backups != NULL ? relay_backups_new (end, name, error) :
                                               relay_end_make (end, name, error);
  RelayBranch *branch;

  if (element == NULL)
    return NULL;
  branch = g_new0 (RelayBranch, 1);
  branch->users = 1;
  branch->id = end->id;
  branch->serial = ++made;
  branch->stream = g_strdup (stream);
  branch->uri = relay_edit_hide (end->uri);
  branch->allowed = end->allowed != NULL ? g_ptr_array_ref (end->allowed) : NULL;
  branch->require_streamid = require_streamid;
  branch->element = gst_object_ref_sink (element);
  branch->since = g_get_monotonic_time ();
  g_mutex_init (&branch->lock);
  relay_backups_foreach (element, connect_source, branch);
  return branch;
}

RelayBranch *
relay_branch_ref (RelayBranch *branch)
{
  g_atomic_int_inc (&branch->users);
  return branch;
}

void
relay_branch_unref (RelayBranch *branch)
{
  if (!g_atomic_int_dec_and_test (&branch->users))
    return;
  gst_clear_object (&branch->pad);
  gst_object_unref (branch->element);
  g_mutex_clear (&branch->lock);
  g_free (branch->stream);
  g_free (branch->uri);
  g_clear_pointer (&branch->allowed, g_ptr_array_unref);
  g_free (branch);
}

gboolean
relay_branch_follows (RelayBranchState from, RelayBranchState to)
{
  static const guint next[RELAY_BRANCH_STATES] = {
    [RELAY_BRANCH_OPENING] =
        1 << RELAY_BRANCH_OPEN | 1 << RELAY_BRANCH_GIVEN_UP | 1 << RELAY_BRANCH_CLOSING,
    [RELAY_BRANCH_GIVEN_UP] = 1 << RELAY_BRANCH_CLOSING,
    [RELAY_BRANCH_OPEN] = 1 << RELAY_BRANCH_CLOSING,
  };

  return (next[from] & 1 << to) != 0;
}

void
relay_branch_set_state (RelayBranch *branch, RelayBranchState state)
{
  g_return_if_fail (relay_branch_follows (branch->state, state));
  g_atomic_int_set (&branch->state, state);
}

gboolean
relay_branch_is_leaving (const RelayBranch *branch)
{
  gint state = g_atomic_int_get (&branch->state);

  return state == RELAY_BRANCH_GIVEN_UP || state == RELAY_BRANCH_CLOSING;
}

void
relay_branch_disconnect (RelayBranch *branch)
{
  relay_backups_foreach (branch->element, disconnect_source, branch);
}

gboolean
relay_branch_link (RelayBranch *branch, GstElement *tee)
{
  g_autoptr (GstPad) sink = NULL;
  g_autoptr (GstPad) pad = NULL;

  if (branch->id == 0)
    return gst_element_link (branch->element, tee);
  sink = gst_element_get_static_pad (branch->element, "sink");
  pad = gst_element_request_pad_simple (tee, "src_%u");
  g_mutex_lock (&branch->lock);
  branch->pad = gst_object_ref (pad);
  g_mutex_unlock (&branch->lock);
  return gst_pad_link (pad, sink) == GST_PAD_LINK_OK;
}

void
relay_branch_detach (RelayBranch *branch)
{
  g_autoptr (GstElement) tee = NULL;
  GstPad *pad;

  g_mutex_lock (&branch->lock);
  pad = g_steal_pointer (&branch->pad);
  g_mutex_unlock (&branch->lock);
  if (pad == NULL)
    return;
  tee = gst_pad_get_parent_element (pad);
  if (tee != NULL)
    gst_element_release_request_pad (tee, pad);
  gst_object_unref (pad);
}

static RelayState
get_state (RelayBranch *branch, RelayState stream)
{
  if (relay_branch_is_leaving (branch))
    return RELAY_STOPPING;
  if (g_atomic_int_get (&branch->state) == RELAY_BRANCH_OPENING)
    return RELAY_STARTING;
  return stream == RELAY_RUNNING ? relay_protocol_end_get_state (branch->element) : stream;
}

void
relay_branch_get_stats (RelayBranch *branch, RelayState stream, RelayEndStats *figures)
{
  guint64 misdirected = 0;

  figures->id = branch->id;
  figures->serial = branch->serial;
  figures->state = get_state (branch, stream);
  if (figures->uri == NULL)
    figures->uri = g_strdup (branch->uri);
  figures->stats = relay_end_get_stats (branch->element);
  gst_structure_get_uint64 (figures->stats, "callers-misdirected", &misdirected);
  g_mutex_lock (&branch->lock);
  figures->refused = branch->mute + misdirected;
  g_mutex_unlock (&branch->lock);
}
