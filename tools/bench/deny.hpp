// SPDX-License-Identifier: BSD-2-Clause
// The system as containers often have it: reading another process's memory is refused.
#pragma once

namespace fi::tools::bench {

// From now on, process_vm_readv and process_vm_writev answer EPERM in this process and in its later children.
// Throws Failure.
void deny_process_vm();

} // namespace fi::tools::bench
