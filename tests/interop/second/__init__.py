# SPDX-License-Identifier: LGPL-2.1-or-later
"""A second implementation of fasp, made from docs/protocol.md alone.

No module here knows a socket or a clock but shell.py: times (µs) and random bytes are arguments, and what has to be
sent is polled."""
