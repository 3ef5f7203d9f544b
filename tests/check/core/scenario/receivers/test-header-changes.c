/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The header of a stream comes, goes, or changes while receivers are on the way in, in virtual
 * time: nobody waits for one that does not come.
 */
#include <string.h>
#include "faspendpointbase.h"
#include "faspposition.h"
#include "fasptxprivate.h"
#include "vheader.h"

/* The stream is another one that needs none, and nobody says where its key frames are: who waits
 * for one begins, and so does who comes later. */
static void
test_gone (void)
{
  g_autoptr (VHeader) sim = vheader_new (1, 700, 6);

  vheader_begin (sim, 0);
  vheader_run (sim, 6200 * FASP_MSEC);
  vheader_join (sim);
  vheader_run (sim, 300 * FASP_MSEC);
  g_assert_cmpuint (sim->first, ==, FASP_OFFSET_UNKNOWN);
  sim->source.key_every = G_MAXUINT;
  fasp_endpoint_set_header (sim->sender, vnet_get_time (sim->net), NULL);
  vheader_run (sim, FASP_SEC);
  g_assert_cmpuint (sim->enters, ==, 1);
  g_assert_cmpuint (g_bytes_get_size (sim->got), ==, 0);
  g_assert_cmpuint (sim->first, !=, FASP_OFFSET_UNKNOWN);
  vnet_attach (sim->net, VNET_B, NULL);
  fasp_endpoint_free (sim->reader);
  sim->first = FASP_OFFSET_UNKNOWN;
  vheader_join (sim);
  vheader_run (sim, FASP_SEC);
  g_assert_cmpuint (sim->first, !=, FASP_OFFSET_UNKNOWN);
  g_assert_cmpuint (sim->enters, ==, 1);
}

/* It is so while somebody is on the way in, and nobody else is there. */
static void
test_gone_meanwhile (void)
{
  for (guint i = 0; i < 20; i++) {
    g_autoptr (VHeader) sim = vheader_new (1, 700, 6);

    vheader_begin (sim, 0);
    vheader_run (sim, 6200 * FASP_MSEC);
    sim->source.key_every = G_MAXUINT;
    vheader_join (sim);
    vheader_run (sim, i * 10 * FASP_MSEC);
    fasp_endpoint_set_header (sim->sender, vnet_get_time (sim->net), NULL);
    vheader_run (sim, FASP_SEC);
    g_assert_cmpuint (sim->first, !=, FASP_OFFSET_UNKNOWN);
  }
}

/* A stream has a header only from the moment on in which somebody is on the way in, who was told of
 * none: there is no part of it before the header. */
static void
test_come_meanwhile (void)
{
  guint told = 0;

  for (guint i = 0; i < 20; i++) {
    g_autoptr (VHeader) sim = vheader_new (1, 700, 6);
    gboolean half;

    vheader_begin_without (sim, 0);
    /* between key frames */
    vheader_run (sim, 6500 * FASP_MSEC);
    vheader_join (sim);
    vheader_run (sim, i * 10 * FASP_MSEC);
    half = fasp_endpoint_get_open (sim->sender) == NULL;
    told += half && sim->sender->sessions->len > 0;
    fasp_endpoint_set_header (sim->sender, vnet_get_time (sim->net), sim->source.header);
    vheader_run (sim, 5 * FASP_SEC);
    g_assert_cmpuint (sim->next, >, sim->source.written - 2 * VHEADER_UNIT_SIZE);
    if (half)
      vheader_assert_entered (sim);
  }
  g_assert_cmpuint (told, >, 3);
}

/* The same, and the header's key frame comes before it is in, and is kept: it begins there. */
static void
test_come_kept (void)
{
  guint told = 0;

  for (guint i = 0; i < 20; i++) {
    g_autoptr (VHeader) sim = vheader_new (1, 700, 6);
    gboolean half;

    sim->config.history = 60 * FASP_SEC;
    vheader_begin_without (sim, 0);
    /* the next key frame comes while the call is answered */
    vheader_run (sim, 8965 * FASP_MSEC);
    vheader_join (sim);
    vheader_run (sim, i * VHEADER_STEP);
    half = sim->sender->sessions->len > 0 && fasp_endpoint_get_open (sim->sender) == NULL
        && sim->source.written == 30 * VHEADER_UNIT_SIZE;
    told += half;
    fasp_endpoint_set_header (sim->sender, vnet_get_time (sim->net), sim->source.header);
    vheader_run (sim, 5 * FASP_SEC);
    if (half) {
      vheader_assert_entered (sim);
      g_assert_cmpuint (sim->first, ==, 30 * VHEADER_UNIT_SIZE);
    }
  }
  g_assert_cmpuint (told, >, 0);
}

