// SPDX-License-Identifier: BSD-2-Clause
//
// The slots of every function table, in the table's own order, each beside the method that fills it.
//
// X(slot, method): `slot` is the member of the C struct, `method` the name a class gives its implementation.
// A method is called what the application calls: fi_tinject() -> tinject, fi_cq_read() -> cq_read,
// fi_compare_atomic() -> compare_atomic. So one class can fill several tables (fi_ops_msg::recv is recv,
// fi_ops_tagged::recv is trecv). A slot that is missing here does not compile: table.hpp compares the count
// with sizeof(struct). This file is preprocessor text only.
#pragma once

#define FI_KIT_SLOTS_fi_ops(X)                                                                               \
    X(close, close)                                                                                          \
    X(bind, bind)                                                                                            \
    X(control, control)                                                                                      \
    X(ops_open, ops_open)                                                                                    \
    X(tostr, tostr)                                                                                          \
    X(ops_set, ops_set)

#define FI_KIT_SLOTS_fi_ops_fabric(X)                                                                        \
    X(domain, domain)                                                                                        \
    X(passive_ep, passive_ep)                                                                                \
    X(eq_open, eq_open)                                                                                      \
    X(wait_open, wait_open)                                                                                  \
    X(trywait, trywait)                                                                                      \
    X(domain2, domain2)

#define FI_KIT_SLOTS_fi_ops_domain(X)                                                                        \
    X(av_open, av_open)                                                                                      \
    X(cq_open, cq_open)                                                                                      \
    X(endpoint, endpoint)                                                                                    \
    X(scalable_ep, scalable_ep)                                                                              \
    X(cntr_open, cntr_open)                                                                                  \
    X(poll_open, poll_open)                                                                                  \
    X(stx_ctx, stx_context)                                                                                  \
    X(srx_ctx, srx_context)                                                                                  \
    X(query_atomic, query_atomic)                                                                            \
    X(query_collective, query_collective)                                                                    \
    X(endpoint2, endpoint2)

#define FI_KIT_SLOTS_fi_ops_mr(X)                                                                            \
    X(reg, mr_reg)                                                                                           \
    X(regv, mr_regv)                                                                                         \
    X(regattr, mr_regattr)

#define FI_KIT_SLOTS_fi_ops_av(X)                                                                            \
    X(insert, av_insert)                                                                                     \
    X(insertsvc, av_insertsvc)                                                                               \
    X(insertsym, av_insertsym)                                                                               \
    X(remove, av_remove)                                                                                     \
    X(lookup, av_lookup)                                                                                     \
    X(straddr, av_straddr)                                                                                   \
    X(av_set, av_set)                                                                                        \
    X(insert_auth_key, av_insert_auth_key)                                                                   \
    X(lookup_auth_key, av_lookup_auth_key)                                                                   \
    X(set_user_id, av_set_user_id)

#define FI_KIT_SLOTS_fi_ops_av_set(X)                                                                        \
    X(set_union, av_set_union)                                                                               \
    X(intersect, av_set_intersect)                                                                           \
    X(diff, av_set_diff)                                                                                     \
    X(insert, av_set_insert)                                                                                 \
    X(remove, av_set_remove)                                                                                 \
    X(addr, av_set_addr)

#define FI_KIT_SLOTS_fi_ops_eq(X)                                                                            \
    X(read, eq_read)                                                                                         \
    X(readerr, eq_readerr)                                                                                   \
    X(write, eq_write)                                                                                       \
    X(sread, eq_sread)                                                                                       \
    X(strerror, eq_strerror)

#define FI_KIT_SLOTS_fi_ops_cq(X)                                                                            \
    X(read, cq_read)                                                                                         \
    X(readfrom, cq_readfrom)                                                                                 \
    X(readerr, cq_readerr)                                                                                   \
    X(sread, cq_sread)                                                                                       \
    X(sreadfrom, cq_sreadfrom)                                                                               \
    X(signal, cq_signal)                                                                                     \
    X(strerror, cq_strerror)

#define FI_KIT_SLOTS_fi_ops_cntr(X)                                                                          \
    X(read, cntr_read)                                                                                       \
    X(readerr, cntr_readerr)                                                                                 \
    X(add, cntr_add)                                                                                         \
    X(set, cntr_set)                                                                                         \
    X(wait, cntr_wait)                                                                                       \
    X(adderr, cntr_adderr)                                                                                   \
    X(seterr, cntr_seterr)

#define FI_KIT_SLOTS_fi_ops_wait(X) X(wait, wait)

#define FI_KIT_SLOTS_fi_ops_poll(X)                                                                          \
    X(poll, poll)                                                                                            \
    X(poll_add, poll_add)                                                                                    \
    X(poll_del, poll_del)

