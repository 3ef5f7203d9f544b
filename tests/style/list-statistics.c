/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Prints the fields of the statistics, one a line: whose, the roles that have it (1: sender,
 * 2: receiver, 3: both), name, type, unit, meaning; with tabs between.  Also the errors of a
 * transport stream.
 */
#include <stdio.h>
#include "faspstatfields.h"
#include "tserrors.h"

int
main (void)
{
  static const gchar *const tables[FASP_STAT_TABLES] = {
    [FASP_STATS_ENDPOINT] = "endpoint",
    [FASP_STATS_GROUP] = "group",
    [FASP_STATS_SESSION] = "session",
    [FASP_STATS_FLOW] = "flow",
    [FASP_STATS_PATH] = "way",
    [FASP_STATS_SOURCE] = "source",
    [FASP_STATS_SOURCE_CHANGE] = "change",
    [FASP_STATS_LEAD] = "lead",
    [FASP_STATS_PRESENTATION] = "presentation",
    [FASP_STATS_SUMMARY] = "summary",
  };
  static const gchar *const units[FASP_UNITS] = {
    [FASP_UNIT_NONE] = "",
    [FASP_UNIT_BYTES] = "bytes",
    [FASP_UNIT_BITRATE] = "bit/s",
    [FASP_UNIT_MBPS] = "Mbit/s",
    [FASP_UNIT_MS] = "ms",
    [FASP_UNIT_NS] = "ns",
    [FASP_UNIT_PPM] = "ppm",
    [FASP_UNIT_SHARE] = "share",
  };

  for (guint i = 0; i < FASP_STAT_TABLES; i++)
    for (guint j = 0; j < fasp_stat_tables[i].n; j++) {
      const FaspStatField *field = &fasp_stat_tables[i].fields[j];

      printf ("%s\t%u\t%s\t%s\t%s\t%s\n", tables[i], field->roles, field->name,
          fasp_stat_get_type_name (field->form), units[field->unit], field->meaning);
    }
  for (guint i = 0; i < TS_ERRORS; i++) {
    const TsErrorRow *row = &ts_error_rows[i];

    printf ("ts-error\t3\t%s\tpriority %u\t%s %s\t%s\n", row->name, row->priority, row->clause,
        row->label, row->meaning);
  }
  return 0;
}
