// SPDX-License-Identifier: BSD-2-Clause
//
// Inserting into an address vector: an array of addresses, a name, or a symmetric job of nodes and services.
// All three end in the same report, which differs by how the vector was opened: a count and marks in the
// caller's arrays (C173 to C176), or events (C196 to C198).

#include "kit/objects/av.hpp"

#include "kit/objects/eq.hpp"
#include "kit/objects/guard.hpp"
#include "kit/objects/resolve.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <climits>
#include <optional>
#include <string>

namespace fi::kit {

/// One insert call. Made first, before anything is looked up: it refuses what the call may not ask for.
class AddressVector::Insertion {
  public:
    Insertion(const char* call, AddressVector& av, std::size_t count, fi_addr_t* out, std::uint64_t flags,
              void* context) noexcept
        : call_(call), av_(av), count_(count), out_(out),
          errors_(flags & FI_SYNC_ERR ? static_cast<int*>(context) : nullptr), flags_(flags),
          context_(context)
    {
    }

    /// 0, or why the call is refused as a whole.
    int refused() noexcept
    {
        if (flags_ &
            ~(FI_MORE | FI_SYNC_ERR)) // FI_AV_USER_ID must not be ignored where it is not supported (C201)
            return no(-FI_EBADFLAGS, "there are flags other than FI_MORE and FI_SYNC_ERR");
        if (count_ > INT_MAX)
            return no(-FI_EINVAL, "the number of addresses does not fit the result");
        if (count_ && !out_ && av_.type_ == FI_AV_MAP)
            return no(-FI_EINVAL, "an address vector of type FI_AV_MAP needs an array of fi_addr_t");
        if ((flags_ & FI_SYNC_ERR) && av_.asynchronous_)
            return no(-FI_EINVAL, "FI_SYNC_ERR does not go with FI_EVENT");
        if ((flags_ & FI_SYNC_ERR) && count_ && !errors_)
            return no(-FI_EINVAL, "FI_SYNC_ERR needs an array of int as context");
        if (!av_.asynchronous_)
            return 0;
        const std::lock_guard guard(av_.control_);
        return av_.events_ ? 0 : no(-FI_ENOEQ, "no event queue is bound");
    }
    int no(int error, const char* why, int line_of_source = __builtin_LINE()) const noexcept
    {
        return av_.no(error, call_, why, line_of_source);
    }

    /// Adds the next address; without one, `error` (a positive errno) says why there is none.
    void next(const std::optional<Address>& address, int error) noexcept
    {
        fi_addr_t addr = FI_ADDR_NOTAVAIL;
        if (address && (!address->port() || address->is_wildcard()))
            error = FI_EINVAL; // nobody can be reached there
        else if (address)
            error = -guarded([&] {
                const std::lock_guard guard(av_.control_);
                addr = av_.add(*address);
                return 0;
            });
        if (out_)
            out_[position_] = addr;
        if (errors_)
            errors_[position_] = error;
        if (!error)
            ++inserted_;
        else if (av_.asynchronous_)
            report(error);
        ++position_;
    }

    /// All addresses that are left have the same fate.
    void rest(int error) noexcept
    {
        while (position_ < count_)
            next(std::nullopt, error);
    }

    /// What the call returns.
    int finish() noexcept
    {
        if (!av_.asynchronous_)
            return static_cast<int>(inserted_);
        const fi_eq_entry entry{&av_.fid.fid, context_, inserted_};
        const int status = av_.events_->post(FI_AV_COMPLETE, &entry, sizeof(entry));
        return std::min(status, 0);
    }

  private:
    void report(int error) noexcept
    {
        fi_eq_err_entry entry{};
        entry.fid = &av_.fid.fid;
        entry.context = context_;
        entry.data = position_;
        entry.err = error;
        entry.prov_errno = error;
        // A full queue keeps that in mind by itself and tells its reader.
        static_cast<void>(av_.events_->post_error(entry));
    }

