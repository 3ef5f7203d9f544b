/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relayconfigkeys.h"
#include "relayrules.h"

#define PICTURE_INTERVAL_MAX 3600 /* s */
#define PREVIEW_VIEWERS_MAX 16
#define AUTH_KEEP_MAX 3600 /* s */
/* ms; the least is what MediaLive's InputLossThresholdMsec can be, and more than the jitter of a
 * network. */
#define SWITCH_AFTER_MIN 100
#define SWITCH_AFTER_MAX 60000
#define WAIT_TO_RESTORE_MAX 3600000 /* ms: an hour */

#define TEXT(name, normal, meaning) { name, 0, NULL, 0, 0, normal, meaning }
#define RULE(name, meaning) { name, 0, NULL, 0, RELAY_RULE_MAX, "0", meaning }
#define BOOLEAN(name, meaning) { name, 0, "true false", 0, 0, "false", meaning }

#define ROLES "view operate administer"
#define ROLE \
  { "role", 0, ROLES, 0, 0, "required", \
    "view: read what the relay does; operate: change streams, too; administer: save the " \
    "configuration, too" }

#define ALLOWED(name, meaning) TEXT (name, "all", meaning)

#define INPUT_FILE(name) \
  TEXT (name, "none", "files, as these properties of faspsrc: a URI may not set them")
#define OUTPUT_FILE(name) TEXT (name, "none", "the same of faspsink, for all outputs")

const RelayKey relay_section_keys[] = {
  TEXT ("status", "nowhere",
      "http://ADDRESS:PORT: where the page for browsers is served, and /status.json, /metrics "
      "(OpenMetrics), /healthz and /readyz for programs. Host names are not accepted; localhost "
      "means 127.0.0.1"),
  TEXT ("status-names", "none",
      "host names, with a ; between them, by which the status may be asked for, besides addresses "
      "and localhost: that of a proxy, or of a target of Prometheus"),
  ALLOWED ("status-allowed-addresses",
      "addresses and networks (10.1.0.0/16), with a ; between them, from which the page, the API "
      "and all else at status may be asked for"),
  BOOLEAN ("receiver-metrics", "true: /metrics lists each receiver by its address"),
  TEXT ("history", "none",
      "path of an SQLite file that keeps the charts of the page, so that they survive a restart"),
  BOOLEAN ("api",
      "true: streams and outputs can be changed where the status is served (fasp-relayctl "
      "--help)"),
  TEXT ("api-token-file", "none",
      "file that holds the token for this, 10 characters to 1024 bytes, and nothing else. Required "
      "unless the status is served at 127.0.0.1 or ::1"),
  TEXT ("api-socket", "nowhere",
      "path of a UNIX socket where the API, and the status, are served to this user and root, "
      "without a token (with systemd, RuntimeDirectory=fasp-relay)"),
  TEXT ("auth-url", "nowhere",
      "http://HOST:PORT/PATH, or https://: is asked whether a caller may come in, as by MediaMTX's "
      "authMethod: http"),
  { "auth-role", 0, ROLES, 0, 0, "none",
      "is asked about the API and /metrics, too, when a client gives credentials that this relay "
      "does not know: the role of those that it lets in" },
  { "auth-keep", 0, NULL, 0, AUTH_KEEP_MAX, "10", "seconds for which an answer holds, up to 3600" },
  { NULL },
};