/* The same, and then it has none again, or ends: nobody waits for it any more. */
static void
test_come_in_vain (gconstpointer data)
{
  gboolean ends = GPOINTER_TO_INT (data);

  for (guint i = 0; i < 20; i++) {
    g_autoptr (VHeader) sim = vheader_new (1, 700, G_MAXUINT);

    vheader_begin_without (sim, 0);
    vheader_run (sim, 6500 * FASP_MSEC);
    vheader_join (sim);
    vheader_run (sim, i * 10 * FASP_MSEC);
    fasp_endpoint_set_header (sim->sender, vnet_get_time (sim->net), sim->source.header);
    vheader_run (sim, 2 * FASP_SEC);
    if (ends) {
      sim->source.units = G_MAXUINT;
      fasp_endpoint_finish (sim->sender, vnet_get_time (sim->net));
      vheader_run (sim, 2 * FASP_SEC);
      g_assert_true (fasp_endpoint_is_drained (sim->sender));
    } else {
      fasp_endpoint_set_header (sim->sender, vnet_get_time (sim->net), NULL);
      vheader_run (sim, 2 * FASP_SEC);
      g_assert_cmpuint (sim->next, >, sim->source.written - 2 * VHEADER_UNIT_SIZE);
    }
  }
}

/* Who joins in what was kept of before begins behind that. */
static void
test_gone_before (void)
{
  g_autoptr (VHeader) sim = vheader_new (1, 700, 6);
  guint64 written;

  sim->config.history = 60 * FASP_SEC;
  sim->config.join = FASP_JOIN_BACK;
  sim->config.join_back_ms = 1000;
  vheader_begin (sim, 0);
  vheader_run (sim, 6500 * FASP_MSEC);
  sim->source.key_every = G_MAXUINT;
  fasp_endpoint_set_header (sim->sender, vnet_get_time (sim->net), NULL);
  written = sim->source.written;
  vheader_run (sim, 500 * FASP_MSEC);
  vheader_join (sim);
  vheader_run (sim, FASP_SEC);
  g_assert_cmpuint (sim->first, ==, written);
}

/* Who has bytes of the stream, and is moved ahead over the word that it needs no header any
 * more, hears it again, or it would wait for one when another stream comes. */
static void
test_gone_unheard (void)
{
  g_autoptr (VHeader) sim = vheader_new (1, 700, 6);
  FaspStreamOffset position = { .known = TRUE };

  sim->config.settings.slow_policy = FASP_SLOW_SKIP;
  sim->config.buffer_size = 1 << 18;
  vheader_begin (sim, 0);
  sim->source.units = G_MAXUINT;
  vheader_join (sim);
  vheader_run (sim, FASP_SEC);
  sim->source.units = vnet_get_time (sim->net) / VHEADER_UNIT;
  vheader_run (sim, 3 * FASP_SEC);
  g_assert_cmpuint (sim->first, ==, 0);
  sim->gaps = TRUE;
  sim->source.key_every = G_MAXUINT;
  vnet_get_wire (sim->net, VNET_A, VNET_B)->loss = 1;
  vheader_run (sim, 100 * FASP_MSEC);
  fasp_endpoint_set_header (sim->sender, vnet_get_time (sim->net), NULL);
  vheader_run (sim, 5 * FASP_SEC);
  vnet_get_wire (sim->net, VNET_A, VNET_B)->loss = 0;
  vheader_run (sim, 2 * FASP_SEC);
  memset (position.origin.bytes, 0x22, FASP_ORIGIN_SIZE);
  position.offset = sim->source.written;
  g_assert_true (fasp_endpoint_set_stream_offset (sim->sender, vnet_get_time (sim->net),
      vnet_get_time (sim->net), &position));
  vheader_run (sim, 2 * FASP_SEC);
  g_assert_cmpuint (sim->next, >, position.offset);
}

