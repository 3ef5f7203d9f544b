/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstcbrpacerplugin.c: the plugin, with its one element.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstcbrpacer.h"

static gboolean
plugin_init (GstPlugin *plugin)
{
  return GST_ELEMENT_REGISTER (cbrpacer, plugin);
}

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, cbrpacer, "Exact constant bit rate pacing",
    plugin_init, VERSION, GST_LICENSE, GST_PACKAGE_NAME, GST_PACKAGE_ORIGIN)
