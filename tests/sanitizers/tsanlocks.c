/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * GMutex and GCond as pthread ones, for ThreadSanitizer: GLib
 * makes its own of futexes, which the sanitizer cannot see, and then every
 * access under such a lock looks like a race.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <glib.h>

/* they take the place of GLib's */
#pragma GCC visibility push(default)

static gpointer
get (gpointer *where, gpointer (*make) (void), void (*drop) (gpointer))
{
  gpointer found = __atomic_load_n (where, __ATOMIC_ACQUIRE), made;

  if (found != NULL)
    return found;
  made = make ();
  if (__atomic_compare_exchange_n (where, &found, made, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return made;
  drop (made);
  return found;
}

static gpointer
make_mutex (void)
{
  pthread_mutex_t *mutex = malloc (sizeof *mutex);

  pthread_mutex_init (mutex, NULL);
  return mutex;
}

static void
drop_mutex (gpointer mutex)
{
  pthread_mutex_destroy (mutex);
  free (mutex);
}

static gpointer
make_cond (void)
{
  pthread_cond_t *cond = malloc (sizeof *cond);
  pthread_condattr_t monotonic;

  pthread_condattr_init (&monotonic);
  pthread_condattr_setclock (&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init (cond, &monotonic);
  pthread_condattr_destroy (&monotonic);
  return cond;
}

static void
drop_cond (gpointer cond)
{
  pthread_cond_destroy (cond);
  free (cond);
}

#define MUTEX(m) get (&(m)->p, make_mutex, drop_mutex)
#define COND(c) get (&(c)->p, make_cond, drop_cond)

void
g_mutex_init (GMutex *mutex)
{
  mutex->p = NULL;
}

void
g_mutex_clear (GMutex *mutex)
{
  if (mutex->p != NULL)
    drop_mutex (mutex->p);
  mutex->p = NULL;
}

void
g_mutex_lock (GMutex *mutex)
{
  pthread_mutex_lock (MUTEX (mutex));
}

gboolean
g_mutex_trylock (GMutex *mutex)
{
  return pthread_mutex_trylock (MUTEX (mutex)) == 0;
}

void
g_mutex_unlock (GMutex *mutex)
{
  pthread_mutex_unlock (MUTEX (mutex));
}

void
g_cond_init (GCond *cond)
{
  cond->p = NULL;
}

void
g_cond_clear (GCond *cond)
{
  if (cond->p != NULL)
    drop_cond (cond->p);
  cond->p = NULL;
}

void
g_cond_wait (GCond *cond, GMutex *mutex)
{
  pthread_cond_wait (COND (cond), MUTEX (mutex));
}

gboolean
g_cond_wait_until (GCond *cond, GMutex *mutex, gint64 end)
{
  struct timespec ts = { .tv_sec = end / 1000000, .tv_nsec = end % 1000000 * 1000 };

  return pthread_cond_timedwait (COND (cond), MUTEX (mutex), &ts) != ETIMEDOUT;
}

void
g_cond_signal (GCond *cond)
{
  pthread_cond_signal (COND (cond));
}

void
g_cond_broadcast (GCond *cond)
{
  pthread_cond_broadcast (COND (cond));
}
