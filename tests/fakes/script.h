/* SPDX-License-Identifier: BSD-2-Clause */
/* A fake plugin's script and trace. Both lie beside the plugin's file, so that one build of the fake, copied
 * under many names, plays many providers: <file>.script is read when the plugin starts, <file>.trace gets one
 * line per call that the core makes. */
#ifndef FI_FAKES_SCRIPT_H
#define FI_FAKES_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads the script of the plugin that holds this code. An absent file is an empty script. */
void script_load(void);

/* Value of the nth line `key=...` (from 0), or NULL. The string lives as long as the plugin. */
const char* script_line(const char* key, size_t nth);

/* Value of the first such line, or the fallback. */
const char* script_text(const char* key, const char* fallback);

/* The same as a number in any C notation, or in the form MAJOR.MINOR as an FI_VERSION. */
uint64_t script_number(const char* key, uint64_t fallback);
uint32_t script_version(const char* key, const char* fallback);

/* Whether the first line of that key is exactly this value. */
bool script_says(const char* key, const char* value);

/* Value of `key:value` inside a comma-separated list, copied (up to size bytes) into `out`; false if absent.
 */
bool script_item(const char* list, const char* key, char* out, size_t size);

/* Appends one line to the trace. Each line is one write, so threads and processes do not mix theirs. */
void trace(const char* format, ...) __attribute__((format(printf, 1, 2)));

#endif
