/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * heapwatch: a library for LD_PRELOAD. With SIGUSR2 the process writes the bytes that it has
 * allocated, by glibc's count, into the file that $HEAPWATCH names.
 */
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int asked[2]; /* a pipe: what writes the file may not run in a signal's handler */

static void
on_signal (int number)
{
  char c = 0;

  (void) number;
  if (write (asked[1], &c, 1) != 1)
    abort ();
}

static void *
answer (void *path)
{
  char c, *part = NULL;

  if (asprintf (&part, "%s.part", (const char *) path) < 0)
    abort ();
  while (read (asked[0], &c, 1) == 1) {
    struct mallinfo2 info = mallinfo2 ();
    FILE *file = fopen (part, "w");

    if (file == NULL || fprintf (file, "%zu\n", info.uordblks + info.hblkhd) < 0
        || fclose (file) != 0 || rename (part, path) != 0)
      abort ();
  }
  free (part);
  return NULL;
}

__attribute__ ((constructor)) static void
begin (void)
{
  char *path = getenv ("HEAPWATCH");
  sigset_t all, old;
  pthread_t thread;

  if (path == NULL || pipe (asked) != 0)
    return;
  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &old);
  if (pthread_create (&thread, NULL, answer, path) == 0)
    signal (SIGUSR2, on_signal);
  pthread_sigmask (SIG_SETMASK, &old, NULL);
}
