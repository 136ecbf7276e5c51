// SPDX-License-Identifier: BSD-2-Clause
//
// Nothing: meson precompiles a header only for a target, and a target has a source.
