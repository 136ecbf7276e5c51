// SPDX-License-Identifier: BSD-2-Clause
//
// What the provider claims, in words. The library's own texts would do, but take a page for each entry; here
// an entry is ten lines, and entries that differ only in the interface are one.
#include "subject.hpp"

#include <rdma/fi_errno.h>
#include <set>
#include <sstream>
#include <stdexcept>

namespace conform {
namespace {

template <class T>
std::string word(const T& value, fi_type type)
{
    char text[4096] = "";
    fi_tostr_r(text, sizeof text, &value, type);
    return text;
}

std::string limit(std::size_t value)
{
    return value >= SIZE_MAX / 2 ? "without limit" : std::to_string(value);
}

std::string describe(const fi_info& info)
{
    const fi_domain_attr& domain = *info.domain_attr;
    const fi_tx_attr& tx = *info.tx_attr;
    const fi_rx_attr& rx = *info.rx_attr;
    std::ostringstream out;
    out << word(info.ep_attr->type, FI_TYPE_EP_TYPE) << ", " << word(info.addr_format, FI_TYPE_ADDR_FORMAT)
        << ", domain " << (domain.name ? domain.name : "(no name)") << "\n"
        << "  capabilities    " << names_of(info.caps, FI_TYPE_CAPS) << "\n"
        << "  modes           " << names_of(info.mode, FI_TYPE_MODE) << "; of registration "
        << names_of(static_cast<unsigned>(domain.mr_mode), FI_TYPE_MR_MODE) << "\n"
        << "  threading       " << word(domain.threading, FI_TYPE_THREADING) << ", "
        << word(domain.progress, FI_TYPE_PROGRESS) << ", resource management "
        << (domain.resource_mgmt == FI_RM_ENABLED ? "on" : "off") << "\n"
        << "  order           sent " << names_of(tx.msg_order, FI_TYPE_MSG_ORDER) << "; received "
        << names_of(rx.msg_order, FI_TYPE_MSG_ORDER) << "\n"
        << "  bytes           message " << limit(info.ep_attr->max_msg_size) << ", inject "
        << limit(tx.inject_size) << ", remote data " << domain.cq_data_size << ", key " << domain.mr_key_size
        << "\n"
        << "  in flight       sends " << limit(tx.size) << ", receives " << limit(rx.size) << "; segments "
        << limit(tx.iov_limit) << ", remote ones " << limit(tx.rma_iov_limit) << "\n";
    return out.str();
}

} // namespace

std::string names_of(std::uint64_t bits, fi_type type)
{
    if (!bits)
        return "none";
    std::string text = word(bits, type);
    if (text.starts_with("[ ") && text.ends_with(" ]"))
        text = text.substr(2, text.size() - 4);
    return text;
}

std::string claims_text()
{
    const std::string name = provider_name();
    std::ostringstream out;
    std::set<std::string> told;
    for (const fi_ep_type type : {FI_EP_RDM, FI_EP_MSG, FI_EP_DGRAM}) {
        const Info list = claims(type);
        for (const fi_info* entry = list.get(); entry; entry = entry->next) {
            if (told.empty())
                out << "provider " << name << " " << FI_MAJOR(entry->fabric_attr->prov_version) << "."
                    << FI_MINOR(entry->fabric_attr->prov_version) << " claims\n";
            if (const std::string text = describe(*entry); told.insert(text).second)
                out << text;
        }
    }
    if (told.empty())
        throw std::runtime_error("provider " + name + " lists nothing: " + fi_strerror(FI_ENODATA));
    return out.str();
}

} // namespace conform
