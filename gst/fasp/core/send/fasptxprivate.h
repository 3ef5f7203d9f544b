/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasptxprivate.h: what the files of the sending half share.
 */
#pragma once

#include "fasptx.h"

G_BEGIN_DECLS

/* Judges by a FEEDBACK whether the peer hears its group. */
void fasp_tx_judge_hearing (FaspTx *tx, FaspTime now, const FaspRtt *rtt);
/* A peer that hears the group again, but has not joined it yet, may have blocks that
 * were not sent to it alone. */
void fasp_tx_overtake (FaspTx *tx, const FaspFeedback *feedback);

G_END_DECLS
