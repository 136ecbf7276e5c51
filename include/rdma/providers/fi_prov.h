/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a provider is to the library: a plugin file that exports fi_prov_ini, which returns its device
 * table. Run-time parameters come from the environment or the configuration file. See fi_provider(3).
 */
#ifndef FI_PROV_H
#define FI_PROV_H

#include <rdma/fabric.h>
#include <rdma/fi_errno.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A file in a plugin directory is taken for a provider when its name ends with the suffix. */
#define FI_LIB_EXTENSION "fi"
#define FI_LIB_SUFFIX FI_LIB_EXTENSION ".so"

/* Heads the entry point of a plugin: FI_EXT_INI { return &provider; } */
#define FI_EXT_INI                                                                                           \
    __attribute__((visibility("default"), EXTERNALLY_VISIBLE)) struct fi_provider* fi_prov_ini(void)

/*
 * The device table. Filled in and kept by the provider, writable and valid until the process ends, used in
 * place. Called from any thread.
 */
struct fi_provider {
    uint32_t version;    /* the provider's own, FI_VERSION encoding: the higher one wins among equal names */
    uint32_t fi_version; /* highest API version implemented; queries for a later one skip the provider */
    struct fi_context context; /* the library's; all zero */
    const char* name; /* "ofi_", "off_" and "lnx" at the start make it a utility, offload or link provider */

    /* fi_getinfo for this provider's devices. The entries are the caller's; prov_name in them is NULL. */
    int (*getinfo)(uint32_t version, const char* node, const char* service, uint64_t flags,
                   const struct fi_info* hints, struct fi_info** info);
    int (*fabric)(struct fi_fabric_attr* attr, struct fid_fabric** fabric, void* context);

    /* Called once if the provider is turned down or the library goes away; may be NULL. */
    void (*cleanup)(void);
};

FI_EXT_INI; /* declared here so that a definition in C++ has C linkage */

/*
 * Defines the variable FI_<PROVIDER>_<PARAM> (FI_<PARAM> when provider is NULL), upper case. help is a
 * printf format. Returns 0, -FI_EINVAL without name or help, -FI_ENOMEM.
 */
int fi_param_define(const struct fi_provider* provider, const char* param_name, enum fi_param_type type,
                    const char* help_string_fmt, ...) FI_FORMAT_PRINTF(4, 5);

/*
 * Reads a defined variable into *value: char* (the library's storage, not a copy), int, int as boolean, or
 * size_t by its type. Returns 0; -FI_ENODATA when it is not set, -FI_ENOENT when it was never defined,
 * -FI_EINVAL for a value that is not a boolean; *value is untouched then and keeps its default.
 */
int fi_param_get(struct fi_provider* provider, const char* param_name, void* value);

/* fi_param_get with the type of the value checked by the compiler. */
static inline int fi_param_get_str(struct fi_provider* provider, const char* param_name, char** value)
{
    return fi_param_get(provider, param_name, value);
}

static inline int fi_param_get_int(struct fi_provider* provider, const char* param_name, int* value)
{
    return fi_param_get(provider, param_name, value);
}

static inline int fi_param_get_bool(struct fi_provider* provider, const char* param_name, int* value)
{
    return fi_param_get(provider, param_name, value);
}

static inline int fi_param_get_size_t(struct fi_provider* provider, const char* param_name, size_t* value)
{
    return fi_param_get(provider, param_name, value);
}

#ifdef __cplusplus
}
#endif

#endif
