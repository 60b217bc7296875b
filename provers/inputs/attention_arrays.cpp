// Uses attention_arrays.hpp.
#include "inputs/attention_arrays.hpp"

#include <fmt/format.h>

#include "critscale/tokens/gaussian.hpp"

namespace critscale::cli {

namespace {

HeadArray of_shape(StoredArray array) {
  HeadArray r{std::move(array)};
  const auto& shape = r.array.shape;
  r.width = shape[shape.size() - 1];
  r.rows = shape[shape.size() - 2];
  if (shape.size() > 2) r.heads = shape[shape.size() - 3];
  if (shape.size() > 3) r.batch = shape[0];
  return r;
}

HeadArray read_heads(const std::string& flag, const std::string& path, bool bfloat16) {
  if (path.empty()) throw InputError(fmt::format("{} is needed, or --gaussian (see --help)", flag));
  StoredArray array = read_array(path, bfloat16);
  const std::size_t axes = array.shape.size();
  if (axes < 2 || axes > 4)
    throw InputError(fmt::format(
        "{}: {}: expected (rows, width), (heads, rows, width) or (batch, heads, rows, width), found {}", flag,
        path, shape_text(array.shape)));
  return of_shape(std::move(array));
}

/// One of the arrays that --gaussian draws.
HeadArray drawn(std::uint64_t seed, std::uint32_t which, std::size_t heads, std::size_t rows,
                std::size_t width) {
  constexpr std::size_t most = std::size_t{1} << 31;
  if (rows > most / width / heads)
    throw InputError(fmt::format("--gaussian: {} x {} x {} numbers are more than 2^31", heads, rows, width));
  return of_shape({{heads, rows, width}, gaussian_array(heads * rows, width, seed, which), false});
}

void require_fit(bool fits, const std::string& what) {
  if (!fits) throw InputError(what);
}

void require_fitting(const AttentionArrays& a) {
  const auto text = [](const HeadArray& h) { return shape_text(h.array.shape); };
  require_fit(a.q.width == a.k.width,
              fmt::format("queries {} and keys {} differ in width", text(a.q), text(a.k)));
  require_fit(a.k.rows == a.v.rows,
              fmt::format("keys {} and values {} differ in number", text(a.k), text(a.v)));
  require_fit(a.k.heads == a.v.heads && a.k.batch == a.v.batch,
              fmt::format("keys {} and values {} differ in heads", text(a.k), text(a.v)));
  require_fit(a.q.batch == a.k.batch,
              fmt::format("queries {} and keys {} differ in batch", text(a.q), text(a.k)));
  require_fit(a.k.heads > 0 && a.q.heads % a.k.heads == 0,
              fmt::format("{} query heads are no multiple of {} key heads", a.q.heads, a.k.heads));
}

void read_mask(const AttentionFlags& f, AttentionArrays& a) {
  a.mask = read_array(f.mask, f.bfloat16);
  require_fit(a.mask.shape.size() == 2 && a.mask.shape[0] == a.q.rows && a.mask.shape[1] == a.k.rows,
              fmt::format("--mask: {}: expected ({}, {}), found {}", f.mask, a.q.rows, a.k.rows,
                          shape_text(a.mask.shape)));
  if (!a.mask.boolean) return;
  a.visible.assign(a.mask.entries.begin(), a.mask.entries.end());
  a.mask.entries.clear();
}

}  // namespace

AttentionArrays read_arrays(const AttentionFlags& f) {
  AttentionArrays a;
  const auto gaussian = f.gaussian();
  if (gaussian) {
    const auto& g = *gaussian;
    require_fit(g.heads % g.key_heads == 0,
                fmt::format("{} query heads are no multiple of {} key heads", g.heads, g.key_heads));
    const std::uint64_t seed = f.seed();
    a.q = drawn(seed, 0, g.heads, g.m, g.d);
    a.k = drawn(seed, 1, g.key_heads, g.n, g.d);
    a.v = drawn(seed, 2, g.key_heads, g.n, g.e);
    if (f.d_out == "gaussian") a.d_out = drawn(seed, 3, g.heads, g.m, g.e);
  } else {
    a.q = read_heads("--q", f.q, f.bfloat16);
    a.k = read_heads("--k", f.k, f.bfloat16);
    a.v = read_heads("--v", f.v, f.bfloat16);
    require_fitting(a);
  }
  if (!f.d_out.empty() && a.d_out.rows == 0) {
    a.d_out = read_heads("--d-out", f.d_out, f.bfloat16);
    require_fit(a.d_out.batch == a.q.batch && a.d_out.heads == a.q.heads && a.d_out.rows == a.q.rows &&
                    a.d_out.width == a.v.width,
                fmt::format("--d-out {} is not shaped like the output ({} rows of {} in {} heads)",
                            shape_text(a.d_out.array.shape), a.q.rows, a.v.width, a.q.heads * a.q.batch));
  }
  if (!f.mask.empty()) read_mask(f, a);
  return a;
}

}  // namespace critscale::cli
