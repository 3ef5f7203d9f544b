/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspdice.h"

/* The first ones of some seeds, reckoned elsewhere. */
static void
test_known (void)
{
  static const struct
  {
    guint64 seed, rolls[3]; /* of 2^53 */
  } known[] = {
    { 1, { 2529537253518747, 6045066965290796, 6537840858852963 } },
    { 0x0123456789abcdef, { 4383273046611662, 7509710896358373, 4810242163784704 } },
    { G_MAXUINT64, { 8767064356995072, 5064971635368917, 1844511259381237 } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (known); i++) {
    guint64 dice = known[i].seed;

    for (guint j = 0; j < G_N_ELEMENTS (known[i].rolls); j++)
      g_assert_cmpfloat (fasp_dice_roll (&dice), ==, known[i].rolls[j] * 0x1p-53);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/dice/known", test_known);
  return g_test_run ();
}
