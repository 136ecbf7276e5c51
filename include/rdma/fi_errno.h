/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Error numbers. Calls return them negative; error entries of CQs and EQs carry them positive. The first
 * part is the system's errno under another name, so both can be passed to fi_strerror. fi_errno(3)
 */
#ifndef FI_ERRNO_H
#define FI_ERRNO_H

#include <errno.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FI_SUCCESS 0

#define FI_EPERM EPERM
#define FI_ENOENT ENOENT
#define FI_EINTR EINTR
#define FI_EIO EIO
#define FI_E2BIG E2BIG
#define FI_EBADF EBADF
#define FI_EAGAIN EAGAIN /* nothing was started or found: make progress, then try again */
#define FI_ENOMEM ENOMEM
#define FI_EACCES EACCES
#define FI_EFAULT EFAULT
#define FI_EBUSY EBUSY /* still used by another object */
#define FI_ENODEV ENODEV
#define FI_EINVAL EINVAL
#define FI_EMFILE EMFILE
#define FI_ENOSPC ENOSPC
#define FI_ENOSYS ENOSYS /* the provider has no such call */
#define FI_EWOULDBLOCK EWOULDBLOCK
#define FI_ENOMSG ENOMSG   /* a peek found no message */
#define FI_ENODATA ENODATA /* no answer fits, no value is set */
#define FI_EPROTO EPROTO
#define FI_EOVERFLOW EOVERFLOW
#define FI_EMSGSIZE EMSGSIZE
#define FI_ENOPROTOOPT ENOPROTOOPT /* no such endpoint option */
#define FI_EOPNOTSUPP EOPNOTSUPP
#define FI_EADDRINUSE EADDRINUSE
#define FI_EADDRNOTAVAIL EADDRNOTAVAIL
#define FI_ENETDOWN ENETDOWN
#define FI_ENETUNREACH ENETUNREACH
#define FI_ECONNABORTED ECONNABORTED
#define FI_ECONNRESET ECONNRESET
#define FI_ENOBUFS ENOBUFS
#define FI_EISCONN EISCONN
#define FI_ENOTCONN ENOTCONN
#define FI_ESHUTDOWN ESHUTDOWN
#define FI_ETIMEDOUT ETIMEDOUT
#define FI_ECONNREFUSED ECONNREFUSED
#define FI_EHOSTDOWN EHOSTDOWN
#define FI_EHOSTUNREACH EHOSTUNREACH
#define FI_EALREADY EALREADY
#define FI_EINPROGRESS EINPROGRESS
#define FI_EREMOTEIO EREMOTEIO
#define FI_ECANCELED ECANCELED       /* ended by fi_cancel or a teardown */
#define FI_EKEYREJECTED EKEYREJECTED /* the requested key cannot be given */

#define FI_ERRNO_OFFSET 256

/* The library's own, above every errno. */
enum {
    FI_EOTHER = FI_ERRNO_OFFSET,
    FI_ETOOSMALL,     /* buffer too small; the size needed was written */
    FI_EOPBADSTATE,   /* the object's state forbids the call */
    FI_EAVAIL,        /* an error entry waits to be read */
    FI_EBADFLAGS,     /* flags unknown, or not allowed here */
    FI_ENOEQ,         /* an event queue has to be bound first */
    FI_EDOMAIN,       /* objects of different domains */
    FI_ENOCQ,         /* a completion queue has to be bound first */
    FI_ECRC,          /* damaged on the wire */
    FI_ETRUNC,        /* message longer than its buffer */
    FI_ENOKEY,        /* memory key missing or already in use */
    FI_ENOAV,         /* an address vector has to be bound first */
    FI_EOVERRUN,      /* a queue was overrun */
    FI_ENORX,         /* the receiver had no buffer posted */
    FI_ENOMR,         /* no more memory registrations */
    FI_EFIREWALLADDR, /* the peer must connect to us, and has not */
    FI_ERRNO_MAX,
};

/* A text for errnum, positive or negative; static storage, thread safe, never NULL. */
const char* fi_strerror(int errnum);

#ifdef __cplusplus
}
#endif

#endif /* FI_ERRNO_H */
