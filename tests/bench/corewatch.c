/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * corewatch FILE [MS]: when a processor of this machine was not there.
 *
 * A thread on each wants to wake every millisecond, before every other thread (SCHED_FIFO, the
 * highest priority).  When it wakes MS (1) or more too late, the host had given the processor to
 * somebody else, or the kernel did not let go of it: a line with the processor, since when it
 * was waited for, and when it was back, in seconds of CLOCK_MONOTONIC.  The first line says that
 * all are watched.  Ends with SIGTERM.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define INTERVAL 1000000 /* ns */
#define PROCESSORS_MAX 256

static FILE *file;
static int64_t least = INTERVAL;

static int64_t
read_clock (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C (1000000000) + t.tv_nsec;
}

static void *
watch (void *data)
{
  int processor = (intptr_t) data;
  int64_t next = read_clock ();

  for (;;) {
    struct timespec t;
    int64_t now;

    next += INTERVAL;
    t.tv_sec = next / 1000000000;
    t.tv_nsec = next % 1000000000;
    clock_nanosleep (CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
    now = read_clock ();
    if (now - next < least)
      continue;
    fprintf (file, "%d %.6f %.6f\n", processor, next * 1e-9, now * 1e-9);
    fflush (file);
    next = now;
  }
  return NULL;
}

/* 0, or an error. */
static int
start (int processor)
{
  struct sched_param first = { .sched_priority = sched_get_priority_max (SCHED_FIFO) };
  pthread_attr_t attributes;
  pthread_t thread;
  cpu_set_t set;
  int error;

  CPU_ZERO (&set);
  CPU_SET (processor, &set);
  pthread_attr_init (&attributes);
  pthread_attr_setinheritsched (&attributes, PTHREAD_EXPLICIT_SCHED);
  pthread_attr_setschedpolicy (&attributes, SCHED_FIFO);
  pthread_attr_setschedparam (&attributes, &first);
  pthread_attr_setaffinity_np (&attributes, sizeof set, &set);
  error = pthread_create (&thread, &attributes, watch, (void *) (intptr_t) processor);
  pthread_attr_destroy (&attributes);
  return error;
}

int
main (int argc, char **argv)
{
  sigset_t end;
  cpu_set_t all;
  int which;

  if (argc < 2 || argc > 3 || (argc == 3 && atof (argv[2]) <= 0)) {
    fprintf (stderr, "corewatch: corewatch FILE [MS]\n");
    return 2;
  }
  if (argc == 3)
    least = atof (argv[2]) * 1e6;
  file = fopen (argv[1], "w");
  if (file == NULL || sched_getaffinity (0, sizeof all, &all) < 0) {
    fprintf (stderr, "corewatch: %s: %s\n", argv[1], strerror (errno));
    return 1;
  }
  sigemptyset (&end);
  sigaddset (&end, SIGTERM);
  sigaddset (&end, SIGINT);
  pthread_sigmask (SIG_BLOCK, &end, NULL);
  mlockall (MCL_CURRENT | MCL_FUTURE);
  for (int i = 0; i < PROCESSORS_MAX; i++) {
    int error = CPU_ISSET (i, &all) ? start (i) : 0;

    if (error != 0) {
      fprintf (stderr,
          "corewatch: no thread before all others on processor %d: %s. Run it as root.\n", i,
          strerror (error));
      return 1;
    }
  }
  fprintf (file, "watched\n");
  fflush (file);
  sigwait (&end, &which);
  return 0;
}
