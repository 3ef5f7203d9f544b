/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspplugin.c: the plugin, with both elements.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstfaspelements.h"

static gboolean
plugin_init (GstPlugin *plugin)
{
  gboolean registered = GST_ELEMENT_REGISTER (faspsink, plugin);

  return GST_ELEMENT_REGISTER (faspsrc, plugin) && registered;
}

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, fasp,
    "Reliable live streams over bad networks", plugin_init, VERSION, GST_LICENSE, GST_PACKAGE_NAME,
    GST_PACKAGE_ORIGIN)
