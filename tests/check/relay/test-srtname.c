/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The streamids by which callers of SRT choose an end, and give a user and password.
 */
#include <srt/access_control.h>
#include "relayprotocol.h"
#include "relaysrtname.h"

/* Which end a streamid chooses, or the code of SRT by which the caller is refused. */
static const struct
{
  const gchar *streamid;
  gint chosen; /* of `at_port' below; -1: any, as it is refused */
  gint code;
} names[] = {
  { "a", 1, 0 }, /* an output before an input */
  { "b", 2, 0 },
  { "#!::r=a", 1, 0 },
  { "#!::r=a,m=request", 1, 0 },
  { "#!::m=publish,u=camera,s=1,h=here,t=stream,r=a", 0, 0 },
  { "#!::r=b,m=publish,x=y", 2, 0 },
  { "#!::r=b", 2, SRT_REJX_BAD_MODE },
  { "#!::r=c,m=publish", 3, SRT_REJX_BAD_MODE },
  { "#!::r=d,m=request", 4, 0 }, /* it is an end's own streamid */
  { "", -1, SRT_REJX_NOTFOUND },
  { "A", -1, SRT_REJX_NOTFOUND },
  { "\xff\xfe", -1, SRT_REJX_NOTFOUND },
  { "#!::", -1, SRT_REJX_NOTFOUND },
  { "#!::r=", -1, SRT_REJX_NOTFOUND },
  { "#!::m=request", -1, SRT_REJX_NOTFOUND },
  { "#!::r=none,m=publish", -1, SRT_REJX_NOTFOUND },
  { "#!::r=a,m=bidirectional", -1, SRT_REJX_BAD_MODE },
  { "#!::r=a,m=", -1, SRT_REJX_BAD_MODE },
  { "#!::r=a,t=file", -1, SRT_REJX_NOTSUP_MEDIA },
  { "#!::r", -1, SRT_REJX_BAD_REQUEST },
  { "#!::,,,", -1, SRT_REJX_BAD_REQUEST },
  { "#!:{r:a}", -1, SRT_REJX_NOTFOUND },
};

static void
test_choose (void)
{
  static const struct
  {
    const gchar *uri;
    gboolean sends;
  } at_port[] = { { "srt://:1?streamid=a", FALSE }, { "srt://:1?streamid=a", TRUE },
    { "srt://:1?streamid=b", FALSE }, { "srt://:1?streamid=c", TRUE },
    { "srt://:1?streamid=%23!::r=d,m=request", FALSE } };
  g_autoptr (GPtrArray) ends =
      g_ptr_array_new_with_free_func ((GDestroyNotify) relay_protocol_uri_free);
  gint code;
  const gchar *reason;

  for (guint i = 0; i < G_N_ELEMENTS (at_port); i++)
    g_ptr_array_add (ends, relay_protocol_uri_parse (at_port[i].uri, at_port[i].sends, NULL, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    const RelayProtocolUri *chosen =
        relay_srt_name_choose (ends, names[i].streamid, &code, &reason);

    g_test_message ("%u: %d", i, code);
    g_assert_cmpint (code, ==, names[i].code);
    g_assert_true (chosen
        == (names[i].chosen < 0 ? NULL : g_ptr_array_index (ends, names[i].chosen)));
  }
  /* one without a streamid takes every caller */
  g_ptr_array_set_size (ends, 0);
  g_ptr_array_add (ends, relay_protocol_uri_parse ("srt://:1", FALSE, NULL, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_assert_nonnull (relay_srt_name_choose (ends, names[i].streamid, &code, &reason));
    g_assert_cmpint (code, ==, 0);
  }
}

/* What a streamid says besides the name. */
static void
test_users (void)
{
  static const struct
  {
    const gchar *streamid, *path, *user, *password, *query;
    gboolean publishes;
  } all[] = {
    { "#!::s=x,r=a,u=joe", "a", "joe", "x", NULL },
    { "#!::s=x,a", NULL, NULL, "x", NULL },
    { "#!::r=a,s=pa,ss,token=x", "a", NULL, "pa", NULL },
    { "#!::s=x=y,m=publish,r=a", "a", NULL, "x=y", NULL, TRUE },
    { "publish:a", "a", NULL, NULL, NULL, TRUE },
    { "read:a:q=1", "a", NULL, NULL, "q=1" },
    { "read:a:joe:x", "a", "joe", "x", NULL },
    { "publish:a:joe:x:q:r", "a", "joe", "x", "q:r", TRUE },
    { "request:a:joe:x", NULL, NULL, NULL, NULL },
    { "urn:a:b", NULL, NULL, NULL, NULL },
    { "", NULL, NULL, NULL, NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (all); i++) {
    g_auto (RelaySrtName) name = { 0 };

    relay_srt_name_read (all[i].streamid, &name);
    g_assert_cmpstr (name.path, ==, all[i].path);
    g_assert_cmpstr (name.user, ==, all[i].user);
    g_assert_cmpstr (name.password, ==, all[i].password);
    g_assert_cmpstr (name.query, ==, all[i].query);
    g_assert_cmpint (name.publishes, ==, all[i].publishes);
  }
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/srtname/choose", test_choose);
  g_test_add_func ("/srtname/users", test_users);
  return g_test_run ();
}
