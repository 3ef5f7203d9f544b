/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>
#include <string.h>
#include "linkoptions.h"

#define FAIL(...) g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, __VA_ARGS__)

/* --- values -------------------------------------------------------------- */

typedef struct
{
  const gchar *suffix;
  gdouble factor;
} Unit;

static const Unit milliseconds[] = {
  { "us", 1 },
  { "ms", 1000 },
  { "s", 1e6 },
  { "", 1000 },
  { NULL },
};

static const Unit seconds[] = {
  { "ms", 1000 },
  { "s", 1e6 },
  { "", 1e6 },
  { NULL },
};

static const Unit bits[] = {
  { "k", 1e3 },
  { "M", 1e6 },
  { "G", 1e9 },
  { "", 1 },
  { NULL },
};

static const Unit bytes[] = {
  { "k", 1e3 },
  { "M", 1e6 },
  { "", 1 },
  { NULL },
};
static const Unit percent[] = { { "%", .01 }, { "", .01 }, { NULL } };
static const Unit plain[] = { { "", 1 }, { NULL } };

static gboolean
parse_value (const gchar *text, const Unit *units, gdouble max, gdouble *value, GError **error)
{
  gchar *end;
  gdouble number = g_ascii_strtod (text, &end);

  if (end != text)
    for (; units->suffix != NULL; units++)
      if (g_str_equal (end, units->suffix)) {
        *value = number * units->factor;
        if (isfinite (*value) && *value >= 0 && *value <= max)
          return TRUE;
        break;
      }
  FAIL ("\"%s\" is no value for this; see --help for its unit and range", text);
  return FALSE;
}

/* --- impairments ----------------------------------------------------------- */

typedef enum
{
  TIME,
  COUNT,
  SHARE,
} Kind;

typedef struct
{
  const gchar *name;
  gsize offset; /* in ImpairConfig */
  Kind kind;
  const Unit *units;
  gdouble max;
  const gchar *help, *arg;
} Impairment;

#define FIELD(field) G_STRUCT_OFFSET (ImpairConfig, field)

static const Impairment impairments[] = {
  { "delay", FIELD (delay), TIME, milliseconds, 60e6, "One-way delay", "MS" },
  { "jitter", FIELD (jitter), TIME, milliseconds, 60e6,
      "Up to so much more, evenly spread; reorders", "MS" },
  { "rate", FIELD (rate), COUNT, bits, 1e12, "Bits per second from the IP header up (k, M, G)",
      "BITS" },
  { "queue", FIELD (queue), COUNT, bytes, 1e10,
      "Drop-tail queue in front of the rate; default 200 ms of it", "BYTES" },
  { "police", FIELD (police), COUNT, bits, 1e12,
      "A policer lets so many bits per second through, and none waits", "BITS" },
  { "bucket", FIELD (bucket), COUNT, bytes, 1e10, "And so much at once; default 50k", "BYTES" },
  { "codel", FIELD (codel), TIME, milliseconds, 60e6,
      "Keep that queue at this target (CoDel, RFC 8289), by losses or ECN marks", "MS" },
  { "loss", FIELD (loss), SHARE, percent, 1, "Packets lost", "PERCENT" },
  { "loss-burst", FIELD (burst), SHARE, plain, 1e6,
      "Mean length of the bursts in which they are (Gilbert-Elliott)", "N" },
  { "stall", FIELD (stall), TIME, milliseconds, 60e6,
      "Each second or so nothing arrives for up to so long, then all at once", "MS" },
  { "reorder", FIELD (reorder), SHARE, percent, 1, "Packets that overtake others by up to 5 ms",
      "PERCENT" },
  { "duplicate", FIELD (duplicate), SHARE, percent, 1, "Packets that come twice", "PERCENT" },
  { "corrupt", FIELD (corrupt), SHARE, percent, 1, "Packets with a bit flipped", "PERCENT" },
};

/* @name: an impairment, "rtt" or "blackout", with "-ab" or "-ba" for one direction. */
static const Impairment *
find (const gchar *name, gboolean sides[2])
{
  g_autofree gchar *base = g_strdup (name);

  sides[LINK_A] = !g_str_has_suffix (name, "-ba");
  sides[LINK_B] = !g_str_has_suffix (name, "-ab");
  if (!sides[LINK_A] || !sides[LINK_B])
    base[strlen (base) - 3] = '\0';
  for (guint i = 0; i < G_N_ELEMENTS (impairments); i++)
    if (g_str_equal (base, impairments[i].name))
      return &impairments[i];
  return NULL;
}

static gboolean
set_field (ImpairConfig *config, const Impairment *what, const gchar *value, GError **error)
{
  gpointer field = G_STRUCT_MEMBER_P (config, what->offset);
  gdouble number;

  if (!parse_value (value, what->units, what->max, &number, error))
    return FALSE;
  switch (what->kind) {
    case TIME:
      *(gint64 *) field = llrint (number);
      break;
    case COUNT:
      *(guint64 *) field = llrint (number);
      break;
    case SHARE:
      *(gdouble *) field = number;
      break;
  }
  return TRUE;
}

