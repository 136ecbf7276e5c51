// SPDX-License-Identifier: BSD-2-Clause
// An application of the 1.17 age, as its author wrote it: C, the old headers, the control path from the list
// of devices to an open fabric. It speaks TAP, and its first case makes sure that it runs on the new library.
#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <stdio.h>
#include <string.h>

static int count, bad;

static void expect(int holds, const char* what)
{
    bad += !holds;
    printf("%s %d - %s\n", holds ? "ok" : "not ok", ++count, what);
}

static struct fi_info* elder_hints(void)
{
    struct fi_info* hints = fi_allocinfo();

    if (hints)
        hints->fabric_attr->prov_name = strdup("elder");
    return hints;
}

static int answers_version(struct fi_info* hints, uint32_t version)
{
    struct fi_info* info = NULL;
    int holds;

    if (fi_getinfo(version, NULL, NULL, 0, hints, &info) != 0)
        return 0;
    holds = info && !info->next && info->fabric_attr->api_version == version &&
            info->fabric_attr->prov_version == FI_VERSION(7, 3) &&
            strcmp(info->fabric_attr->prov_name, "elder") == 0 &&
            strcmp(info->domain_attr->name, "elder0") == 0 && info->ep_attr->type == FI_EP_RDM;
    fi_freeinfo(info);
    return holds;
}

static void versions(struct fi_info* hints)
{
    struct fi_info* const untouched = (struct fi_info*)&count;
    struct fi_info* info = untouched;
    char what[80];

    for (uint32_t minor = 0; minor <= 17; minor++) {
        snprintf(what, sizeof what, "a query with API version 1.%u finds the device", minor);
        expect(answers_version(hints, FI_VERSION(1, minor)), what);
    }
    expect(fi_getinfo(FI_VERSION(3, 0), NULL, NULL, 0, hints, &info) == -FI_ENOSYS && info == untouched,
           "a query with an API version of the future is refused and leaves the result alone");
}

static void queries(struct fi_info* hints)
{
    struct fi_info* info = NULL;
    int found = 0;

    hints->ep_attr->type = FI_EP_DGRAM;
    expect(fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, hints, &info) == -FI_ENODATA && !info,
           "a hint that nothing satisfies yields no data");
    hints->ep_attr->type = FI_EP_UNSPEC;

    expect(fi_getinfo(FI_VERSION(1, 17), NULL, NULL, FI_PROV_ATTR_ONLY, NULL, &info) == 0,
           "providers can be listed");
    for (struct fi_info* entry = info; entry; entry = entry->next)
        found += strcmp(entry->fabric_attr->prov_name, "elder") == 0;
    expect(found == 1, "the list of providers names the plugin once");
    fi_freeinfo(info);
}

static void copies(struct fi_info* hints)
{
    struct fi_info *info = NULL, *copy;

    hints->tx_attr->tclass = FI_TC_LOW_LATENCY;
    expect(fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, hints, &info) == 0 &&
               info->tx_attr->tclass == FI_TC_LOW_LATENCY,
           "hints reach the plugin");
    copy = fi_dupinfo(info);
    expect(copy && copy->domain_attr != info->domain_attr &&
               copy->domain_attr->name != info->domain_attr->name &&
               strcmp(copy->domain_attr->name, info->domain_attr->name) == 0,
           "fi_dupinfo copies names");
    expect(copy && copy->nic && copy->nic != info->nic && copy->nic->fid.ops == info->nic->fid.ops,
           "fi_dupinfo lets the plugin copy its network card");
    fi_freeinfo(info);
    expect(copy && strcmp(copy->fabric_attr->name, "elder-fabric") == 0, "the copy outlives the original");
    fi_freeinfo(copy);
}

static void text(struct fi_info* hints)
{
    struct fi_info* info = NULL;
    char buffer[8192], small[8];
    int value = FI_EP_RDM;

    expect(strcmp(fi_tostr(&value, FI_TYPE_EP_TYPE), "FI_EP_RDM") == 0, "fi_tostr names an endpoint type");
    expect(strcmp(fi_tostr_r(small, sizeof small, &value, FI_TYPE_EP_TYPE), "FI_EP_") == 0,
           "fi_tostr_r cuts");
    expect(strncmp(fi_tostr("", FI_TYPE_VERSION), "2.", 2) == 0, "fi_tostr gives the library's version");
    fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, hints, &info);
    expect(info && fi_tostr_r(buffer, sizeof buffer, info, FI_TYPE_INFO) &&
               strncmp(buffer, "fi_info:\n", 9) == 0 && strstr(buffer, "\n        name: elder0\n"),
           "fi_tostr_r describes a device");
    fi_freeinfo(info);
    expect(strcmp(fi_strerror(FI_ENODATA), strerror(FI_ENODATA)) == 0,
           "fi_strerror knows the system's errors");
    expect(strcmp(fi_strerror(-FI_ETOOSMALL), "Unspecified error") != 0, "fi_strerror knows its own errors");
}

static void fabrics(void)
{
    struct fi_fabric_attr attr = {
        .prov_name = (char*)"elder", .name = (char*)"elder-fabric", .api_version = FI_VERSION(1, 17)};
    struct fid_fabric* fabric = NULL;

    expect(fi_fabric(&attr, &fabric, &attr) == 0 && fabric && fabric->fid.context == &attr, "a fabric opens");
    expect(fabric && fabric->api_version == FI_VERSION(1, 17),
           "the fabric knows the API version that was asked for");
    expect(fabric && fi_close(&fabric->fid) == 0, "the fabric closes");
    attr.prov_name = (char*)"nobody";
    expect(fi_fabric(&attr, &fabric, NULL) == -FI_ENODEV, "a fabric of an unknown provider is no device");
    attr.prov_name = NULL;
    expect(fi_fabric(&attr, &fabric, NULL) == -FI_EINVAL, "a fabric without a provider is refused");
}

static void parameters(void)
{
    struct fi_param* params = NULL;
    int number = 0, found = 0;

    expect(fi_getparams(&params, &number) == 0 && number > 0, "parameters can be listed");
    for (int i = 0; i < number; i++)
        found += strcmp(params[i].name, "FI_PROVIDER") == 0 && params[i].type == FI_PARAM_STRING;
    expect(found == 1, "FI_PROVIDER is a parameter");
    if (params)
        fi_freeparams(params);
}

int main(void)
{
    struct fi_info* hints = elder_hints();

    expect(FI_VERSION_GE(fi_version(), FI_VERSION(2, 6)), "the program runs on the new library");
    expect(hints && hints->tx_attr && hints->rx_attr && hints->ep_attr && hints->domain_attr &&
               hints->fabric_attr,
           "fi_allocinfo brings all attributes");
    if (hints) {
        versions(hints);
        queries(hints);
        copies(hints);
        text(hints);
        fi_freeinfo(hints);
    }
    fabrics();
    parameters();
    printf("1..%d\n", count);
    return bad != 0;
}
