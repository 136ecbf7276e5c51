// SPDX-License-Identifier: BSD-2-Clause
//
// Deep copy and release of struct fi_info. Applications, providers and old binaries all meet here, so the
// memory is plain malloc: a provider may build an entry itself and the application still frees it through us.
#include "api/info.hpp"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include <rdma/fi_errno.h>

namespace fi::core::info {
namespace {

template <class T>
[[nodiscard]] T* checked(T* memory)
{
    return memory ? memory : throw std::bad_alloc();
}

template <class Block>
[[nodiscard]] Block* zeroed()
{
    return checked(static_cast<Block*>(std::calloc(1, sizeof(Block))));
}

/// Pointers inside the block still lead into the original: the caller replaces them before anything can
/// throw.
template <class Block>
[[nodiscard]] Block* copy_block(const Block* original, size_t bytes)
{
    if (!original)
        return nullptr;
    auto* block = zeroed<Block>();
    std::memcpy(block, original, bytes);
    return block;
}

[[nodiscard]] char* copy_string(const char* text)
{
    return text ? checked(::strdup(text)) : nullptr;
}

/// Length 0 beside a pointer describes nothing, and FI_AV_AUTH_KEY is a marker, not a size: the copy then has
/// none.
[[nodiscard]] void* copy_bytes(const void* bytes, size_t length)
{
    if (!bytes || length == 0 || length == FI_AV_AUTH_KEY)
        return nullptr;
    return std::memcpy(checked(std::malloc(length)), bytes, length);
}

/// The owner of a nic knows its size and private part, so only the owner can copy it.
[[nodiscard]] fid_nic* copy_nic(fid_nic* nic)
{
    if (!nic)
        return nullptr;
    const fi_ops* ops = nic->fid.ops;
    if (!ops || ops->size <= offsetof(fi_ops, control) || !ops->control)
        return nic;
    fid_nic* copy = nullptr;
    const int rc = ops->control(&nic->fid, FI_DUP, &copy);
    if (rc == -FI_ENOSYS)
        return nic;
    if (rc)
        throw std::bad_alloc();
    return copy;
}

void release_one(fi_info* entry) noexcept
{
    if (fid_nic* nic = entry->nic) {
        const fi_ops* ops = nic->fid.ops;
        if (ops && ops->size > offsetof(fi_ops, close) && ops->close)
            ops->close(&nic->fid);
    }
    if (entry->ep_attr)
        std::free(entry->ep_attr->auth_key);
    if (entry->domain_attr) {
        std::free(entry->domain_attr->name);
        std::free(entry->domain_attr->auth_key);
    }
    if (entry->fabric_attr) {
        std::free(entry->fabric_attr->name);
        std::free(entry->fabric_attr->prov_name);
    }
    std::free(entry->src_addr);
    std::free(entry->dest_addr);
    std::free(entry->tx_attr);
    std::free(entry->rx_attr);
    std::free(entry->ep_attr);
    std::free(entry->domain_attr);
    std::free(entry->fabric_attr);
    std::free(entry);
}

} // namespace

fi_info* allocate() noexcept
try {
    Owned entry(zeroed<fi_info>());
    entry->tx_attr = zeroed<fi_tx_attr>();
    entry->rx_attr = zeroed<fi_rx_attr>();
    entry->ep_attr = zeroed<fi_ep_attr>();
    entry->domain_attr = zeroed<fi_domain_attr>();
    entry->fabric_attr = zeroed<fi_fabric_attr>();
    return entry.release();
} catch (const std::bad_alloc&) {
    return nullptr;
}

fi_info* duplicate(const fi_info& from, const Layout& layout) noexcept
try {
    Owned copy(copy_block(&from, layout.info));
    copy->next = nullptr;
    copy->src_addr = copy->dest_addr = nullptr;
    copy->tx_attr = nullptr;
    copy->rx_attr = nullptr;
    copy->ep_attr = nullptr;
    copy->domain_attr = nullptr;
    copy->fabric_attr = nullptr;
    fid_nic* nic = std::exchange(copy->nic, nullptr);

    copy->src_addr = copy_bytes(from.src_addr, from.src_addrlen);
    copy->dest_addr = copy_bytes(from.dest_addr, from.dest_addrlen);
    copy->tx_attr = copy_block(from.tx_attr, layout.tx_attr);
    copy->rx_attr = copy_block(from.rx_attr, layout.rx_attr);

    copy->ep_attr = copy_block(from.ep_attr, layout.ep_attr);
    if (fi_ep_attr* ep = copy->ep_attr) {
        const uint8_t* key = std::exchange(ep->auth_key, nullptr);
        ep->auth_key = static_cast<uint8_t*>(copy_bytes(key, ep->auth_key_size));
    }
    copy->domain_attr = copy_block(from.domain_attr, layout.domain_attr);
    if (fi_domain_attr* domain = copy->domain_attr) {
        const char* name = std::exchange(domain->name, nullptr);
        const uint8_t* key = std::exchange(domain->auth_key, nullptr);
        domain->name = copy_string(name);
        domain->auth_key = static_cast<uint8_t*>(copy_bytes(key, domain->auth_key_size));
    }
    copy->fabric_attr = copy_block(from.fabric_attr, layout.fabric_attr);
    if (fi_fabric_attr* fabric = copy->fabric_attr) {
        const char* name = std::exchange(fabric->name, nullptr);
        const char* provider = std::exchange(fabric->prov_name, nullptr);
        fabric->name = copy_string(name);
        fabric->prov_name = copy_string(provider);
    }
    // Last, so that no failure after it can close a nic that is merely shared.
    copy->nic = copy_nic(nic);
    return copy.release();
} catch (const std::bad_alloc&) {
    return nullptr;
}

void release(fi_info* list) noexcept
{
    while (list)
        release_one(std::exchange(list, list->next));
}

void release_temporary(fi_info* copy, const fi_info& original, const Layout& layout) noexcept
{
    const bool original_has_nic = layout.info > offsetof(fi_info, nic);
    if (original_has_nic && copy->nic == original.nic)
        copy->nic = nullptr;
    release(copy);
}

} // namespace fi::core::info
