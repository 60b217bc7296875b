// What binary64 says of the tokens themselves: inner products and gaps.
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

#include "critscale/tokens/binary64/detail/layer.hpp"
#include "critscale/tokens/detail/exact_text.hpp"
#include "critscale/tokens/detail/shared_parts.hpp"

namespace critscale {

namespace {

/// Smallest and largest of numbers in enclosures: enclosures of both.
struct Extremes {
  double min_low = 4, min_high = 4, max_low = 0, max_high = 0;
  void look(double low, double high) {
    min_low = std::min(min_low, low);
    min_high = std::min(min_high, high);
    max_low = std::max(max_low, low);
    max_high = std::max(max_high, high);
  }
};

double below(Bounded x) { return x.v - (x.e * bound_slack + Bounded::u * x.v); }
double above(Bounded x) { return x.v + (x.e * bound_slack + Bounded::u * x.v); }

/// D_i0, ..., with count numbers, as good as binary64 has them.
void enclosed_distances(const TokenFacts& facts, const TokenDoubles& t, std::size_t i, const double* products,
                        std::size_t count, double* D, double* error) {
  constexpr double enough = 0x1p-36;
  t.distances(facts, i, products, count, D);
  for (std::size_t j = 0; j < count; ++j) {
    const double reach = t.omega[i] + t.omega[j];
    Bounded x{D[j], t.kappa_distance * reach * reach * bound_slack};
    if (facts.tied(i, j))
      x = {0, 0};
    else if (x.e > enough * x.v)
      x = t.close_distance(i, j);
    D[j] = x.v;
    error[j] = x.e;
  }
}

}  // namespace

TokenGeometry geometry_binary64(const TokenFacts& facts, const TokenDoubles& t, const RowSharing* sharing) {
  const std::vector<RowBlock> blocks = row_blocks(t.n);
  struct Part {
    Bounded total;
    Extremes extremes;
  };
  std::vector<Part> parts(blocks.size());
  const auto part_of = [&](std::size_t b) {
    std::vector<double> D(t.n), error(t.n), room;
    const double* products = t.products(blocks[b], blocks[b].last, room);
    for (std::size_t i = blocks[b].first; i < blocks[b].last; ++i) {
      enclosed_distances(facts, t, i, products + (i - blocks[b].first) * t.n, i, D.data(), error.data());
      for (std::size_t j = 0; j < i; ++j)
        parts[b].extremes.look(below({D[j], error[j]}), above({D[j], error[j]}));
      const double sum = t.kernels.sum(i, D.data());
      parts[b].total +=
          Bounded{sum, (t.kernels.sum(i, error.data()) + gamma_bound(t.height_n) * sum) * bound_slack +
                           Bounded::least};
    }
  };
  for_parts(
      sharing, blocks.size(), part_of,
      [&](std::size_t b) {
        std::string bytes;
        append_bytes<Part>(bytes, std::span(parts).subspan(b, 1));
        return bytes;
      },
      [&](std::size_t b, std::string_view bytes) { take_bytes(bytes, std::span(parts).subspan(b, 1)); });
  Bounded total;
  Extremes all;
  for (const Part& part : parts) {
    total += part.total;
    all.look(part.extremes.min_low, part.extremes.min_high);
    all.look(part.extremes.max_low, part.extremes.max_high);
  }
  const auto between = [](double lo, double hi) {
    return Ball(Dyadic::exactly(std::max(lo, 0.0)), Dyadic::exactly(std::min(hi, 2.0)), 64);
  };
  const Ball nearest = facts.tied_pairs > 0 ? Ball(0, 64) : between(all.min_low, all.min_high);
  const Ball farthest = between(all.max_low, all.max_high);
  TokenGeometry r{t.n, t.d, 1L - farthest, 1L - nearest, 1L - to_ball(total) / facts.pairs, {}, {}};
  r.first_threshold = 1L / farthest;
  if (facts.tied_pairs == 0) r.last_threshold = 1L / nearest;
  return r;
}

std::vector<RowGaps> gaps_binary64(const TokenFacts& facts, const TokenDoubles& t,
                                   const RowSharing* sharing) {
  std::vector<RowGaps> r(t.n);
  const std::vector<double> logarithms = gap_logarithms(t.n);
  const auto row = [&](std::size_t i, const double* products) {
    if (facts.members[facts.direction[i]].size() > 1) return;
    std::vector<double> D(t.n), error(t.n), lower, upper;
    enclosed_distances(facts, t, i, products, t.n, D.data(), error.data());
    for (std::size_t j = 0; j < t.n; ++j)
      if (j != i) {
        lower.push_back(below({D[j], error[j]}));
        upper.push_back(above({D[j], error[j]}));
      }
    r[i] = count_gaps(std::move(lower), std::move(upper), logarithms);
  };
  const std::vector<RowBlock> blocks = row_blocks(t.n);
  for_parts(
      sharing, blocks.size(),
      [&](std::size_t b) {
        std::vector<double> room;
        const double* products = t.products(blocks[b], t.n, room);
        tbb::parallel_for(blocks[b].first, blocks[b].last,
                          [&](std::size_t i) { row(i, products + (i - blocks[b].first) * t.n); });
      },
      [&](std::size_t b) {
        BallWriter w;
        for (std::size_t i = blocks[b].first; i < blocks[b].last; ++i) w.put(r[i]);
        return w.text();
      },
      [&](std::size_t b, std::string_view text) {
        BallReader reader(text);
        for (std::size_t i = blocks[b].first; i < blocks[b].last; ++i) reader.get(r[i]);
      });
  return r;
}

}  // namespace critscale
