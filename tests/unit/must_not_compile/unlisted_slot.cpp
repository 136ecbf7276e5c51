// SPDX-License-Identifier: BSD-2-Clause
// EXPECT: slots.h does not list every slot of
#include "kit/ops/slots.h"

#undef FI_KIT_SLOTS_fi_ops_mr
#define FI_KIT_SLOTS_fi_ops_mr(X) X(reg, mr_reg) X(regv, mr_regv)
#include "kit/ops/table.hpp"

#include <cstdint>
