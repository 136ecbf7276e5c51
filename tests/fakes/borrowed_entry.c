// SPDX-License-Identifier: BSD-2-Clause
// A shared object without fi_prov_ini that needs a library which has one, as a plugin linked to another
// plugin would.
#include <rdma/providers/fi_prov.h>

struct fi_provider* fi_prov_ini(void);
extern struct fi_provider* (*fi_fake_what_it_needs)(void);
struct fi_provider* (*fi_fake_what_it_needs)(void) = fi_prov_ini;