    const char* const call_;
    AddressVector& av_;
    const std::size_t count_;
    fi_addr_t* const out_;
    int* const errors_;
    const std::uint64_t flags_;
    void* const context_;
    std::size_t position_ = 0;
    std::size_t inserted_ = 0;
};

namespace {

/// "node9" and 3 make "node12", "node09" makes "node12" too. Nothing without a number at the end.
std::optional<std::string> numbered(const std::string& name, std::size_t add)
{
    const size_t last_other = name.find_last_not_of("0123456789");
    const size_t digits_at = last_other == std::string::npos ? 0 : last_other + 1;
    const size_t width = name.size() - digits_at;
    constexpr size_t kMostDigits = 18; // fits 64 bits with room to add
    if (!width || width > kMostDigits)
        return std::nullopt;
    std::string number = std::to_string(std::stoull(name.substr(digits_at)) + add);
    if (number.size() < width)
        number.insert(0, width - number.size(), '0');
    return name.substr(0, digits_at) + number;
}

/// The name of the i-th node: IPv4 numbers count as numbers (10.0.0.255 is followed by 10.0.1.0), names at
/// their end.
std::optional<std::string> node_name(const std::string& first, std::size_t i)
{
    if (!i)
        return first;
    in_addr v4{};
    if (inet_pton(AF_INET, first.c_str(), &v4) != 1)
        return numbered(first, i);
    const uint64_t value = uint64_t{ntohl(v4.s_addr)} + i;
    if (value > UINT32_MAX)
        return std::nullopt;
    v4.s_addr = htonl(static_cast<uint32_t>(value));
    char text[INET_ADDRSTRLEN];
    return std::string(inet_ntop(AF_INET, &v4, text, sizeof(text)));
}

/// The best address of a node and service in the vector's format.
std::optional<Address> resolve_one(const char* node, const char* service, uint32_t format)
{
    std::vector<Address> found;
    std::string why;
    return lookup({node, service, 0, format}, found, why) ? std::nullopt : std::optional(found.front());
}

} // namespace

int AddressVector::av_insert(const void* addr, std::size_t count, fi_addr_t* fi_addr, std::uint64_t flags,
                             void* context) noexcept
{
    Insertion insertion("fi_av_insert", *this, count, fi_addr, flags, context);
    if (const int status = insertion.refused())
        return status;
    if (count && !addr)
        return insertion.no(-FI_EINVAL, "there are no addresses");
    const auto* bytes = static_cast<const char*>(addr);
    for (std::size_t i = 0; i < count; ++i) {
        std::optional<Address> address;
        const int status = guarded([&] {
            if (addr_format_ == FI_ADDR_STR) {
                const char* text = static_cast<const char* const*>(addr)[i];
                if (text)
                    address = Address::parse(text);
            } else {
                sockaddr_storage unaligned{};
                std::copy_n(bytes, sizeof(sockaddr_in), reinterpret_cast<char*>(&unaligned));
                const bool v6 = addr_format_ == FI_SOCKADDR_IN6 ||
                                (addr_format_ != FI_SOCKADDR_IN && unaligned.ss_family == AF_INET6);
                const std::size_t size = v6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
                address = Address::load(addr_format_, bytes, size);
                bytes += size;
            }
            return 0;
        });
        insertion.next(address, status ? -status : FI_EINVAL);
    }
    return insertion.finish();
}

int AddressVector::av_insertsvc(const char* node, const char* service, fi_addr_t* fi_addr,
                                std::uint64_t flags, void* context) noexcept
{
    Insertion insertion("fi_av_insertsvc", *this, 1, fi_addr, flags, context);
    if (const int status = insertion.refused())
        return status;
    if (!node && !service)
        return insertion.no(-FI_EINVAL, "there is neither node nor service");
    if (node && service && is_address_string(node)) // C189
        return insertion.no(-FI_EINVAL, "an address string as node leaves no room for a service");
    std::optional<Address> address;
    const int status = guarded([&] {
        address = resolve_one(node, service, addr_format_);
        return 0;
    });
    insertion.next(address, status ? -status : FI_ENODATA);
    return insertion.finish();
}

int AddressVector::av_insertsym(const char* node, std::size_t nodecnt, const char* service,
                                std::size_t svccnt, fi_addr_t* fi_addr, std::uint64_t flags,
                                void* context) noexcept
{
    std::size_t count = 0;
    const bool overflow = __builtin_mul_overflow(nodecnt, svccnt, &count);
    Insertion insertion("fi_av_insertsym", *this, overflow ? SIZE_MAX : count, fi_addr, flags, context);
    if (const int status = insertion.refused())
        return status;
    if (count && (!node || !service))
        return insertion.no(-FI_EINVAL, "node or service is missing");
    if (count && is_address_string(node))
        return insertion.no(-FI_EINVAL, "an address string is no node to count from");
    // C190: all services of a node before the next node.
    const int status = guarded([&] {
        for (std::size_t i = 0; count && i < nodecnt; ++i) {
            const auto name = node_name(node, i);
            auto address = name ? resolve_one(name->c_str(), service, addr_format_) : std::nullopt;
            const std::size_t first_port = address ? address->port() : 0;
            for (std::size_t j = 0; j < svccnt; ++j) {
                const bool in_range = first_port + j <= UINT16_MAX;
                if (address && in_range)
                    address->set_port(static_cast<uint16_t>(first_port + j));
                insertion.next(in_range ? address : std::nullopt, address ? FI_EINVAL : FI_ENODATA);
            }
        }
        return 0;
    });
    if (status)
        insertion.rest(-status);
    return insertion.finish();
}

} // namespace fi::kit
