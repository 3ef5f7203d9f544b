/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "faspsources.h"
#include "gstfaspcommon.h"
#include "gstfaspenums.h"

GST_FASP_DEFINE_ENUM (GstFaspMode, gst_fasp_mode,
    { GST_FASP_MODE_NONE, "Caller if the URI has a host, listener if not", "none" },
    { GST_FASP_MODE_CALLER, "Dial the URI's host and port", "caller" },
    { GST_FASP_MODE_LISTENER, "Wait to be dialled", "listener" },
    { GST_FASP_MODE_RENDEZVOUS, "Both ends know and dial the other's address", "rendezvous" });

GST_FASP_DEFINE_ENUM (GstFaspSlowPolicy, gst_fasp_slow_policy,
    { FASP_SLOW_WAIT, "Wait for it, unless it is silent while others are heard", "wait" },
    { FASP_SLOW_DROP_RECEIVER, "Disconnect it", "drop-receiver" },
    { FASP_SLOW_SKIP, "Move it ahead; it sees a gap", "skip" });

GST_FASP_DEFINE_ENUM (GstFaspTooLate, gst_fasp_too_late,
    { GST_FASP_TOO_LATE_WAIT, "Wait for it: nothing is ever dropped", "wait" },
    { GST_FASP_TOO_LATE_SKIP, "Give it up and go on behind the gap", "skip" });

GST_FASP_DEFINE_ENUM (GstFaspFlowAssignment, gst_fasp_flow_assignment,
    { FASP_ASSIGNMENT_RANDOM, "Each packet on a flow chosen at random", "random" },
    { FASP_ASSIGNMENT_ROUND_ROBIN, "The flows in turn", "round-robin" },
    { FASP_ASSIGNMENT_DUPLICATE,
        "Every packet on all flows, so that "
        "the loss of one is not felt at all (SMPTE ST 2022-7)",
        "duplicate" });

GST_FASP_DEFINE_ENUM (GstFaspRateControl, gst_fasp_rate_control,
    { GST_FASP_RATE_CONTROL_AUTO,
        "fixed if max-bitrate is set when the element starts, else adaptive", "auto" },
    { GST_FASP_RATE_CONTROL_FIXED, "max-bitrate is the rate", "fixed" },
    { GST_FASP_RATE_CONTROL_PERT, "That of Probabilistic Early Response TCP, for comparison",
        "pert" },
    { GST_FASP_RATE_CONTROL_ADAPTIVE,
        "What the path has room for without a queue, measured by short pulses", "adaptive" });

GST_FASP_DEFINE_ENUM (GstFaspJoinAt, gst_fasp_join_at,
    { FASP_JOIN_ANY, "Source: as set at the sink. Sink: live", "auto" },
    { FASP_JOIN_LIVE, "What is sent from now on", "live" },
    { FASP_JOIN_KEY_FRAME, "The newest key frame that is kept", "keyframe" },
    { FASP_JOIN_BACK, "join-back ago, as far back as history goes", "back" });

GST_FASP_DEFINE_ENUM (GstFaspRedundancy, gst_fasp_redundancy,
    { FASP_REDUNDANCY_NONE, "One source at a time; another is called when it is gone", "none" },
    { FASP_REDUNDANCY_HOT, "All sources send all of the stream", "hot" },
    { FASP_REDUNDANCY_STANDBY, "One source sends; the others are connected, and send when it fails",
        "standby" });