/* Who says each time that it has passed over more has it said no more often for that. */
static void
test_gone_hostile (void)
{
  g_autoptr (VHeader) sim = vheader_new (1, 700, 6);
  FaspSession *session;
  guint64 head;

  sim->config.history = 60 * FASP_SEC;
  sim->config.join = FASP_JOIN_BACK;
  sim->config.join_back_ms = 1000;
  vheader_begin (sim, 0);
  vheader_run (sim, 6500 * FASP_MSEC);
  sim->source.key_every = G_MAXUINT;
  fasp_endpoint_set_header (sim->sender, vnet_get_time (sim->net), NULL);
  vheader_join (sim);
  do
    vheader_run (sim, VHEADER_STEP);
  while ((session = fasp_endpoint_get_open (sim->sender)) == NULL);
  vnet_get_wire (sim->net, VNET_A, VNET_B)->loss = 1;
  g_assert_cmpint (session->record->header_wait.state, !=, FASP_RECEIVER_READS);
  sim->source.units = G_MAXUINT;
  head = fasp_store_get_head (sim->sender->store);
  for (guint i = 0; i < 300; i++) {
    session->tx->view.counts.skips_reported++;
    vheader_run (sim, 10 * FASP_MSEC);
  }
  g_assert_cmpuint (fasp_store_get_head (sim->sender->store) - head, <=, 4);
}

/* Who is called again may be another one, that has nothing. */
static void
test_called_again (void)
{
  g_autoptr (VHeader) sim = vheader_new (1, 100000, 6);
  FaspEndpointConfig r;
  FaspAddress address = vnet_get_address (VNET_B);

  fasp_endpoint_config_init (&r, FASP_ROLE_RECEIVER, FASP_MODE_LISTENER);
  sim->config.mode = FASP_MODE_CALLER;
  vheader_begin (sim, 0);
  sim->reader = vnet_add_endpoint (sim->net, VNET_B, &r);
  fasp_endpoint_dial (sim->sender, 0, &address);
  sim->source.units = G_MAXUINT;
  vheader_run (sim, FASP_SEC);
  sim->source.units = vnet_get_time (sim->net) / VHEADER_UNIT;
  vheader_run (sim, 5 * FASP_SEC);
  g_assert_cmpuint (sim->first, ==, 0);
  vnet_attach (sim->net, VNET_B, NULL);
  fasp_endpoint_free (sim->reader);
  sim->reader = NULL;
  vheader_run (sim, sim->config.resume_timeout + 10 * FASP_SEC);
  sim->first = FASP_OFFSET_UNKNOWN;
  sim->reader = vnet_add_endpoint (sim->net, VNET_B, &r);
  vheader_run (sim, 8 * FASP_SEC);
  vheader_assert_entered (sim);
}

/* Who calls does not know yet what it will send, and whoever it calls comes later. */
static void
test_called_late (void)
{
  for (guint i = 0; i < 8; i++) {
    g_autoptr (VHeader) sim = vheader_new (1, 700, 6);
    FaspEndpointConfig r;
    FaspAddress address = vnet_get_address (VNET_B);

    fasp_endpoint_config_init (&r, FASP_ROLE_RECEIVER, FASP_MODE_LISTENER);
    sim->config.mode = FASP_MODE_CALLER;
    vheader_begin_without (sim, 0);
    sim->source.units = G_MAXUINT;
    fasp_endpoint_dial (sim->sender, 0, &address);
    vheader_run (sim, 100 * FASP_MSEC);
    sim->source.units = 0;
    fasp_endpoint_set_header (sim->sender, vnet_get_time (sim->net), sim->source.header);
    vheader_run (sim, i == 0 ? 10 * FASP_SEC : i * 100 * FASP_MSEC);
    sim->reader = vnet_add_endpoint (sim->net, VNET_B, &r);
    vheader_run (sim, 8 * FASP_SEC);
    vheader_assert_entered (sim);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/header/gone", test_gone);
  g_test_add_func ("/header/gone/meanwhile", test_gone_meanwhile);
  g_test_add_func ("/header/gone/before", test_gone_before);
  g_test_add_func ("/header/come-meanwhile", test_come_meanwhile);
  g_test_add_func ("/header/come-kept", test_come_kept);
  g_test_add_data_func ("/header/come-in-vain/gone", GINT_TO_POINTER (FALSE), test_come_in_vain);
  g_test_add_data_func ("/header/come-in-vain/ends", GINT_TO_POINTER (TRUE), test_come_in_vain);
  g_test_add_func ("/header/gone/hostile", test_gone_hostile);
  g_test_add_func ("/header/gone/unheard", test_gone_unheard);
  g_test_add_func ("/header/called-again", test_called_again);
  g_test_add_func ("/header/called-late", test_called_late);
  return g_test_run ();
}