#define FI_KIT_SLOTS_fi_ops_ep(X)                                                                            \
    X(cancel, cancel)                                                                                        \
    X(getopt, getopt)                                                                                        \
    X(setopt, setopt)                                                                                        \
    X(tx_ctx, tx_context)                                                                                    \
    X(rx_ctx, rx_context)                                                                                    \
    X(rx_size_left, rx_size_left)                                                                            \
    X(tx_size_left, tx_size_left)

#define FI_KIT_SLOTS_fi_ops_cm(X)                                                                            \
    X(setname, setname)                                                                                      \
    X(getname, getname)                                                                                      \
    X(getpeer, getpeer)                                                                                      \
    X(connect, connect)                                                                                      \
    X(listen, listen)                                                                                        \
    X(accept, accept)                                                                                        \
    X(reject, reject)                                                                                        \
    X(shutdown, shutdown)                                                                                    \
    X(join, join)

#define FI_KIT_SLOTS_fi_ops_msg(X)                                                                           \
    X(recv, recv)                                                                                            \
    X(recvv, recvv)                                                                                          \
    X(recvmsg, recvmsg)                                                                                      \
    X(send, send)                                                                                            \
    X(sendv, sendv)                                                                                          \
    X(sendmsg, sendmsg)                                                                                      \
    X(inject, inject)                                                                                        \
    X(senddata, senddata)                                                                                    \
    X(injectdata, injectdata)

#define FI_KIT_SLOTS_fi_ops_tagged(X)                                                                        \
    X(recv, trecv)                                                                                           \
    X(recvv, trecvv)                                                                                         \
    X(recvmsg, trecvmsg)                                                                                     \
    X(send, tsend)                                                                                           \
    X(sendv, tsendv)                                                                                         \
    X(sendmsg, tsendmsg)                                                                                     \
    X(inject, tinject)                                                                                       \
    X(senddata, tsenddata)                                                                                   \
    X(injectdata, tinjectdata)

#define FI_KIT_SLOTS_fi_ops_rma(X)                                                                           \
    X(read, read)                                                                                            \
    X(readv, readv)                                                                                          \
    X(readmsg, readmsg)                                                                                      \
    X(write, write)                                                                                          \
    X(writev, writev)                                                                                        \
    X(writemsg, writemsg)                                                                                    \
    X(inject, inject_write)                                                                                  \
    X(writedata, writedata)                                                                                  \
    X(injectdata, inject_writedata)

#define FI_KIT_SLOTS_fi_ops_atomic(X)                                                                        \
    X(write, atomic)                                                                                         \
    X(writev, atomicv)                                                                                       \
    X(writemsg, atomicmsg)                                                                                   \
    X(inject, inject_atomic)                                                                                 \
    X(readwrite, fetch_atomic)                                                                               \
    X(readwritev, fetch_atomicv)                                                                             \
    X(readwritemsg, fetch_atomicmsg)                                                                         \
    X(compwrite, compare_atomic)                                                                             \
    X(compwritev, compare_atomicv)                                                                           \
    X(compwritemsg, compare_atomicmsg)                                                                       \
    X(writevalid, atomicvalid)                                                                               \
    X(readwritevalid, fetch_atomicvalid)                                                                     \
    X(compwritevalid, compare_atomicvalid)

#define FI_KIT_SLOTS_fi_ops_collective(X)                                                                    \
    X(barrier, barrier)                                                                                      \
    X(broadcast, broadcast)                                                                                  \
    X(alltoall, alltoall)                                                                                    \
    X(allreduce, allreduce)                                                                                  \
    X(allgather, allgather)                                                                                  \
    X(reduce_scatter, reduce_scatter)                                                                        \
    X(reduce, reduce)                                                                                        \
    X(scatter, scatter)                                                                                      \
    X(gather, gather)                                                                                        \
    X(msg, collective_msg)                                                                                   \
    X(barrier2, barrier2)

#define FI_KIT_TABLES(X)                                                                                     \
    X(fi_ops)                                                                                                \
    X(fi_ops_fabric)                                                                                         \
    X(fi_ops_domain)                                                                                         \
    X(fi_ops_mr)                                                                                             \
    X(fi_ops_av)                                                                                             \
    X(fi_ops_av_set)                                                                                         \
    X(fi_ops_eq)                                                                                             \
    X(fi_ops_cq)                                                                                             \
    X(fi_ops_cntr)                                                                                           \
    X(fi_ops_wait)                                                                                           \
    X(fi_ops_poll)                                                                                           \
    X(fi_ops_ep)                                                                                             \
    X(fi_ops_cm)                                                                                             \
    X(fi_ops_msg)                                                                                            \
    X(fi_ops_tagged)                                                                                         \
    X(fi_ops_rma)                                                                                            \
    X(fi_ops_atomic)                                                                                         \
    X(fi_ops_collective)
