/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * fasptxprivate.h: shared by the files of the sending half.
 */
#pragma once

#include "fasptx.h"

G_BEGIN_DECLS

/* A member's: what the group has sent meanwhile. */
void fasp_tx_follow_group (FaspTx * tx);
/* Does it hear its group, by what a FEEDBACK says? */
void fasp_tx_judge_hearing (FaspTx * tx, FaspTime now, const FaspRtt * rtt);
/* Who hears the group again, and is not back yet, may have more than was sent to it. */
void fasp_tx_overtake (FaspTx * tx, const FaspFeedback * feedback);

G_END_DECLS
