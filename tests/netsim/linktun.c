/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define _GNU_SOURCE
#include "linktun.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <linux/ipv6.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <gio/gio.h>
#include "link.h"
#include "userns.h"

#define QUEUE 10000 /* packets that may wait for us to read them */

static const gchar *const addresses[2] = { "10.77.0.1", "10.77.0.2" };
static const gchar *const addresses6[2] = { "fd77::1", "fd77::2" };

typedef struct
{
  gint tun[2];
  gint namespace[2];
  pid_t init;
  gboolean ended;
  gint status;
} Tun;

#define FAIL(what) \
  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), "%s: %s.%s", what, \
      g_strerror (errno), \
      errno == EPERM || errno == EACCES ? " Run as root, or use `linkem relay', " \
                                          "which needs no rights." : \
                                          "")

/* --- namespaces -------------------------------------------------------------- */

static gboolean
become_root (GError **error)
{
  if (userns_become_root ())
    return TRUE;
  FAIL ("cannot make a user namespace");
  return FALSE;
}

static void
set_address (struct ifreq *ifr, struct sockaddr *where, const gchar *text)
{
  struct sockaddr_in sin = { .sin_family = AF_INET };

  inet_pton (AF_INET, text, &sin.sin_addr);
  memcpy (where, &sin, sizeof sin);
}

