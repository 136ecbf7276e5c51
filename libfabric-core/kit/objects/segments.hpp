// SPDX-License-Identifier: BSD-2-Clause
//
// An array that grows while others read it.
//
// Elements never move: a full array gets a new segment, twice as large as the one before. A reader needs no
// lock; it finds the segment by the index's highest bit. A vector behind a reader-writer lock costs every
// send an atomic write that all threads share; a copy on growth leaves the question of when the old one may
// go.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <memory>

namespace fi::kit {

/// One writer at a time (or a lock around grow_to), any number of readers. T is default-constructible; what a
/// reader may see of an element is up to the element.
template <class T>
class Segments {
    static constexpr size_t kFirst = 64; ///< elements of the first segment
    static constexpr size_t kCount = 26; ///< segments: 2^32 elements less a few

  public:
    static constexpr size_t kCapacity = (kFirst << kCount) - kFirst;

    Segments() = default;
    Segments(const Segments&) = delete;
    Segments& operator=(const Segments&) = delete;
    ~Segments()
    {
        for (auto& segment : segments_)
            delete[] segment.load(std::memory_order_relaxed);
    }

    /// The element, or nullptr where the array does not reach.
    T* find(size_t index) const noexcept
    {
        if (index >= kCapacity)
            return nullptr;
        const Place place = place_of(index);
        // Pairs with the release in grow_to: the elements are constructed.
        T* segment = segments_[place.segment].load(std::memory_order_acquire);
        return segment ? segment + place.offset : nullptr;
    }

    /// Makes the element exist. Throws std::bad_alloc, also past kCapacity.
    T& grow_to(size_t index)
    {
        if (index >= kCapacity)
            throw std::bad_alloc();
        const Place place = place_of(index);
        T* segment = segments_[place.segment].load(std::memory_order_relaxed);
        if (!segment) {
            segment = new T[kFirst << place.segment]();
            segments_[place.segment].store(segment, std::memory_order_release);
        }
        return segment[place.offset];
    }

  private:
    struct Place {
        size_t segment, offset;
    };
    static Place place_of(size_t index) noexcept
    {
        const size_t shifted = index + kFirst;
        const size_t segment = std::bit_width(shifted) - std::bit_width(kFirst);
        return {segment, shifted - (kFirst << segment)};
    }

    std::array<std::atomic<T*>, kCount> segments_{};
};

} // namespace fi::kit
