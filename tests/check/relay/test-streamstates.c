/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The states of a stream, of an end and of a source follow each other as the drawings in their
 * headers have it.
 */
#include "relayfailover.h"
#include "relaystreambase.h"

static gboolean
phase_follows (guint from, guint to)
{
  return relay_phase_follows (from, to);
}

static gboolean
branch_follows (guint from, guint to)
{
  return relay_branch_follows (from, to);
}

static gboolean
source_follows (guint from, guint to)
{
  return relay_source_follows (from, to);
}

typedef struct
{
  const gchar *header;
  const gchar *const *names;
  guint states;
  gboolean (*follows) (guint from, guint to);
} Drawing;

static const gchar *const phases[] = { "IDLE", "STARTING", "CALLED_OFF", "RUNNING", "STOPPING",
  "STOPPED" };
static const gchar *const branches[] = { "OPENING", "GIVEN_UP", "OPEN", "CLOSING" };
static const gchar *const sources[] = { "SILENT", "STANDBY", "CUED", "ACTIVE", "STALLED" };
static const Drawing drawings[] = {
  { "relaystreambase.h", phases, RELAY_PHASES, phase_follows },
  { "relaybranch.h", branches, RELAY_BRANCH_STATES, branch_follows },
  { "relayfailover.h", sources, RELAY_SOURCE_STATES, source_follows },
};

/* Each arrow of the drawing is a step, and there are no others. */
static void
test_drawn (gconstpointer data)
{
  const Drawing *drawing = data;
  g_autofree gchar *path =
      g_build_filename (g_getenv ("FASP_RELAY_STREAMS"), drawing->header, NULL);
  g_autofree gchar *text = NULL;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  for (guint from = 0; from < drawing->states; from++)
    for (guint to = 0; to < drawing->states; to++) {
      g_autofree gchar *arrow =
          g_strdup_printf ("\\b%s --> %s\\b", drawing->names[from], drawing->names[to]);

      g_test_message ("%s", arrow);
      g_assert_true (drawing->follows (from, to) == g_regex_match_simple (arrow, text, 0, 0));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/relay/states/stream", &drawings[0], test_drawn);
  g_test_add_data_func ("/relay/states/end", &drawings[1], test_drawn);
  g_test_add_data_func ("/relay/states/source", &drawings[2], test_drawn);
  return g_test_run ();
}
