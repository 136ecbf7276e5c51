// SPDX-License-Identifier: BSD-2-Clause
// A shared object that is no plugin: it lacks fi_prov_ini.
extern int fi_fake_nothing;
int fi_fake_nothing = 1;