static gboolean
set_address6 (const gchar *name, const gchar *text)
{
  struct in6_ifreq ifr = { .ifr6_prefixlen = 64, .ifr6_ifindex = if_nametoindex (name) };
  gint fd = socket (AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  gboolean good;

  inet_pton (AF_INET6, text, &ifr.ifr6_addr);
  good = fd >= 0 && ioctl (fd, SIOCSIFADDR, &ifr) == 0;
  if (fd >= 0)
    close (fd);
  return good;
}

static gboolean
bring_up (gint fd, const gchar *name)
{
  struct ifreq ifr = { 0 };

  g_strlcpy (ifr.ifr_name, name, IFNAMSIZ);
  if (ioctl (fd, SIOCGIFFLAGS, &ifr) < 0)
    return FALSE;
  ifr.ifr_flags |= IFF_UP;
  return ioctl (fd, SIOCSIFFLAGS, &ifr) == 0;
}

static gboolean
configure (LinkSide side, const gchar *name, gint mtu)
{
  struct ifreq ifr = { 0 };
  gint fd = socket (AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  gboolean good = fd >= 0;

  g_strlcpy (ifr.ifr_name, name, IFNAMSIZ);
  set_address (&ifr, &ifr.ifr_addr, addresses[side]);
  good = good && ioctl (fd, SIOCSIFADDR, &ifr) == 0;
  set_address (&ifr, &ifr.ifr_netmask, "255.255.255.0");
  good = good && ioctl (fd, SIOCSIFNETMASK, &ifr) == 0;
  ifr.ifr_mtu = mtu;
  good = good && ioctl (fd, SIOCSIFMTU, &ifr) == 0;
  ifr.ifr_qlen = QUEUE;
  good = good && ioctl (fd, SIOCSIFTXQLEN, &ifr) == 0 && bring_up (fd, "lo") && bring_up (fd, name);
  /* IPv6 may be switched off on this machine: then the link has no IPv6 */
  set_address6 (name, addresses6[side]);
  if (fd >= 0)
    close (fd);
  return good;
}

static gboolean
make_side (Tun *tun, LinkSide side, gint mtu, GError **error)
{
  struct ifreq ifr = { .ifr_flags = IFF_TUN | IFF_NO_PI };

  g_strlcpy (ifr.ifr_name, "link", IFNAMSIZ);
  if (unshare (CLONE_NEWNET) < 0) {
    FAIL ("cannot make a network namespace");
    return FALSE;
  }
  tun->namespace[side] = open ("/proc/thread-self/ns/net", O_RDONLY);
  tun->tun[side] = open ("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (tun->namespace[side] < 0 || tun->tun[side] < 0
      || ioctl (tun->tun[side], TUNSETIFF, &ifr) < 0) {
    FAIL ("cannot open /dev/net/tun");
    return FALSE;
  }
  if (!configure (side, ifr.ifr_name, mtu)) {
    FAIL ("cannot configure the link");
    return FALSE;
  }
  return TRUE;
}

/* --- the command ---------------------------------------------------------------- */

static volatile sig_atomic_t command_signal;

/* Signals of the terminal reach the command directly. */
static gboolean
is_sent_by_somebody (const siginfo_t *info)
{
  return info->si_code <= 0;
}

static void
on_signal (int signal, siginfo_t *info, void *unused)
{
  if (is_sent_by_somebody (info))
    command_signal = signal;
}

static void
set_environment (Tun *tun)
{
  for (guint side = 0; side < 2; side++) {
    const gchar letter = 'A' + side;
    g_autofree gchar *prefix = g_strdup_printf ("LINKEM_%c", letter);
    g_autofree gchar *value =
        g_strdup_printf ("nsenter --net=/proc/1/fd/%d --", tun->namespace[side]);
    g_autofree gchar *address = g_strdup_printf ("LINKEM_ADDR_%c", letter);
    g_autofree gchar *address6 = g_strdup_printf ("LINKEM_ADDR6_%c", letter);

    setenv (prefix, value, TRUE);
    setenv (address, addresses[side], TRUE);
    setenv (address6, addresses6[side], TRUE);
  }
}

static int
exit_status (int status)
{
  return WIFEXITED (status) ? WEXITSTATUS (status) : 128 + WTERMSIG (status);
}

/* The first process of the PID namespace. When it ends, so do all others in it. */
static void
be_init (Tun *tun, gchar **argv)
{
  sigset_t wanted, before;
  siginfo_t info;
  pid_t command, pid;
  int status;

  prctl (PR_SET_PDEATHSIG, SIGKILL);
  /* Mounts a /proc that shows the processes of the namespace, and is seen only by them.
   * In a chroot, "/" is not a mount that could be made private. */
  if ((mount (NULL, "/proc", NULL, MS_REC | MS_PRIVATE, NULL) < 0
          && mount (NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
      || mount ("proc", "/proc", "proc", 0, NULL) < 0) {
    fprintf (stderr, "linkem: cannot mount /proc: %s\n", g_strerror (errno));
    _exit (125);
  }
  sigemptyset (&wanted);
  sigaddset (&wanted, SIGTERM);
  sigaddset (&wanted, SIGINT);
  sigaddset (&wanted, SIGCHLD);
  sigprocmask (SIG_BLOCK, &wanted, &before);
  command = fork ();
  if (command == 0) {
    sigprocmask (SIG_SETMASK, &before, NULL);
    for (guint side = 0; side < 2; side++)
      fcntl (tun->namespace[side], F_SETFD, FD_CLOEXEC);
    execvp (argv[0], argv);
    fprintf (stderr, "linkem: cannot run %s: %s\n", argv[0], g_strerror (errno));
    _exit (127);
  }
  while (command > 0) {
    while ((pid = waitpid (-1, &status, WNOHANG)) > 0)
      if (pid == command)
        _exit (exit_status (status));
    if (sigwaitinfo (&wanted, &info) > 0 && info.si_signo != SIGCHLD && is_sent_by_somebody (&info))
      kill (command, info.si_signo);
  }
  _exit (125);
}

static gboolean
start (Tun *tun, gchar **argv, GError **error)
{
  if (unshare (CLONE_NEWPID | CLONE_NEWNS) < 0) {
    FAIL ("cannot make a PID namespace");
    return FALSE;
  }
  set_environment (tun);
  tun->init = fork ();
  if (tun->init == 0) {
    be_init (tun, argv);
    _exit (125);
  }
  if (tun->init < 0) {
    FAIL ("cannot fork");
    return FALSE;
  }
  return TRUE;
}

/* --- the backend ------------------------------------------------------------------- */

static guint
get_fds (gpointer data, struct pollfd *fds)
{
  Tun *tun = data;

  for (guint side = 0; side < 2; side++)
    fds[side] = (struct pollfd) { .fd = tun->tun[side], .events = POLLIN };
  return 2;
}

/* --- ECN (RFC 3168) in the headers of IPv4 and IPv6 ---------------------------- */

#define ECN_NONE 0
#define ECN_CE 3

static gboolean
is_six (const LinkPacket *packet)
{
  return packet->data[0] >> 4 == 6;
}

static guint
get_ecn (const LinkPacket *packet)
{
  return is_six (packet) ? packet->data[1] >> 4 & 3 : packet->data[1] & 3;
}

static void
mark (LinkPacket *packet)
{
  guint8 *header = packet->data;
  guint32 sum = 0;

  if (is_six (packet)) {
    header[1] |= ECN_CE << 4;
    return;
  }
  header[1] |= ECN_CE;
  header[10] = header[11] = 0;
  for (guint i = 0; i < (header[0] & 0xfu) * 4; i += 2)
    sum += header[i] << 8 | header[i + 1];
  sum = (sum & 0xffff) + (sum >> 16);
  sum = ~((sum & 0xffff) + (sum >> 16));
  header[10] = sum >> 8;
  header[11] = sum;
}

/* --- the loop's two sides -------------------------------------------------------- */

static gboolean
receive (gpointer data, LinkPacket *packet)
{
  Tun *tun = data;

  for (guint side = 0; side < 2; side++) {
    gssize size = read (tun->tun[side], packet->data, LINK_PACKET_MAX);

    if (size <= 0)
      continue;
    packet->from = side;
    packet->size = size;
    packet->overhead = 0;
    /* a router would drop a packet with a damaged header */
    packet->protect = is_six (packet) ? 40 : 20;
    packet->ecn = size >= 20 && get_ecn (packet) != ECN_NONE;
    return TRUE;
  }
  return FALSE;
}

static void
send_packet (gpointer data, LinkPacket *packet)
{
  Tun *tun = data;

  if (packet->marked)
    mark (packet);
  /* what the receiving stack refuses is lost, as on a wire */
  if (write (tun->tun[packet->from == LINK_A ? LINK_B : LINK_A], packet->data, packet->size) < 0)
    return;
}

static gboolean
tick (gpointer data, gint64 now)
{
  Tun *tun = data;
  int status;

  if (command_signal != 0) {
    kill (tun->init, command_signal);
    command_signal = 0;
  }
  if (waitpid (tun->init, &status, WNOHANG) == tun->init) {
    tun->ended = TRUE;
    tun->status = exit_status (status);
  }
  return !tun->ended;
}

gboolean
link_tun_run (LinkOptions *options, gchar **argv, gint *status, GError **error)
{
  LinkBackend backend = {
    .get_fds = get_fds,
    .receive = receive,
    .send = send_packet,
    .tick = tick,
  };
  struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };
  Tun tun = { .tun = { -1, -1 }, .namespace = { -1, -1 } };
  gint home = open ("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
  gboolean good;

  backend.data = &tun;
  good = become_root (error) && make_side (&tun, LINK_A, options->mtu, error)
      && make_side (&tun, LINK_B, options->mtu, error);
  /* the command starts in the namespace that we came from; without the rights to return
   * there, it starts in B */
  if (good && setns (home, CLONE_NEWNET) < 0)
    g_debug ("cannot return to the network we came from");
  good = good && start (&tun, argv, error);
  if (good) {
    sigaction (SIGTERM, &action, NULL);
    sigaction (SIGINT, &action, NULL);
    good = link_run (options, &backend, error);
  }
  if (tun.init > 0 && !tun.ended) {
    int ended;

    kill (tun.init, SIGKILL);
    waitpid (tun.init, &ended, 0);
    tun.status = 128 + SIGKILL;
  }
  *status = tun.status;
  for (guint side = 0; side < 2; side++) {
    if (tun.tun[side] >= 0)
      close (tun.tun[side]);
    if (tun.namespace[side] >= 0)
      close (tun.namespace[side]);
  }
  if (home >= 0)
    close (home);
  return good;
}
