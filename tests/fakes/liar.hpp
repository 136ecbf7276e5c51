// SPDX-License-Identifier: BSD-2-Clause
//
// The liar: the soft provider with one thing wrong. fi_conform has to find out which, and to name the rule.
//
// What is wrong is a lie, chosen by `lie=NAME` in the script beside the plugin's file (script.h). A lie
// changes slots in copies of soft's own tables, so that everything else stays true:
//
//   lies_control.cpp   what fi_getinfo answers; closing, names
//   lies_data.cpp      sending, receiving, cancelling
//   lies_queue.cpp     what a completion queue tells
//   liar.cpp           where the tables are changed
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_tagged.h>

namespace liar {

/// The tables that lies change, and nothing where a lie leaves one alone.
struct Lie {
    const char* name;
    /// Changes hints before soft sees them, and the answer afterwards; the latter is NULL if there is none.
    void (*hints)(fi_info& hints);
    void (*answer)(fi_info& entry);
    void (*queue_object)(fi_ops& table);
    void (*queue)(fi_ops_cq& table);
    void (*endpoint)(fi_ops_ep& table);
    void (*names)(fi_ops_cm& table);
    void (*messages)(fi_ops_msg& table);
    void (*tagged)(fi_ops_tagged& table);
};

/// The lie of that name; NULL if there is none.
const Lie* find_control(const char* name);
const Lie* find_data(const char* name);
const Lie* find_queue(const char* name);

/// A changed table and the one that it was copied from. Kept for ever: an object may hold it.
template <class Table>
struct Changed {
    Table table;
    const Table* honest;
};

/// The changed copy of a table: one for each table of soft's, whatever the number of objects.
template <class Table>
Table* change(Table* honest, void (*how)(Table&))
{
    static std::map<const Table*, Changed<Table>> copies;
    const auto [found, is_new] = copies.try_emplace(honest, Changed<Table>{*honest, honest});
    if (is_new)
        how(found->second.table);
    return &found->second.table;
}

/// What the table of a lying object was before.
template <class Table>
const Table& honest(const Table* changed)
{
    return *reinterpret_cast<const Changed<Table>*>(changed)->honest;
}

} // namespace liar
