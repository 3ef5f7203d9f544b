# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the checks of this folder print, and how they end."""

import sys


def report(checks):
    """Ends the program. @checks: [(what is right, what is wrong with it)]; a check has failed if anything is."""
    print(f"TAP version 13\n1..{len(checks)}")
    for number, (what, wrong) in enumerate(checks, 1):
        print("not ok" if wrong else "ok", number, "-", what)
        for complaint in wrong:
            print("#", complaint.replace("\n", "\n# "))
    sys.exit(any(wrong for _, wrong in checks))