static gboolean
set_impairment (ImpairConfig *a, ImpairConfig *b, const gchar *name, const gchar *value,
    GError **error)
{
  gboolean sides[2];
  const Impairment *what;

  if (g_str_equal (name, "rtt")) {
    gdouble rtt;

    if (!parse_value (value, milliseconds, 120e6, &rtt, error))
      return FALSE;
    a->delay = b->delay = llrint (rtt / 2);
    return TRUE;
  }
  what = find (name, sides);
  if (what == NULL) {
    FAIL ("there is no impairment called \"%s\"; see --help", name);
    return FALSE;
  }
  return (!sides[LINK_A] || set_field (a, what, value, error))
      && (!sides[LINK_B] || set_field (b, what, value, error));
}

static gboolean
on_impairment (const gchar *option, const gchar *value, gpointer data, GError **error)
{
  LinkOptions *options = data;

  if (set_impairment (&options->wires[LINK_A], &options->wires[LINK_B], option + 2, value, error))
    return TRUE;
  g_prefix_error (error, "%s: ", option);
  return FALSE;
}

static gboolean
on_blackout (const gchar *option, const gchar *value, gpointer data, GError **error)
{
  LinkOptions *options = data;
  g_auto (GStrv) parts = g_strsplit (value, ":", 2);
  gdouble start, length;

  if (g_strv_length (parts) != 2 || !parse_value (parts[0], seconds, 1e12, &start, NULL)
      || !parse_value (parts[1], seconds, 1e12, &length, NULL)) {
    FAIL ("%s: \"%s\" should be START:LENGTH in seconds, e.g. 5:0.5", option, value);
    return FALSE;
  }
  for (guint side = 0; side < 2; side++) {
    ImpairConfig *wire = &options->wires[side];
    guint i = 0;

    if (g_str_has_suffix (option, side == LINK_A ? "-ba" : "-ab"))
      continue;
    while (i < IMPAIR_BLACKOUTS && wire->blackouts[i].end > 0)
      i++;
    if (i == IMPAIR_BLACKOUTS) {
      FAIL ("%s: at most %d black-outs", option, IMPAIR_BLACKOUTS);
      return FALSE;
    }
    wire->blackouts[i].start = llrint (start);
    wire->blackouts[i].end = llrint (start + length);
  }
  return TRUE;
}

/* --- changes while the link runs -------------------------------------------- */

static void
clear_change (LinkChange *change)
{
  g_free (change->name);
  g_free (change->value);
}

static gint
compare_changes (gconstpointer a, gconstpointer b)
{
  const LinkChange *x = a, *y = b;

  return (x->when > y->when) - (x->when < y->when);
}

static gboolean
on_change (const gchar *option, const gchar *value, gpointer data, GError **error)
{
  LinkOptions *options = data;
  g_auto (GStrv) when = g_strsplit (value, ":", 2);
  g_auto (GStrv) what = NULL;
  ImpairConfig a = { 0 }, b = { 0 };
  LinkChange change;
  gdouble at;

  if (g_strv_length (when) == 2)
    what = g_strsplit (when[1], "=", 2);
  if (what == NULL || g_strv_length (what) != 2
      || !parse_value (when[0], seconds, 1e12, &at, NULL)) {
    FAIL ("%s: \"%s\" should be SECONDS:IMPAIRMENT=VALUE, e.g. 10:rate=5M", option, value);
    return FALSE;
  }
  if (!set_impairment (&a, &b, what[0], what[1], error)) {
    g_prefix_error (error, "%s: ", option);
    return FALSE;
  }
  change.when = llrint (at);
  change.name = g_strdup (what[0]);
  change.value = g_strdup (what[1]);
  g_array_append_val (options->changes, change);
  g_array_sort (options->changes, compare_changes);
  return TRUE;
}

gint64
link_options_due (const LinkOptions *options)
{
  return options->changes->len == 0 ? G_MAXINT64 :
                                      g_array_index (options->changes, LinkChange, 0).when;
}

void
link_options_change (LinkOptions *options, ImpairConfig *a, ImpairConfig *b, gint64 now)
{
  while (link_options_due (options) <= now) {
    LinkChange *change = &g_array_index (options->changes, LinkChange, 0);

    set_impairment (a, b, change->name, change->value, NULL);
    g_array_remove_index (options->changes, 0);
  }
}

/* --- the command line ------------------------------------------------------------ */

static gboolean
on_time (const gchar *option, const gchar *value, gpointer data, GError **error)
{
  LinkOptions *options = data;
  gdouble time;

  if (!parse_value (value, seconds, 1e12, &time, error)) {
    g_prefix_error (error, "%s: ", option);
    return FALSE;
  }
  *(g_str_equal (option, "--seconds") ? &options->seconds : &options->rebind) = llrint (time);
  return TRUE;
}

