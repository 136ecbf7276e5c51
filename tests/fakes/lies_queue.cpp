// SPDX-License-Identifier: BSD-2-Clause
#include "liar.hpp"

#include <cstring>

namespace liar {
namespace {

/// A send is told of twice.
ssize_t repeating_read(fid_cq* queue, void* buf, std::size_t count, fi_addr_t* sources)
{
    static std::map<fid_cq*, fi_cq_tagged_entry> again;
    if (const auto found = again.find(queue); found != again.end() && count > 0) {
        std::memcpy(buf, &found->second, sizeof found->second);
        again.erase(found);
        return 1;
    }
    const ssize_t ret = honest(queue->ops).readfrom(queue, buf, count, sources);
    if (ret > 0) {
        fi_cq_tagged_entry last;
        std::memcpy(&last, static_cast<const char*>(buf) + (static_cast<std::size_t>(ret) - 1) * sizeof last,
                    sizeof last);
        if (last.flags & FI_SEND)
            again[queue] = last;
    }
    return ret;
}

ssize_t sourceless_read(fid_cq* queue, void* buf, std::size_t count, fi_addr_t* sources)
{
    const ssize_t ret = honest(queue->ops).readfrom(queue, buf, count, sources);
    for (ssize_t i = 0; i < ret; i++)
        sources[i] = FI_ADDR_NOTAVAIL;
    return ret;
}

ssize_t boasting_readerr(fid_cq* queue, fi_cq_err_entry* error, std::uint64_t flags)
{
    const ssize_t ret = honest(queue->ops).readerr(queue, error, flags);
    if (ret == 1 && error->err == FI_ETRUNC)
        error->len += error->olen;
    return ret;
}

ssize_t forgetful_readerr(fid_cq* queue, fi_cq_err_entry* error, std::uint64_t flags)
{
    const ssize_t ret = honest(queue->ops).readerr(queue, error, flags);
    if (ret == 1)
        error->op_context = nullptr;
    return ret;
}

ssize_t impatient_sread(fid_cq* queue, void* buf, std::size_t count, const void* condition, int timeout)
{
    return honest(queue->ops).sread(queue, buf, count, condition, timeout > 0 ? timeout / 3 : timeout);
}

const Lie kLies[] = {
    {
        .name = "two_completions_for_one_send",
        .queue = [](fi_ops_cq& table) { table.readfrom = repeating_read; },
    },
    {
        .name = "source_not_reported",
        .queue = [](fi_ops_cq& table) { table.readfrom = sourceless_read; },
    },
    {
        .name = "length_of_what_was_cut",
        .queue = [](fi_ops_cq& table) { table.readerr = boasting_readerr; },
    },
    {
        .name = "error_without_context",
        .queue = [](fi_ops_cq& table) { table.readerr = forgetful_readerr; },
    },
    {
        .name = "timeout_too_early",
        .queue = [](fi_ops_cq& table) { table.sread = impatient_sread; },
    },
};

} // namespace

const Lie* find_queue(const char* name)
{
    for (const Lie& each : kLies)
        if (std::strcmp(each.name, name) == 0)
            return &each;
    return nullptr;
}

} // namespace liar
