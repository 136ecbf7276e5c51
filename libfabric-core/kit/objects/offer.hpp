// SPDX-License-Identifier: BSD-2-Clause
//
// Whether an application's hints fit what a provider offers, and if not, why.
#pragma once

#include <cstdint>
#include <rdma/fabric.h>
#include <rdma/providers/fi_prov.h>

namespace fi::kit {

/// True if `offer` can meet every demand in `hints` (NULL: no demands) of an application of API version
/// `api`.
///
/// False: each attribute in the way was logged (refusal.hpp); all of them, not just the first, so that
/// whoever reads the reasons fixes them in one go.
///
/// An offer says everything that the provider can do with one endpoint type on one device, at most:
///  - all five attribute blocks are present; `caps` holds every bit that can be had, tx/rx `caps` are not
///  read;
///  - sizes, counts and limits are the largest that will be granted;
///  - `mode` and `domain_attr->mr_mode` hold what the provider cannot do without (never the two deprecated mr
///  modes);
///  - `threading`, `progress`, `resource_mgmt` are the best for the application, `av_type` UNSPEC if both
///  types work;
///  - `addr_format` is FI_SOCKADDR_IN or _IN6 where addresses are IP sockets (FI_ADDR_STR, FI_SOCKADDR and
///  FI_SOCKADDR_IP are
///    then served too), else the one format;
///  - `tclass` is FI_TC_LABEL and/or FI_TC_DSCP: the kinds of traffic class that are honoured; 0 for none;
///  - `mem_tag_format` has as many bits as a tag has; 0 is 64;
///  - `comp_order` is what is kept; before 2.0 FI_ORDER_STRICT is accepted all the same, and the answer tells
///  what is;
///  - `total_buffered_recv` is what applications before 2.0 may ask for; later ones may not;
///  - `fabric_attr->fabric` and `domain_attr->domain` are the open objects that the entry belongs to, or
///  NULL;
///  - `fabric_attr->prov_name` is not read: the name is prov.name.
///
/// Reads no member of `hints` that is newer than `api`. Pure but for the log; any thread.
/// (fi_getinfo.3, fi_domain.3, fi_endpoint.3, fi_fabric.3)
[[nodiscard]] bool acceptable(const fi_provider& prov, uint32_t api, const fi_info& offer,
                              const fi_info* hints);

/// True if an address of format `asked` can be built from one of format `offered`; FI_FORMAT_UNSPEC asks for
/// nothing.
[[nodiscard]] bool format_compatible(uint32_t asked, uint32_t offered) noexcept;

} // namespace fi::kit
