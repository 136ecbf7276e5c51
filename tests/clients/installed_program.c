// SPDX-License-Identifier: BSD-2-Clause
// What an application's author writes first: list the providers. Valid as C99 and as C++11; the install test
// builds it with nothing but `pkg-config libfabric`.
#include <rdma/fabric.h>
#include <rdma/fi_errno.h>
#include <stdio.h>

int main(void)
{
    struct fi_info *list = NULL, *info;
    int status = fi_getinfo(FI_VERSION(FI_MAJOR_VERSION, FI_MINOR_VERSION), NULL, NULL, FI_PROV_ATTR_ONLY,
                            NULL, &list);

    if (status != 0 && status != -FI_ENODATA) {
        fprintf(stderr, "fi_getinfo: %s\n", fi_strerror(-status));
        return 1;
    }
    printf("libfabric %u.%u\n", FI_MAJOR(fi_version()), FI_MINOR(fi_version()));
    for (info = list; info != NULL; info = info->next)
        printf("provider %s\n", info->fabric_attr->prov_name);
    fi_freeinfo(list);
    return 0;
}
