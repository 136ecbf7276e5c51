// SPDX-License-Identifier: BSD-2-Clause
//
// The object of fi_srx_context(): receives that several endpoints of a domain take their messages from.
//
// It has no completion queue of its own: a receive ends on the queue of the endpoint whose message it took
// (D23); what is told without a message, a cancellation or a peek that finds nothing, on that of the endpoint
// that has been bound longest.
#pragma once

#include "kit/engine/receive_calls.hpp"
#include "kit/objects/guard.hpp"

namespace fi::kit {

struct SharedReceivesHandle {
    fid_ep fid;
};

template <class Lock, class PortType>
class SharedReceives : public SharedReceivesHandle,
                       public Child,
                       public ReceiveCalls<SharedReceives<Lock, PortType>> {
  public:
    using Handle = SharedReceivesHandle;
    using Calls = ReceiveCalls<SharedReceives>;
    using Context = ReceiveContext<Engine<PortType>>;

    /// attr: as the application gave it, or NULL. Throws std::bad_alloc.
    SharedReceives(Lock& lock, Parent& domain, const fi_rx_attr& attr, std::size_t iov_limit, void* context)
        : SharedReceivesHandle{}, Child(domain, fid.fid), lock_(lock), caps_(attr.caps),
          iov_limit_(iov_limit), receives_(domain.provider(), attr.size, nullptr)
    {
        fid.fid.fclass = FI_CLASS_SRX_CTX;
        fid.fid.context = context;
        fid.fid.ops = table<SharedReceives, fi_ops>();
        fid.ops = table<SharedReceives, fi_ops_ep>();
        fid.cm = table<SharedReceives, fi_ops_cm>();
        fid.msg = table<SharedReceives, fi_ops_msg>();
        fid.tagged = table<SharedReceives, fi_ops_tagged>();
        fid.rma = table<SharedReceives, fi_ops_rma>();
        fid.atomic = table<SharedReceives, fi_ops_atomic>();
        fid.collective = table<SharedReceives, fi_ops_collective>();
        this->set_receive_defaults(attr.op_flags, caps_);
    }

    // fi_ops
    int close() noexcept
    {
        if (users())
            return refuse_close(parent().provider(), FI_LOG_EP_CTRL, "shared receive context", users(),
                                "endpoints");
        delete this;
        return 0;
    }
    int control(int command, void*) noexcept
    {
        return command == FI_ENABLE ? 0 : refuse(-FI_ENOSYS, "fi_control", "only FI_ENABLE");
    }

    // fi_ops_ep
    ssize_t cancel(void* what) noexcept
    {
        const std::lock_guard guard(lock_);
        return Engine<PortType>::cancel_shared(receives_, what);
    }
    int getopt(int level, int name, void* value, std::size_t* size) noexcept
    {
        if (level != FI_OPT_ENDPOINT || name != FI_OPT_MIN_MULTI_RECV)
            return refuse(-FI_ENOPROTOOPT, "fi_getopt",
                          "a shared receive context has only FI_OPT_MIN_MULTI_RECV");
        if (!value || !size || *size < sizeof this->min_multi_receive_)
            return refuse(size && value ? -FI_ETOOSMALL : -FI_EINVAL, "fi_getopt",
                          "there is no room for a size_t");
        *static_cast<std::size_t*>(value) = this->min_multi_receive_;
        *size = sizeof this->min_multi_receive_;
        return 0;
    }
    int setopt(int level, int name, const void* value, std::size_t size) noexcept
    {
        if (level != FI_OPT_ENDPOINT || name != FI_OPT_MIN_MULTI_RECV)
            return refuse(-FI_ENOPROTOOPT, "fi_setopt",
                          "a shared receive context has only FI_OPT_MIN_MULTI_RECV");
        if (!value || size != sizeof this->min_multi_receive_)
            return refuse(-FI_EINVAL, "fi_setopt", "the value is no size_t");
        const std::lock_guard guard(lock_);
        this->min_multi_receive_ = *static_cast<const std::size_t*>(value);
        return 0;
    }

    /// What the endpoints bound to it match against.
    Context& receives() noexcept { return receives_; }

  private:
    friend Calls;

    int refuse(int error, RefusedCall call, const char* why) const noexcept
    {
        return kit::refuse(parent().provider(), FI_LOG_EP_CTRL, error, call, "%s", why);
    }
    ssize_t refuse_flags(RefusedCall call, std::uint64_t flags) const noexcept
    {
        return kit::refuse(parent().provider(), FI_LOG_EP_DATA, -FI_EBADFLAGS, call,
                           "some of the flags %#llx are unknown to a shared receive context",
                           static_cast<unsigned long long>(flags));
    }
    /// The endpoint that completes it may report it in any case.
    static bool receive_reports(std::uint64_t flags) noexcept { return flags & FI_COMPLETION; }
    static bool post_plain(const ReceiveArgs&) noexcept { return false; }
    ssize_t receive(ReceiveArgs args) noexcept
    {
        if (args.segments > iov_limit_)
            return refuse(-FI_EINVAL, "receiving", "there are more segments than iov_limit"); // D12
        if (!(caps_ & (args.tagged ? FI_TAGGED : FI_MSG)))
            return refuse(-FI_EOPNOTSUPP, "receiving", "the context was opened for other messages");
        if (const ssize_t ret = this->settle(args, caps_))
            return ret;
        const std::lock_guard guard(lock_);
        return Engine<PortType>::receive_shared(receives_, args);
    }

    Lock& lock_;
    std::uint64_t caps_;
    std::size_t iov_limit_;
    Context receives_;
};

} // namespace fi::kit
