/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * ends.h: FaspIo over the loopback interface.
 *
 * A test takes the settings of an end that works, changes what it is about, and makes the end of
 * them.  What an end says that a test does not listen to is printed.  The threads that can still be
 * made are counted here, as each test program that has ends wants to know what happens without.
 */
#pragma once

#include "faspio.h"

G_BEGIN_DECLS

/* The longest wait for another thread, in looks of 1 ms. */
#define LOOKS_MAX 30000

typedef struct
{
  FaspIoSettings io; /* points to the link: not to be copied */
  FaspSocketSettings link;
} EndSettings;

/* At 127.0.0.1, and @data for its functions.  One that dials calls @peer there. */
void end_settings_init (EndSettings *settings, FaspRole role, FaspMode mode, guint16 peer,
    gpointer data);
/* An error fails the test. */
FaspIo *end_new (const EndSettings *settings);
/* Until all of the stream has arrived, as an element does it. */
void end_drain (FaspIo *io);

/* How many threads can still be made; -1: any number. */
extern gint threads_left;

/* Call it before each look at what another thread is to do. */
void pause_before_look (guint *looks);
/* Until @count, which is atomic, is @n or more. */
void wait_for_count (gint *count, gint n);

G_END_DECLS
