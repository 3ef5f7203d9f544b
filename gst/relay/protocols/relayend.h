/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * relayend.h: the settings of an end, and the element that is made of them.
 *
 * The protocol is that of the URI (relayprotocol.h).
 */
#pragma once

#include "gstfaspmonitor.h"
#include "relayrules.h"

G_BEGIN_DECLS

/* The properties of an element that name files of this machine.  A URI may not set them: the
 * configuration has keys of its own for them, `input-record' and so on. */
#define RELAY_FILES 4
#define RELAY_SOURCES_MAX 8 /* of an input: a main one and seven backups */
extern const gchar *const relay_end_files[RELAY_FILES];

/* `streamid' and `files' are fasp's only.  The URI may hold a secret, and only
 * relay_edit_hide() of it is shown. */
typedef struct
{
  guint id;       /* number of an output in its stream, from 1; 0: an input */
  gboolean sends; /* it is an output */
  gchar *uri;
  gchar *streamid;           /* used unless the URI has one */
  gchar *passphrase;         /* from a file; NULL: the URI's, if any */
  gchar *files[RELAY_FILES]; /* of relay_end_files; NULL: none */
  gboolean monitored;        /* its stream is measured as a transport stream */
  GPtrArray *allowed;        /* who may call or send to it (relayallowed.h); NULL: all */
  /* of an input with backups (relaybackups.h) */
  GPtrArray *backups;    /* RelayEnd, in their order; NULL: this end has none */
  guint switch_after;    /* ms of silence after which another source is used */
  guint wait_to_restore; /* ms for which a preferred source has to give media; 0: it waits until it
                            is asked for */
  guint rules[RELAY_RULES]; /* s, of each rule; 0: it is not applied */
} RelayEnd;

/* Key of the data of an element that keeps a GstFaspMonitor * there, NULL before any data, under
 * its object lock. */
#define RELAY_MONITOR "relay-monitor"

/* The field of `connection-refused' that has the port at which a caller asked for a stream that is
 * not there. Of fasp, it is the caller's `streamid' that differs from the element's. */
#define RELAY_STRAY_PORT "stray-port"

/* Why an address is refused that `allowed' does not have. */
#define RELAY_NOT_ALLOWED "its address is not allowed: add it to the allowed-addresses of this end"

/* What has to be done with a running stream, or one of its ends, for a new configuration. */
typedef enum
{
  RELAY_SAME,
  RELAY_ADJUST, /* all changes can be set while it plays */
  RELAY_ENDS,   /* some ends have to be closed or opened, the others stay as they are */
  RELAY_RESTART,
} RelayDifference;

/* The port of this machine at which an end listens or from which it dials, and the settings that
 * decide which other ends can share it. */
typedef struct
{
  const gchar *shares; /* the scheme of the ends with which it shares the port, if the settings
                          below fit; NULL: with none */
  gboolean group;      /* the address is a multicast group's, which has been joined */
  guint first, last;
  gchar *peer;    /* the host that it dials from there; NULL: it listens */
  gchar *address; /* NULL: all addresses, 0.0.0.0: all of IPv4 */
  gchar *streamid, *interface, *bonds;
  gint tos, ttl;
} RelayBinding;

/* Returns the element of this end alone, without its backups, ready to start; a floating reference.
 */
GstElement *relay_end_make (const RelayEnd *end, const gchar *name, GError **error);
/* Returns the property `stats' of such an element, with what the relay itself knows of its stream.
 */
GstStructure *relay_end_get_stats (GstElement *element);
/* Returns what was measured of such an element's stream; NULL: nothing was. */
GstFaspMonitor *relay_end_copy_monitor (GstElement *element);
/* Looks for faults that the element would otherwise report only at its start. */
gboolean relay_end_check (const RelayEnd *end, GError **error);
/* Can its protocol use a passphrase, and relay_end_files? */
gboolean relay_end_takes_passphrase (const RelayEnd *end);
gboolean relay_end_takes_files (const RelayEnd *end);
gboolean relay_end_has_passphrase (const RelayEnd *end);
/* Does it wait for callers, or for senders of datagrams, which `allowed' is about? */
gboolean relay_end_is_called (const RelayEnd *end);
guint relay_end_count_backups (const RelayEnd *end);
/* Is it a file, or files? */
gboolean relay_end_is_file (const RelayEnd *end);
/* May this output block the input, so that the input cannot be closed alone? */
gboolean relay_end_holds_up (const RelayEnd *end);
/* Returns the path that an output records to, with the fields of g_date_time_format(). NULL: it
 * does not record. *list: of the file that names these; NULL: there is none. */
gchar *relay_end_get_recording (const RelayEnd *end, gchar **list);
/* FALSE: the end has no port that the configuration says, or not this leg.  @leg: 0, or 1: the
 * second one (relaylegs.h). */
gboolean relay_end_get_binding (const RelayEnd *end, guint leg, RelayBinding *binding);
void relay_binding_clear (RelayBinding *binding);

/* RELAY_SAME, _ADJUST or _RESTART. */
RelayDifference relay_end_compare (const RelayEnd *a, const RelayEnd *b);
/* Sets the properties that differ between @old and @end, which were compared as RELAY_ADJUST. */
void relay_end_adjust (const RelayEnd *old, const RelayEnd *end, GstElement *element);

G_END_DECLS
