// SPDX-License-Identifier: BSD-2-Clause
//
// The API's six ways to post a receive, for whoever takes receives: an endpoint, or a receive context that
// several endpoints share. Each decides what its flags mean and hands down one ReceiveArgs.
#pragma once

#include "kit/engine/engine.hpp"

namespace fi::kit {

constexpr std::size_t kMinMultiReceive = 64; ///< bytes, until FI_OPT_MIN_MULTI_RECV says otherwise

/// Self has `ssize_t receive(ReceiveArgs) noexcept`; `bool post_plain(ReceiveArgs) noexcept`, which does the
/// same for what it can do at once and answers false, having changed nothing, to all the rest; `bool
/// receive_reports(std::uint64_t flags) const`, which says whether a receive with these flags makes a
/// completion; and `refuse` and `refuse_flags`, which say why a call was refused.
template <class Self>
class ReceiveCalls {
  public:
    // fi_ops_msg
    ssize_t recv(void* buf, std::size_t len, void*, fi_addr_t source, void* context) noexcept
    {
        return receive_one(buf, len, source, 0, 0, context, false);
    }
    ssize_t recvv(const iovec* iov, void**, std::size_t count, fi_addr_t source, void* context) noexcept
    {
        return self().receive({iov, count, source, 0, 0, context, false, receive_report_, receive_special_});
    }
    ssize_t recvmsg(const fi_msg* msg, std::uint64_t flags) noexcept
    {
        if (flags & ~kReceiveFlags)
            return self().refuse_flags("fi_recvmsg", flags);
        return self().receive({msg->msg_iov, msg->iov_count, msg->addr, 0, 0, msg->context, false,
                               self().receive_reports(flags), flags & kSpecialReceives});
    }

    // fi_ops_tagged
    ssize_t trecv(void* buf, std::size_t len, void*, fi_addr_t source, std::uint64_t tag,
                  std::uint64_t ignore, void* context) noexcept
    {
        return receive_one(buf, len, source, tag, ignore, context, true);
    }
    ssize_t trecvv(const iovec* iov, void**, std::size_t count, fi_addr_t source, std::uint64_t tag,
                   std::uint64_t ignore, void* context) noexcept
    {
        return self().receive(
            {iov, count, source, tag, ignore, context, true, receive_report_, tagged_special_});
    }
    ssize_t trecvmsg(const fi_msg_tagged* msg, std::uint64_t flags) noexcept
    {
        if (flags & ~kReceiveFlags)
            return self().refuse_flags("fi_trecvmsg", flags);
        return self().receive({msg->msg_iov, msg->iov_count, msg->addr, msg->tag, msg->ignore, msg->context,
                               true, self().receive_reports(flags), flags & kSpecialReceives});
    }

  protected:
    static constexpr std::uint64_t kSpecialReceives = FI_MULTI_RECV | FI_PEEK | FI_CLAIM | FI_DISCARD;
    // FI_TRANSMIT_COMPLETE of a receive lets it complete earlier than ours ever do (D57).
    static constexpr std::uint64_t kReceiveFlags =
        FI_COMPLETION | FI_MORE | FI_TRANSMIT_COMPLETE | kSpecialReceives;
    static constexpr std::uint64_t kReceiveDefaults = FI_COMPLETION | FI_MULTI_RECV; // D37

    /// Whether receives heed the source that they name.
    static bool is_directed(std::uint64_t caps, bool tagged) noexcept
    {
        return caps & (FI_DIRECTED_RECV | (tagged ? FI_TAGGED_DIRECTED_RECV : 0));
    }
    /// Makes the arguments what these capabilities allow: 0, or why they cannot be.
    ssize_t settle(ReceiveArgs& args, std::uint64_t caps) noexcept
    {
        if (!is_directed(caps, args.tagged))
            args.source = FI_ADDR_UNSPEC;
        if (!args.special)
            return 0;
        args.least = min_multi_receive_;
        const auto no = [&](int error, const char* why) { return self().refuse(error, "receiving", why); };
        switch (args.special) {
        case FI_MULTI_RECV:
            if (!(caps & (args.tagged ? FI_TAGGED_MULTI_RECV : FI_MULTI_RECV)))
                return no(-FI_EOPNOTSUPP, "the endpoint was opened without FI_MULTI_RECV for such messages");
            return args.segments == 1 ? 0 : no(-FI_EINVAL, "FI_MULTI_RECV takes one segment");
        case FI_PEEK:
        case FI_PEEK | FI_DISCARD:
            return 0;
        case FI_PEEK | FI_CLAIM:
        case FI_CLAIM:
        case FI_CLAIM | FI_DISCARD:
            return args.context
                       ? 0
                       : no(-FI_EINVAL, "a claimed message is known by its context: there is none"); // D89
        default:
            return no(-FI_EBADFLAGS,
                      "FI_MULTI_RECV, FI_PEEK, FI_CLAIM and FI_DISCARD do not go together like this");
        }
    }
    /// What calls without flags do.
    void set_receive_defaults(std::uint64_t flags, std::uint64_t caps) noexcept
    {
        receive_report_ = self().receive_reports(flags);
        receive_special_ = flags & FI_MULTI_RECV;
        tagged_special_ = caps & FI_TAGGED_MULTI_RECV ? receive_special_ : 0;
    }

    std::size_t min_multi_receive_ = kMinMultiReceive; ///< FI_OPT_MIN_MULTI_RECV, bytes

  private:
    Self& self() noexcept { return static_cast<Self&>(*this); }
    [[gnu::always_inline]] ssize_t receive_one(void* buf, std::size_t len, fi_addr_t source,
                                               std::uint64_t tag, std::uint64_t ignore, void* context,
                                               bool tagged) noexcept
    {
        const iovec iov{buf, len};
        return self().post_plain({&iov, 1, source, tag, ignore, context, tagged, receive_report_,
                                  tagged ? tagged_special_ : receive_special_})
                   ? 0
                   : receive_one_slowly(buf, len, source, tag, ignore, context, tagged);
    }
    /// On its own, so that what it needs memory for stays in registers where it is not called.
    [[gnu::noinline]] ssize_t receive_one_slowly(void* buf, std::size_t len, fi_addr_t source,
                                                 std::uint64_t tag, std::uint64_t ignore, void* context,
                                                 bool tagged) noexcept
    {
        const iovec iov{buf, len};
        return self().receive({&iov, 1, source, tag, ignore, context, tagged, receive_report_,
                               tagged ? tagged_special_ : receive_special_});
    }

    bool receive_report_ = true;
    std::uint64_t receive_special_ = 0; ///< FI_MULTI_RECV where it is a default operation flag
    std::uint64_t tagged_special_ = 0;
};

} // namespace fi::kit
