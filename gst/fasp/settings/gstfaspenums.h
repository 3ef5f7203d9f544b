/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gstfaspenums.h: the enumerations that properties use, some of them the core's.  Their numbers are
 * a part of the elements' interface: a new value goes behind the others.
 */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef enum
{
  GST_FASP_MODE_NONE,
  GST_FASP_MODE_CALLER,
  GST_FASP_MODE_LISTENER,
  GST_FASP_MODE_RENDEZVOUS,
} GstFaspMode;

typedef enum
{
  GST_FASP_TOO_LATE_WAIT,
  GST_FASP_TOO_LATE_SKIP,
} GstFaspTooLate;

typedef enum
{
  GST_FASP_RATE_CONTROL_AUTO,
  GST_FASP_RATE_CONTROL_FIXED,
  GST_FASP_RATE_CONTROL_PERT,
  GST_FASP_RATE_CONTROL_ADAPTIVE,
} GstFaspRateControl;

#define GST_TYPE_FASP_MODE (gst_fasp_mode_get_type ())
GType gst_fasp_mode_get_type (void);
#define GST_TYPE_FASP_SLOW_POLICY (gst_fasp_slow_policy_get_type ())
GType gst_fasp_slow_policy_get_type (void);
#define GST_TYPE_FASP_TOO_LATE (gst_fasp_too_late_get_type ())
GType gst_fasp_too_late_get_type (void);
#define GST_TYPE_FASP_FLOW_ASSIGNMENT (gst_fasp_flow_assignment_get_type ())
GType gst_fasp_flow_assignment_get_type (void);
#define GST_TYPE_FASP_RATE_CONTROL (gst_fasp_rate_control_get_type ())
GType gst_fasp_rate_control_get_type (void);
#define GST_TYPE_FASP_JOIN_AT (gst_fasp_join_at_get_type ())
GType gst_fasp_join_at_get_type (void);
#define GST_TYPE_FASP_REDUNDANCY (gst_fasp_redundancy_get_type ())
GType gst_fasp_redundancy_get_type (void);

G_END_DECLS
