/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is shown of a streamid: neither passwords nor tokens.
 */
#include "faspstreamid.h"

static void
test_shown (void)
{
  static const struct
  {
    const gchar *streamid, *shown;
  } all[] = {
    { "#!::s=x,r=a,u=joe", "#!::s=*,r=a,u=joe" },
    { "#!::s=x,a", "#!::s=*,*" },
    { "#!::r=a,s=pa,ss,token=x", "#!::r=a,s=*,*,*" },
    { "#!::s=x=y,m=publish,r=a", "#!::s=*,m=publish,r=a" },
    { "publish:a", "publish:a" },
    { "read:a:q=1", "read:a:*" },
    { "read:a:joe:x", "read:a:joe:*" },
    { "publish:a:joe:x:q:r", "publish:a:joe:*" },
    { "request:a:joe:x", "request:a:joe:*" },
    { "urn:a:b", "urn:a:b" },
    { "", "" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (all); i++) {
    g_autofree gchar *shown = fasp_streamid_show (all[i].streamid);

    g_assert_cmpstr (shown, ==, all[i].shown);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/streamid/shown", test_shown);
  return g_test_run ();
}
