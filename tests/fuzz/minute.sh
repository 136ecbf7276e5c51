#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# minute.sh FUZZER CORPUS: lets a fuzzer loose for a minute (FI_FUZZ_SECONDS), from a kept corpus, which stays as it is.
# What it finds new is thrown away; an input that breaks something stays in the working directory, named in the output.
set -euo pipefail
found=$(mktemp -d)
trap 'rm -rf "$found"' EXIT
"$1" -max_total_time="${FI_FUZZ_SECONDS:-60}" -timeout=20 -rss_limit_mb=1024 -max_len=4096 -print_final_stats=1 "$found" "$2"
