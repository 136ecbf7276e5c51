// SPDX-License-Identifier: BSD-2-Clause
//
// Function tables made from classes.
//
// The C struct of a table is the specification and a C++ class with methods named like the API calls is the
// implementation; `table<Endpoint, fi_ops_tagged>` is the finished constexpr table. Nothing is written twice
// and nothing can drift apart:
//   - a method that is missing gets the answer "unsupported" of its type: -FI_ENOSYS, 0 or NULL. No slot is
//   ever NULL;
//   - a method of the right name with another signature, overloaded, private or able to throw does not
//   compile;
//   - a slot without a line in slots.h does not compile.
// Virtual functions would do the same with one more load per call and a layout that C cannot read; macros
// that spell out each table were the other way, and are how stubs and capability flags come to lie.
#pragma once

#include "kit/ops/slots.h"

#include <cstddef>
#include <rdma/fabric.h>
#include <rdma/fi_atomic.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_collective.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>
#include <type_traits>
#include <utility>

namespace fi::kit {

/// From the handle that the application holds to the object behind it, at no cost.
/// T derives from the C struct `T::Handle`, whose first member `fid` is the fid_* struct that begins with
/// struct fid; both facts are checked here. H may be struct fid or that fid_* struct.
template <class T, class H>
auto& object(H* handle) noexcept
{
    using Handle = typename T::Handle;
    using Fid = decltype(Handle::fid);
    static_assert(std::is_standard_layout_v<Handle> && offsetof(Handle, fid) == 0);
    static_assert(std::is_base_of_v<Handle, T>);
    static_assert(std::is_same_v<std::remove_const_t<H>, ::fid> ||
                  std::is_same_v<std::remove_const_t<H>, Fid>);
    if constexpr (std::is_const_v<H>)
        return static_cast<const T&>(*reinterpret_cast<const Handle*>(handle));
    else
        return static_cast<T&>(*reinterpret_cast<Handle*>(handle));
}

namespace detail {

/// The answer of a slot for which class T has no method: -FI_ENOSYS, or T::kRefusal if it has one; 0 or NULL
/// where that does not fit the type.
template <class T, class Slot>
struct Unsupported;
template <class T, class R, class... A>
struct Unsupported<T, R (*)(A...)> {
    static R call(A...) noexcept
    {
        if constexpr (std::is_void_v<R>)
            return;
        else if constexpr (!std::is_signed_v<R>)
            return R{};
        else if constexpr (requires { T::kRefusal; })
            return static_cast<R>(T::kRefusal);
        else
            return static_cast<R>(-FI_ENOSYS);
    }
};

/// The slot's type with its handle taken off is the only signature that a method may have; where the handle
/// is const, so is the method.
template <class Slot, class Method>
struct Fits : std::false_type {
};
template <class R, class H, class... A, class C>
struct Fits<R (*)(H*, A...), R (C::*)(A...) noexcept> : std::bool_constant<!std::is_const_v<H>> {
};
template <class R, class H, class... A, class C>
struct Fits<R (*)(H*, A...), R (C::*)(A...) const noexcept> : std::true_type {
};

/// The class that has the method: T, or a base of it.
template <class R, class C, class... A>
C owner_of(R (C::*)(A...) noexcept);
template <class R, class C, class... A>
const C owner_of(R (C::*)(A...) const noexcept);
template <class Method>
using ClassOf = decltype(owner_of(std::declval<Method>()));

template <class T, auto method, class Slot>
struct Entry;
template <class T, auto method, class R, class H, class... A>
struct Entry<T, method, R (*)(H*, A...)> {
    static R call(H* handle, A... args) noexcept
    {
        ClassOf<decltype(method)>& self = object<T>(handle);
        return (self.*method)(args...);
    }
};

} // namespace detail

// `Both` finds the name if and only if T does not have it (otherwise the name is ambiguous): unlike `requires
// { &T::name; }` this also sees overloads and private methods, which must be errors, not silently
// "unsupported".
#define FI_KIT_FILL(slot, method_name)                                                                       \
    {                                                                                                        \
        struct Name {                                                                                        \
            int method_name;                                                                                 \
        };                                                                                                   \
        struct Both : T, Name {};                                                                            \
        if constexpr (requires { &Both::method_name; }) {                                                    \
            table.slot = detail::Unsupported<T, decltype(table.slot)>::call;                                 \
        } else {                                                                                             \
            static_assert(                                                                                   \
                requires { &T::method_name; }, #method_name " must be one public method of the class");      \
            static_assert(detail::Fits<decltype(table.slot), decltype(&T::method_name)>::value,              \
                          #method_name " has not the signature of its slot, or is not noexcept");            \
            table.slot = detail::Entry<T, &T::method_name, decltype(table.slot)>::call;                      \
        }                                                                                                    \
    }
#define FI_KIT_COUNT(slot, method) +1
/// make_table<T, Table>() fills one table from class T; there is one overload per table of the API.
#define FI_KIT_MAKE_TABLE(table_type)                                                                        \
    static_assert(sizeof(table_type) == sizeof(std::size_t) + (0 FI_KIT_SLOTS_##table_type(FI_KIT_COUNT)) *  \
                                                                  sizeof(void (*)()),                        \
                  "slots.h does not list every slot of " #table_type);                                       \
    template <class T, class Table>                                                                          \
    requires std::is_same_v<Table, table_type>                                                               \
    constexpr table_type make_table()                                                                        \
    {                                                                                                        \
        table_type table{};                                                                                  \
        table.size = sizeof(table_type);                                                                     \
        FI_KIT_SLOTS_##table_type(FI_KIT_FILL) return table;                                                 \
    }
FI_KIT_TABLES(FI_KIT_MAKE_TABLE)
#undef FI_KIT_MAKE_TABLE
#undef FI_KIT_COUNT
#undef FI_KIT_FILL

template <class T, class Table>
inline constexpr Table table_of = make_table<T, Table>();

/// The table as the C structs want it. It lies in read-only memory: nobody may write through this pointer.
template <class T, class Table>
Table* table() noexcept
{
    return const_cast<Table*>(&table_of<T, Table>);
}

} // namespace fi::kit
