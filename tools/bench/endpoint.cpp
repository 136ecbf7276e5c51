// SPDX-License-Identifier: BSD-2-Clause
// Everything is asked for as API 1.17 has it, so that one program drives every library since; hints and
// answers are allocated by the library, whose structures may be shorter than those of our headers.

#include "endpoint.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "failure.hpp"

namespace fi::tools::bench {
namespace {

constexpr std::uint32_t kApi = FI_VERSION(1, 17);
constexpr std::size_t kLongestName = 1024; // bytes

char* copy(const std::string& text)
{
    // fi_freeinfo releases names with free().
    char* result = strdup(text.c_str());
    if (!result)
        throw std::bad_alloc();
    return result;
}

fi_threading threading_of(const std::string& name)
{
    return name == "safe" ? FI_THREAD_SAFE : name == "completion" ? FI_THREAD_COMPLETION : FI_THREAD_DOMAIN;
}

using Info = std::unique_ptr<fi_info, void (*)(fi_info*)>;

Info query(const Library& library, const Config& config)
{
    const Info hints(library.dupinfo(nullptr), library.freeinfo);
    if (!hints)
        throw std::bad_alloc();
    hints->caps = config.tagged ? FI_TAGGED : FI_MSG;
    hints->mode = FI_CONTEXT | FI_CONTEXT2;
    hints->ep_attr->type = FI_EP_RDM;
    hints->tx_attr->msg_order = hints->rx_attr->msg_order = FI_ORDER_SAS; // as MPI and most users want it
    hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
    hints->domain_attr->threading = threading_of(config.threading);
    hints->domain_attr->data_progress = config.progress == "auto" ? FI_PROGRESS_AUTO : FI_PROGRESS_MANUAL;
    hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
    if (!config.provider.empty())
        hints->fabric_attr->prov_name = copy(config.provider);
    if (!config.fabric.empty())
        hints->fabric_attr->name = copy(config.fabric);
    if (!config.domain.empty())
        hints->domain_attr->name = copy(config.domain);
    const bool at = !config.address.empty();
    fi_info* found = nullptr;
    const int ret = library.getinfo(kApi, at ? config.address.c_str() : nullptr, nullptr, at ? FI_SOURCE : 0,
                                    hints.get(), &found);
    if (ret == -FI_ENODATA)
        fail("{} {} has no reliable datagram endpoint for {} messages with these options{}", library.path(),
             library.version_text(), config.tagged ? "tagged" : "untagged",
             config.provider.empty() ? "" : words(" (provider {})", config.provider));
    library.check("fi_getinfo", ret);
    return {found, library.freeinfo};
}

} // namespace

Endpoint::Endpoint(const Library& library, const Config& config)
    : library_(library), info_(query(library, config))
{
    if (info_->ep_attr->max_msg_size < config.largest)
        fail("provider {} takes messages up to {} bytes, not {}", info_->fabric_attr->prov_name,
             info_->ep_attr->max_msg_size, config.largest);
    if (info_->rx_attr->size < config.window)
        fail("provider {} takes {} receives at a time: a window of {} messages does not fit",
             info_->fabric_attr->prov_name, info_->rx_attr->size, config.window);
    open(config);
}

void Endpoint::open(const Config& config)
{
    const auto opened = [this]<class Object>(const char* call, int ret, Object* object,
                                             Owned<Object>& owner) {
        library_.check(call, ret);
        owner.reset(object);
    };
    fid_fabric* fabric = nullptr;
    opened("fi_fabric", library_.fabric(info_->fabric_attr, &fabric, nullptr), fabric, fabric_);
    fid_domain* domain = nullptr;
    int ret = fi_domain(fabric, info_.get(), &domain, nullptr);
    opened("fi_domain", ret, domain, domain_);

    fi_av_attr av_attr{};
    av_attr.type = info_->domain_attr->av_type;
    av_attr.count = config.peers + 1;
    fid_av* addresses = nullptr;
    ret = fi_av_open(domain, &av_attr, &addresses, nullptr);
    opened("fi_av_open", ret, addresses, addresses_);

    fi_cq_attr cq_attr{};
    cq_attr.size = 4 * config.window + 64;
    cq_attr.format = FI_CQ_FORMAT_TAGGED;
    cq_attr.wait_obj = FI_WAIT_NONE;
    fid_cq* queue = nullptr;
    ret = fi_cq_open(domain, &cq_attr, &queue, nullptr);
    opened("fi_cq_open", ret, queue, queue_);

    fid_ep* ep = nullptr;
    ret = fi_endpoint(domain, info_.get(), &ep, nullptr);
    opened("fi_endpoint", ret, ep, ep_);
    library_.check("fi_ep_bind to the address vector", fi_ep_bind(ep, &addresses->fid, 0));
    library_.check("fi_ep_bind to the completion queue", fi_ep_bind(ep, &queue->fid, FI_TRANSMIT | FI_RECV));
    library_.check("fi_enable", fi_enable(ep));
}

std::string Endpoint::name() const
{
    std::array<unsigned char, kLongestName> bytes{};
    std::size_t length = bytes.size();
    library_.check("fi_getname", fi_getname(&ep_->fid, bytes.data(), &length));
    std::string text;
    for (std::size_t i = 0; i < length; i++)
        text += words("{:02x}", bytes[i]);
    return text;
}

fi_addr_t Endpoint::insert(const std::string& name) const
{
    if (name.empty() || name.size() % 2 != 0 || name.size() > 2 * kLongestName ||
        name.find_first_not_of("0123456789abcdef") != std::string::npos)
        fail("'{}' is no endpoint's name", name);
    // Room behind it: a provider may read the longest form of its addresses.
    std::array<unsigned char, kLongestName> bytes{};
    for (std::size_t i = 0; i < name.size() / 2; i++)
        bytes[i] = static_cast<unsigned char>(std::stoi(name.substr(2 * i, 2), nullptr, 16));
    fi_addr_t address = FI_ADDR_NOTAVAIL;
    if (library_.check("fi_av_insert",
                       fi_av_insert(addresses_.get(), bytes.data(), 1, &address, 0, nullptr)) != 1)
        fail("fi_av_insert: the address was not taken");
    return address;
}

void* Endpoint::descriptor_of(const Memory& memory)
{
    if (!(info_->domain_attr->mr_mode & FI_MR_LOCAL))
        return nullptr;
    fid_mr* region = nullptr;
    library_.check("fi_mr_reg", fi_mr_reg(domain_.get(), memory.data(), memory.size(), FI_SEND | FI_RECV, 0,
                                          regions_.size(), 0, &region, nullptr));
    regions_.emplace_back(region);
    return fi_mr_desc(region);
}

void Endpoint::progress() const
{
    fi_cq_tagged_entry entry;
    const ssize_t ret = fi_cq_read(queue_.get(), &entry, 1);
    if (ret == -FI_EAVAIL)
        fail_completion();
    if (ret > 0)
        fail("a completion came between two measurements, when none was due");
    if (ret != -FI_EAGAIN)
        library_.check("fi_cq_read", ret);
}

void Endpoint::fail_completion() const
{
    fi_cq_err_entry entry{};
    const ssize_t ret = fi_cq_readerr(queue_.get(), &entry, 0);
    if (ret != 1)
        fail("fi_cq_read told of an error that fi_cq_readerr does not have");
    std::array<char, 256> more{};
    const char* words =
        fi_cq_strerror(queue_.get(), entry.prov_errno, entry.err_data, more.data(), more.size());
    fail("{} failed: {} ({})", entry.flags & FI_RECV ? "a receive" : "a send", library_.strerror(entry.err),
         words ? words : "no more is known");
}

} // namespace fi::tools::bench