const RelayKey relay_stream_keys[] = {
  TEXT ("input", "required",
      "URI: fasp://HOST:PORT dials, fasp://:PORT waits for a call. Every property of faspsrc can "
      "be ?key=value&key=value, except those that name files. Or srt://, rist://, udp://, rtp://, "
      "file:///PATH: see docs/gateway.md. With a ; between them, up to eight: a main source and its "
      "backups, of any kind"),
  TEXT ("output", "required",
      "the same for faspsink, or also hls:///PATH.m3u8; up to 64, with a ; between them (\\; for one inside a URI)"),
  TEXT ("streamid", "NAME of the stream",
      "by which callers choose if several streams share a port. Callers that give another one are "
      "refused, at the input and at the outputs. A relay that dials gives this one, unless the URI "
      "has another"),
  BOOLEAN ("require-streamid",
      "true: callers that give no streamid are refused, too. By default they are accepted at a "
      "port that has only one stream"),
  BOOLEAN ("optional", "true: readiness (/readyz) does not depend on this stream's input"),
  { "picture-interval", 0, NULL, 0, PICTURE_INTERVAL_MAX, "0",
      "seconds from one picture of the stream to the next, at /streams/NAME/picture.jpg, up to "
      "3600; 0: none" },
  { "preview-viewers", 0, NULL, 0, PREVIEW_VIEWERS_MAX, "0",
      "how many may watch the stream in a browser at once, on its page or at "
      "/streams/NAME/preview.mp4, up to 16; 0: none" },
  { "monitor-ts", 0, "true false", 0, 0, "true",
      "whether the stream is measured by TR 101 290 at its input and at each output: see "
      "docs/transport-stream.md" },
  { "output-monitor-ts", 0, "true false", 0, 0, "monitor-ts",
      "false: only at its input; true: only at its outputs, if monitor-ts is false" },
  { "switch-after", 0, NULL, SWITCH_AFTER_MIN, SWITCH_AFTER_MAX, G_STRINGIFY (RELAY_SWITCH_AFTER),
      "ms without media after which another source of an input with backups is used" },
  { "wait-to-restore", 0, NULL, 0, WAIT_TO_RESTORE_MAX, G_STRINGIFY (RELAY_WAIT_TO_RESTORE),
      "ms for which a source before the one in use has to give media without a pause until it is "
      "used again; 0: only when it is asked for" },
  RULE ("leave-on-errors",
      "seconds of errors of priority 1 (TR 101 290) after which a source of an input with backups is "
      "left for the next one that is good, up to 3600; 0: it is not. See docs/gateway.md"),
  RULE ("leave-on-no-video", "the same of tables that name no video, or video that does not come"),
  RULE ("leave-on-black", "the same of a black picture; needs picture-interval"),
  RULE ("leave-on-frozen", "the same of a picture that does not change; needs picture-interval"),
  RULE ("leave-on-silence", "the same of silent sound; needs picture-interval"),
  TEXT ("input-passphrase-file", "none",
      "file that holds the passphrase of the input, and nothing else. If the URI has one as well, "
      "the file takes precedence"),
  TEXT ("output-passphrase-file", "none",
      "the same for all outputs that take one; it stays when the last of these is removed"),
  ALLOWED ("input-allowed-addresses",
      "addresses and networks (10.1.0.0/16), with a ; between them, from which senders may call, or "
      "send, where the input waits for them"),
  ALLOWED ("output-allowed-addresses", "the same of receivers that call"),
  INPUT_FILE ("input-key-file"),
  INPUT_FILE ("input-allowed-keys"),
  INPUT_FILE ("input-record"),
  INPUT_FILE ("input-log"),
  OUTPUT_FILE ("output-key-file"),
  OUTPUT_FILE ("output-allowed-keys"),
  OUTPUT_FILE ("output-record"),
  OUTPUT_FILE ("output-log"),
  { NULL },
};

const RelayKey relay_user_keys[] = {
  ROLE,
  TEXT ("password-hash", "required",
      "the line that fasp-relay --hash-password prints: users log in on the page, or with "
      "fasp-relayctl --user"),
  { NULL },
};

const RelayKey relay_token_keys[] = {
  ROLE,
  TEXT ("token-file", "required",
      "file that holds the token, 10 characters to 1024 bytes, and nothing else: programs send "
      "Authorization: Bearer TOKEN"),
  TEXT ("streams", "all",
      "names of streams, with a ; between them: the token is for paths of these alone, and for "
      "none of the relay as a whole"),
  { NULL },
};

const RelayKey relay_hook_keys[] = {
  TEXT ("on", "required",
      "kinds of events of /happened.json, with a ; between them: came, went, refused, switched "
      "(another source is used), raised and cleared (alarms), piece (of a recording, finished), "
      "warning"),
  TEXT ("streams", "all", "names of the streams whose events are told, with a ; between them"),
  TEXT ("url", "none", "http://HOST:PORT/PATH, or https://: gets each event by POST"),
  TEXT ("secret-file", "none",
      "file that holds the secret by which these requests are signed, 10 characters to 1024 bytes, "
      "and nothing else"),
  TEXT ("run", "none",
      "instead of url: the whole path of a program and its arguments. It is called without a shell, "
      "and reads the event"),
  { NULL },
};