static void
add_impairments (GOptionContext *context, LinkOptions *options, GPtrArray *names)
{
  static const gchar *sides[] = { "", "-ab", "-ba" };
  GOptionGroup *group = g_option_group_new ("impairments",
      "Impairments, both ways; NAME-ab from A to B, NAME-ba from B to A:", "Show the impairments",
      options, NULL);
  GOptionEntry entry[2] = { 0 };

  entry->arg = G_OPTION_ARG_CALLBACK;
  for (guint i = 0; i < G_N_ELEMENTS (impairments); i++)
    for (guint j = 0; j < G_N_ELEMENTS (sides); j++) {
      gchar *name = g_strconcat (impairments[i].name, sides[j], NULL);

      g_ptr_array_add (names, name);
      entry->long_name = name;
      entry->flags = j == 0 ? 0 : G_OPTION_FLAG_HIDDEN;
      entry->arg_data = on_impairment;
      entry->description = impairments[i].help;
      entry->arg_description = impairments[i].arg;
      g_option_group_add_entries (group, entry);
    }
  for (guint j = 0; j < G_N_ELEMENTS (sides); j++) {
    gchar *name = g_strconcat ("blackout", sides[j], NULL);

    g_ptr_array_add (names, name);
    entry->long_name = name;
    entry->flags = j == 0 ? 0 : G_OPTION_FLAG_HIDDEN;
    entry->arg_data = on_blackout;
    entry->description = "Nothing passes for LENGTH s after START s; may be repeated";
    entry->arg_description = "START:LENGTH";
    g_option_group_add_entries (group, entry);
  }
  g_option_context_add_group (context, group);
}

gboolean
link_options_parse (LinkOptions *options, gboolean relay, gint *argc, gchar ***argv, GError **error)
{
  gint seed = 1;
  GOptionEntry common[] = {
    { "rtt", 0, 0, G_OPTION_ARG_CALLBACK, on_impairment, "Round trip time, half of it each way",
        "MS" },
    { "at", 0, 0, G_OPTION_ARG_CALLBACK, on_change, "Change an impairment after so many seconds",
        "SECONDS:NAME=VALUE" },
    { "seed", 0, 0, G_OPTION_ARG_INT, &seed, "Of all chance; default 1", "N" },
    { "stats", 0, 0, G_OPTION_ARG_FILENAME, &options->stats,
        "Write what happened to the packets as JSON at the end", "FILE" },
    { "seconds", 0, 0, G_OPTION_ARG_CALLBACK, on_time, "Stop after so long", "SECONDS" },
    { "spin", 0, 0, G_OPTION_ARG_NONE, &options->spin,
        "Keep a core busy, so that packets are late by microseconds", NULL },
    { NULL },
  };
  GOptionEntry tun[] = {
    { "mtu", 0, 0, G_OPTION_ARG_INT, &options->mtu, "MTU of the link; default 1500", "BYTES" },
    { NULL },
  };
  GOptionEntry udp[] = {
    { "listen", 0, 0, G_OPTION_ARG_STRING, &options->listen, "Take datagrams here (side A)",
        "[HOST:]PORT" },
    { "to", 0, 0, G_OPTION_ARG_STRING, &options->to, "Send them on to here (side B)", "HOST:PORT" },
    { "rebind", 0, 0, G_OPTION_ARG_CALLBACK, on_time,
        "Like a NAT that forgets: B sees A at new ports after so long", "SECONDS" },
    { NULL },
  };
  g_autoptr (GOptionContext) context = g_option_context_new (relay ? "" : "-- COMMAND [ARGUMENTS]");
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  GOptionGroup *group = g_option_group_new ("main", "", "", options, NULL);
  gboolean good;

  *options = (LinkOptions) { .mtu = 1500 };
  options->changes = g_array_new (FALSE, FALSE, sizeof (LinkChange));
  g_array_set_clear_func (options->changes, (GDestroyNotify) clear_change);
  g_option_group_add_entries (group, common);
  g_option_group_add_entries (group, relay ? udp : tun);
  g_option_context_set_main_group (context, group);
  add_impairments (context, options, names);
  g_option_context_set_strict_posix (context, TRUE);
  good = g_option_context_parse (context, argc, argv, error);
  options->seed = seed;
  for (guint side = 0; good && side < 2; side++) {
    gdouble burst = options->wires[side].burst;

    /* at least one packet passes between two bursts */
    if (burst > 1 && options->wires[side].loss > burst / (burst + 1)) {
      FAIL ("--loss: in bursts of %g at most %g %% can be lost", burst, 100 * burst / (burst + 1));
      good = FALSE;
    }
  }
  if (good && (options->mtu < 576 || options->mtu > 65535)) {
    FAIL ("--mtu: %d is not within 576 to 65535", options->mtu);
    good = FALSE;
  }
  return good;
}

void
link_options_clear (LinkOptions *options)
{
  g_array_unref (options->changes);
  g_free (options->stats);
  g_free (options->listen);
  g_free (options->to);
}
