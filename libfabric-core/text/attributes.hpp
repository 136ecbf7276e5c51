// SPDX-License-Identifier: BSD-2-Clause
//
// Structures as text: a line `<struct name>:` and one `key: value` line for each member, four blanks per
// level, in upstream's order of keys, which programs that parse fi_info's output know.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_eq.h>

#include "text/writer.hpp"

namespace fi::core::text {

// One structure; the indentation is that of its first line, in levels.
void write(Writer& writer, const fi_info& info, int level = 0);
void write(Writer& writer, const fi_tx_attr& attr, int level = 0);
void write(Writer& writer, const fi_rx_attr& attr, int level = 0);
void write(Writer& writer, const fi_ep_attr& attr, int level = 0);
void write(Writer& writer, const fi_domain_attr& attr, int level = 0);
void write(Writer& writer, const fi_fabric_attr& attr, int level = 0);
void write(Writer& writer, const fi_av_attr& attr, int level = 0);
void write(Writer& writer, const fi_cq_attr& attr, int level = 0);
void write(Writer& writer, const fi_mr_attr& attr, int level = 0);
void write(Writer& writer, const fi_cntr_attr& attr, int level = 0);
void write(Writer& writer, const fi_cq_err_entry& entry, int level = 0);

// An object describes itself through its tostr slot if it has one; else `<key>: <pointer>`. fid may be NULL.
void write_fid(Writer& writer, const char* key, const fid* object, int level = 0);

} // namespace fi::core::text
