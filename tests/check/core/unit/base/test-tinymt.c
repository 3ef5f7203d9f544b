/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The random numbers of RFC 8682.
 */
#include <isa-l/erasure_code.h>
#include "fasptinymt.h"

/* RFC 8682, figure 2: the first numbers of seed 1. */
static void
test_tinymt (void)
{
  static const guint32 numbers[50] = { 2545341989u, 981918433, 3715302833u, 2387538352u,
    3591001365u, 3820442102u, 2114400566, 2196103051u, 2783359912u, 764534509, 643179475,
    1822416315, 881558334, 4207026366u, 3690273640u, 3240535687u, 2921447122u, 3984931427u,
    4092394160u, 44209675, 2188315343u, 2908663843u, 1834519336, 3774670961u, 3019990707u,
    4065554902u, 1239765502, 4035716197u, 3412127188u, 552822483, 161364450, 353727785, 140085994,
    149132008, 2547770827u, 4064042525u, 4078297538u, 2057335507, 622384752, 2041665899,
    2193913817u, 1080849512, 33160901, 662956935, 642999063, 3384709977u, 1723175122, 3866752252u,
    521822317, 2292524454u };
  FaspTinymt tinymt;

  fasp_tinymt_init (&tinymt, 1);
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    g_assert_cmpuint (fasp_tinymt_next (&tinymt), ==, numbers[i]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rlc/tinymt", test_tinymt);
  return g_test_run ();
}
