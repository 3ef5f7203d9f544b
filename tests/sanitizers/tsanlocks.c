/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * GMutex, GCond and g_once as pthread's, for ThreadSanitizer: GLib makes its own of futexes, which
 * the sanitizer cannot see, and then every access under such a lock looks like a race.  So does
 * what a thread hands to a main context or to a GAsyncQueue (GstHarness has one), as their locks
 * are within GLib.
 *
 * GRecMutex and GRWLock are pthread's in GLib, too, and have the same form here.  But what GLib
 * calls is not looked at (tsan.supp), and of these it calls some for itself, and some in the name
 * of its caller: there were locks that are only unlocked.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* RTLD_NEXT */
#endif
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <sanitizer/tsan_interface.h>
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

/* --- those that GLib has of pthread ----------------------------------------------------------- */

static gpointer
make_recursive (void)
{
  pthread_mutex_t *mutex = malloc (sizeof *mutex);
  pthread_mutexattr_t recursive;

  pthread_mutexattr_init (&recursive);
  pthread_mutexattr_settype (&recursive, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init (mutex, &recursive);
  pthread_mutexattr_destroy (&recursive);
  return mutex;
}

static gpointer
make_rw (void)
{
  pthread_rwlock_t *lock = malloc (sizeof *lock);

  pthread_rwlock_init (lock, NULL);
  return lock;
}

static void
drop_rw (gpointer lock)
{
  pthread_rwlock_destroy (lock);
  free (lock);
}

#define RECURSIVE(m) get (&(m)->p, make_recursive, drop_mutex)
#define RW(l) get (&(l)->p, make_rw, drop_rw)

void
g_rec_mutex_lock (GRecMutex *mutex)
{
  pthread_mutex_lock (RECURSIVE (mutex));
}

gboolean
g_rec_mutex_trylock (GRecMutex *mutex)
{
  return pthread_mutex_trylock (RECURSIVE (mutex)) == 0;
}

void
g_rec_mutex_unlock (GRecMutex *mutex)
{
  pthread_mutex_unlock (RECURSIVE (mutex));
}

void
g_rw_lock_reader_lock (GRWLock *lock)
{
  pthread_rwlock_rdlock (RW (lock));
}

void
g_rw_lock_reader_unlock (GRWLock *lock)
{
  pthread_rwlock_unlock (RW (lock));
}

void
g_rw_lock_writer_lock (GRWLock *lock)
{
  pthread_rwlock_wrlock (RW (lock));
}

void
g_rw_lock_writer_unlock (GRWLock *lock)
{
  pthread_rwlock_unlock (RW (lock));
}

/* --- once ---------------------------------------------------------------------------------- */

typedef struct _Made Made;

/* A place whose value somebody makes. */
struct _Made
{
  const volatile void *place;
  Made *next;
};

static pthread_mutex_t once = PTHREAD_MUTEX_INITIALIZER; /* guards the list */
static pthread_cond_t made_one = PTHREAD_COND_INITIALIZER;
static Made *made;

static Made **
find_made (const volatile void *place)
{
  Made **at = &made;

  while (*at != NULL && (*at)->place != place)
    at = &(*at)->next;
  return at;
}

gboolean (g_once_init_enter) (volatile void *place)
{
  gboolean first;

  pthread_mutex_lock (&once);
  while (*find_made (place) != NULL)
    pthread_cond_wait (&made_one, &once);
  first = __atomic_load_n ((volatile gsize *) place, __ATOMIC_ACQUIRE) == 0;
  if (first) {
    Made *one = malloc (sizeof *one);

    *one = (Made) { place, made };
    made = one;
  }
  pthread_mutex_unlock (&once);
  return first;
}

void (g_once_init_leave) (volatile void *place, gsize value)
{
  Made **at, *one;

  pthread_mutex_lock (&once);
  __atomic_store_n ((volatile gsize *) place, value, __ATOMIC_RELEASE);
  at = find_made (place);
  one = *at;
  *at = one->next;
  free (one);
  pthread_cond_broadcast (&made_one);
  pthread_mutex_unlock (&once);
}

#define OF_GLIB(function) ((typeof (&function)) dlsym (RTLD_NEXT, #function))

/* --- handed to a main context ---------------------------------------------------------------- */

typedef struct
{
  GSourceFunc func;
  gpointer data;
  GDestroyNotify notify;
  gint there; /* atomic: orders the rest, and all that was before */
} Handed;

static gboolean
take_over (gpointer data)
{
  Handed *handed = data;

  return __atomic_load_n (&handed->there, __ATOMIC_ACQUIRE) && handed->func (handed->data);
}

static void
drop_handed (gpointer data)
{
  Handed *handed = data;

  if (__atomic_load_n (&handed->there, __ATOMIC_ACQUIRE) && handed->notify != NULL)
    handed->notify (handed->data);
  free (handed);
}

guint
g_idle_add_full (gint priority, GSourceFunc func, gpointer data, GDestroyNotify notify)
{
  Handed *handed = malloc (sizeof *handed);

  *handed = (Handed) { func, data, notify };
  __atomic_store_n (&handed->there, TRUE, __ATOMIC_RELEASE);
  return OF_GLIB (g_idle_add_full) (priority, take_over, handed, drop_handed);
}

/* --- handed to a GAsyncQueue ------------------------------------------------------------------ */

/* What was pushed is ordered before what is done with it after it was popped. */
static gpointer
popped (gpointer data)
{
  if (data != NULL)
    __tsan_acquire (data);
  return data;
}

void
g_async_queue_push (GAsyncQueue *queue, gpointer data)
{
  __tsan_release (data);
  OF_GLIB (g_async_queue_push) (queue, data);
}

gpointer
g_async_queue_pop (GAsyncQueue *queue)
{
  return popped (OF_GLIB (g_async_queue_pop) (queue));
}

gpointer
g_async_queue_try_pop (GAsyncQueue *queue)
{
  return popped (OF_GLIB (g_async_queue_try_pop) (queue));
}

gpointer
g_async_queue_timeout_pop (GAsyncQueue *queue, guint64 timeout)
{
  return popped (OF_GLIB (g_async_queue_timeout_pop) (queue, timeout));
}
