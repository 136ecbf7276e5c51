// SPDX-License-Identifier: BSD-2-Clause
// See script.h. Plain C and libc only: the fake has to load wherever a plugin can be loaded.
#include "script.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kMaxLines = 256, kMaxLine = 1024 };

static char* lines[kMaxLines];
static size_t line_count;

static void beside(char* out, size_t size, const char* ending)
{
    Dl_info info;
    if (dladdr(lines, &info) == 0)
        info.dli_fname = "";
    snprintf(out, size, "%s%s", info.dli_fname, ending);
}

void script_load(void)
{
    char path[4096];
    beside(path, sizeof path, ".script");
    FILE* file = fopen(path, "re");
    if (file == NULL)
        return;
    char line[kMaxLine];
    while (line_count < kMaxLines && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (strchr(line, '=') != NULL)
            lines[line_count++] = strdup(line);
    }
    fclose(file);
}

const char* script_line(const char* key, size_t nth)
{
    const size_t length = strlen(key);
    for (size_t i = 0; i < line_count; ++i)
        if (strncmp(lines[i], key, length) == 0 && lines[i][length] == '=' && nth-- == 0)
            return lines[i] + length + 1;
    return NULL;
}

const char* script_text(const char* key, const char* fallback)
{
    const char* value = script_line(key, 0);
    return value != NULL ? value : fallback;
}

uint64_t script_number(const char* key, uint64_t fallback)
{
    const char* value = script_line(key, 0);
    return value != NULL ? strtoull(value, NULL, 0) : fallback;
}

uint32_t script_version(const char* key, const char* fallback)
{
    unsigned major = 0;
    unsigned minor = 0;
    sscanf(script_text(key, fallback), "%u.%u", &major, &minor);
    return major << 16 | minor;
}

bool script_says(const char* key, const char* value)
{
    return strcmp(script_text(key, ""), value) == 0;
}

bool script_item(const char* list, const char* key, char* out, size_t size)
{
    const size_t length = strlen(key);
    for (const char* at = list; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, key, length) == 0 && at[length] == ':') {
            snprintf(out, size, "%.*s", (int)strcspn(at + length + 1, ","), at + length + 1);
            return true;
        }
    }
    return false;
}

void trace(const char* format, ...)
{
    char path[4096];
    beside(path, sizeof path, ".trace");
    const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (fd < 0)
        return;
    char line[kMaxLine];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line - 1, format, arguments);
    va_end(arguments);
    if (length > (int)sizeof line - 2)
        length = sizeof line - 2;
    line[length++] = '\n';
    if (write(fd, line, (size_t)length) != length)
        perror("fake provider: trace");
    close(fd);
}
