// SPDX-License-Identifier: BSD-2-Clause
//
// What nearly all tests include and what takes long to read: precompiled once for all of them. Every test
// still includes what it uses.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <fstream>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>
