// SPDX-License-Identifier: BSD-2-Clause
//
// Endpoint, what can be asked and set: fi_control(), fi_getopt(), fi_setopt(). Included by endpoint.hpp.
//
// An option that is not served answers -FI_ENOPROTOOPT (C162), and the log says whether it is unknown, for
// another kind of endpoint, or only to be read.
#pragma once

namespace fi::kit {

template <class L, class P>
int Endpoint<L, P>::control(int command, void* arg) noexcept
{
    if (!arg && command != FI_ENABLE)
        return refuse(-FI_EINVAL, "fi_control", "there is no argument");
    switch (command) {
    case FI_ENABLE:
        return real_->enable();
    case FI_ALIAS:
        return alias(*static_cast<const struct fi_alias*>(arg));
    case FI_GETOPSFLAG: {
        auto& flags = *static_cast<std::uint64_t*>(arg);
        if (flags != FI_TRANSMIT && flags != FI_RECV)
            return refuse(-FI_EINVAL, "fi_control", "FI_GETOPSFLAG needs FI_TRANSMIT or FI_RECV");
        flags = flags == FI_TRANSMIT ? setup_.transmit_flags : setup_.receive_flags;
        return 0;
    }
    case FI_SETOPSFLAG: {
        const std::uint64_t flags = *static_cast<const std::uint64_t*>(arg);
        if (const int ret = check_flags("fi_control", flags))
            return ret;
        set_flags(flags);
        return 0;
    }
    default:
        return refuse(-FI_ENOSYS, "fi_control", "endpoints do not have this command");
    }
}

template <class L, class P>
ssize_t Endpoint<L, P>::refuse_flags(RefusedCall call, std::uint64_t flags) const noexcept
{
    return kit::refuse(parent().provider(), FI_LOG_EP_DATA, -FI_EBADFLAGS, call,
                       "some of the flags %#llx are unknown to this endpoint",
                       static_cast<unsigned long long>(flags));
}

/// 0, or the refusal of what are no default operation flags of one direction; D37, D41, C149, C151.
template <class L, class P>
int Endpoint<L, P>::check_flags(RefusedCall call, std::uint64_t flags) const noexcept
{
    const std::uint64_t direction = flags & (FI_TRANSMIT | FI_RECV);
    if (direction != FI_TRANSMIT && direction != FI_RECV)
        return refuse(-FI_EINVAL, call, "flags need either FI_TRANSMIT or FI_RECV");
    const std::uint64_t possible = direction == FI_TRANSMIT ? kTransmitDefaults : kReceiveDefaults;
    return flags & ~(direction | possible)
               ? refuse(-FI_EBADFLAGS, call, "some of these flags cannot be defaults of that direction")
               : 0;
}

/// `flags` passed check_flags().
template <class L, class P>
void Endpoint<L, P>::set_flags(std::uint64_t flags) noexcept
{
    const std::lock_guard guard(lock_);
    (flags & FI_TRANSMIT ? setup_.transmit_flags : setup_.receive_flags) = flags & ~(FI_TRANSMIT | FI_RECV);
    apply_flags();
}

template <class L, class P>
void Endpoint<L, P>::apply_flags() noexcept
{
    transmit_inject_ = setup_.transmit_flags & FI_INJECT;
    transmit_report_ = transmit_reports(setup_.transmit_flags);
    transmit_level_ = level(setup_.transmit_flags);
    this->set_receive_defaults(setup_.receive_flags, setup_.caps);
}

/// Why an option is not served.
constexpr const char* why_no_option(int level, int name) noexcept
{
    if (level != FI_OPT_ENDPOINT)
        return "options of this level are unknown";
    switch (name) {
    case FI_OPT_CM_DATA_SIZE:
    case FI_OPT_FIREWALL_ADDR:
        return "endpoints of this type make no connections that the application sees";
    case FI_OPT_MAX_RMA_SIZE:
    case FI_OPT_MAX_ATOMIC_SIZE:
    case FI_OPT_INJECT_RMA_SIZE:
    case FI_OPT_INJECT_ATOMIC_SIZE:
        return "the endpoint has neither FI_RMA nor FI_ATOMIC";
    case FI_OPT_MAX_MSG_SIZE:
    case FI_OPT_MAX_TAGGED_SIZE:
    case FI_OPT_INJECT_MSG_SIZE:
    case FI_OPT_INJECT_TAGGED_SIZE:
        return "it can only be read";
    case FI_OPT_SHARED_MEMORY_PERMITTED:
        return "it can only be set";
    case FI_OPT_FI_HMEM_P2P:
    case FI_OPT_CUDA_API_PERMITTED:
        return "the endpoint has no FI_HMEM";
    default:
        return "the option is unknown or was dropped";
    }
}

template <class L, class P>
int Endpoint<L, P>::getopt(int level, int name, void* value, std::size_t* size) noexcept
{
    const Endpoint& real = *real_;
    if (!value || !size)
        return refuse(-FI_EINVAL, "fi_getopt", "there is no value or no length");
    std::size_t answer = 0;
    switch (level == FI_OPT_ENDPOINT ? name : -1) {
    case FI_OPT_MIN_MULTI_RECV:
        answer = real.min_multi_receive_;
        break;
    case FI_OPT_TX_SIZE:
        answer = real.setup_.transmit_size;
        break;
    case FI_OPT_RX_SIZE:
        answer = real.setup_.receive_size;
        break;
    case FI_OPT_MAX_MSG_SIZE:
    case FI_OPT_MAX_TAGGED_SIZE:
        answer = kMaxMessage;
        break;
    case FI_OPT_INJECT_MSG_SIZE:
    case FI_OPT_INJECT_TAGGED_SIZE:
        answer = kMaxInject;
        break;
    default:
        return refuse(-FI_ENOPROTOOPT, "fi_getopt", why_no_option(level, name));
    }
    const std::size_t room = std::exchange(*size, sizeof answer); // C172
    if (room < sizeof answer)
        return refuse(-FI_ETOOSMALL, "fi_getopt", "the value is a size_t");
    std::memcpy(value, &answer, sizeof answer);
    return 0;
}

template <class L, class P>
int Endpoint<L, P>::setopt(int level, int name, const void* value, std::size_t size) noexcept
{
    switch (level == FI_OPT_ENDPOINT ? name : -1) {
    case FI_OPT_MIN_MULTI_RECV:
        if (!value || size != sizeof min_multi_receive_)
            return refuse(-FI_EINVAL, "fi_setopt", "the value is a size_t");
        real_->set_min_multi_receive(*static_cast<const std::size_t*>(value));
        return 0;
    case FI_OPT_TX_SIZE:
        return real_->set_operations("fi_setopt", real_->setup_.transmit_size, value, size);
    case FI_OPT_RX_SIZE:
        return real_->set_operations("fi_setopt", real_->setup_.receive_size, value, size);
    case FI_OPT_SHARED_MEMORY_PERMITTED:
        return real_->permit_shared_memory(value, size);
    case FI_OPT_CUDA_API_PERMITTED: // C167
        return refuse(-FI_EINVAL, "fi_setopt", why_no_option(level, name));
    default:
        return refuse(-FI_ENOPROTOOPT, "fi_setopt", why_no_option(level, name));
    }
}

/// For receives posted from now on (D72, C165); the one option that may change after enabling (C163).
template <class L, class P>
void Endpoint<L, P>::set_min_multi_receive(std::size_t bytes) noexcept
{
    const std::lock_guard guard(lock_);
    min_multi_receive_ = bytes;
    for_each_alias([&](Endpoint& alias) { alias.min_multi_receive_ = bytes; });
}

template <class L, class P>
int Endpoint<L, P>::set_operations(RefusedCall call, std::size_t& operations, const void* value,
                                   std::size_t size) noexcept
{
    if (engine_)
        return refuse(-FI_EOPBADSTATE, call, "the endpoint is enabled");
    std::size_t wanted = 0;
    if (!value || size != sizeof wanted)
        return refuse(-FI_EINVAL, call, "the value is a size_t");
    std::memcpy(&wanted, value, sizeof wanted);
    if (!wanted || wanted > setup_.most_operations)
        return refuse(-FI_EINVAL, call, "there can be no queue of that size");
    operations = wanted;
    return 0;
}

/// C169. Forbidding it holds; permitting it does not turn on what the user has turned off.
template <class L, class P>
int Endpoint<L, P>::permit_shared_memory(const void* value, std::size_t size) noexcept
{
    if (engine_)
        return refuse(-FI_EOPBADSTATE, "fi_setopt", "the endpoint is enabled");
    bool permitted = true;
    if (!value || size != sizeof permitted)
        return refuse(-FI_EINVAL, "fi_setopt", "the value is a bool");
    std::memcpy(&permitted, value, sizeof permitted);
    // A device that has none need not be told.
    if constexpr (requires { port_.shared_memory; })
        port_.shared_memory = permitted && setup_.shared_memory;
    return 0;
}

} // namespace fi::kit
