/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the public headers need from the compiler. All of it is optional: an unknown compiler
 * gets the same declarations without the hints.
 */
#ifndef FI_BASE_COMPILER_H
#define FI_BASE_COMPILER_H

#include <stddef.h>

#ifdef __GNUC__
#define FI_FORMAT_PRINTF(string, first) __attribute__((format(printf, string, first)))
#define FI_DEPRECATED_FIELD __attribute__((deprecated))
#else
#define FI_FORMAT_PRINTF(string, first)
#define FI_DEPRECATED_FIELD
#endif

/*
 * Old names stay usable, and the compiler says so where they are used. Code that has to serve old
 * applications (a provider, a printer of flags) defines FI_NO_DEPRECATED_WARNINGS and is left in peace.
 */
#if defined(__GNUC__) && !defined(FI_NO_DEPRECATED_WARNINGS)
#define FI_DEPRECATED_FUNC __attribute__((deprecated))
#define FI_DEPRECATED_PRAGMA(text) _Pragma(#text)
#define FI_DEPRECATED_CONST(advice, value) FI_DEPRECATED_PRAGMA(GCC warning advice) value
#else
#define FI_DEPRECATED_FUNC
#define FI_DEPRECATED_CONST(advice, value) value
#endif

/* The name of an attribute, not an attribute: keeps an entry point visible in a whole-program build. */
#if defined(__GNUC__) && !defined(__clang__)
#define EXTERNALLY_VISIBLE externally_visible
#else
#define EXTERNALLY_VISIBLE
#endif

/*
 * Tables grow at their end, and each carries the size its provider was built with. True when slot op of
 * table ops (a pointer to opstype, which may be NULL) exists there and is filled.
 */
#define FI_CHECK_OP(ops, opstype, op) ((ops) && ((ops)->size > offsetof(opstype, op)) && (ops)->op)

#endif /* FI_BASE_COMPILER_H */
