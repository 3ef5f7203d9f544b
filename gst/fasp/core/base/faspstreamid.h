/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * faspstreamid.h: what may be shown of a streamid, which may have a password or a token in it.
 *
 * It may have the keys of SRT's access control (`#!::r=NAME,u=USER,s=PASSWORD'), or MediaMTX's
 * parts (read or publish:NAME:USER:PASSWORD:QUERY).  Any other text is a name.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define FASP_STREAMID_KEYS "#!::"

/* Returns a copy, in which a star stands for a password, and for what may be one. */
gchar *fasp_streamid_show (const gchar *streamid);

G_END_DECLS
