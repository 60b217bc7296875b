// The general Gram form on symmetric configurations written out.
#include <fmt/format.h>

#include "critscale/layer/detail/gram.hpp"
#include "critscale/model/inputs.hpp"
#include "model/other_types.hpp"

namespace model_test {

std::vector<std::size_t> explicit_sizes(const Configuration& c) {
  std::vector<std::size_t> sizes{1};
  if (const auto* bands = std::get_if<Bands>(&c.geometry))
    for (const Band& b : bands->bands) sizes.push_back(static_cast<std::size_t>(b.size.to_integer()));
  else
    sizes.push_back(static_cast<std::size_t>(c.n.to_integer()));
  return sizes;
}

std::vector<Rational> explicit_inner_products(const Configuration& c) {
  std::vector<Rational> r{1};
  if (const auto* bands = std::get_if<Bands>(&c.geometry))
    for (const Band& b : bands->bands) r.push_back(b.r.lo);
  else
    r.push_back(std::get<Simplex>(c.geometry).rho.lo);
  return r;
}

std::size_t joining_level(const std::vector<std::size_t>& sizes, std::size_t i, std::size_t j) {
  std::size_t l = 0;
  while (i / sizes[l] != j / sizes[l]) ++l;
  return l;
}

NamedValues<Ball> gram_values(const Configuration& c, std::size_t i, Bits bits) {
  const std::vector<std::size_t> sizes = explicit_sizes(c);
  const std::vector<Rational> r = explicit_inner_products(c);
  const std::size_t n = sizes.back(), L = sizes.size() - 1;
  const Lift<Ball> lift(bits);
  const InputLift<Ball> in(c, lift);
  GramInputs<Ball> inputs{SquareMatrix<Ball>(n), std::vector<Ball>(n, in.root_q), in.d, in.beta, in.alpha,
                          SquareMatrix<bool>(n)};
  std::vector<std::size_t> member(L + 1), members(L + 1);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t k = 0; k < n; ++k) {
      const Rational& product = r[joining_level(sizes, j, k)];
      inputs.G(j, k) = lift(product);
      inputs.tied(j, k) = product == 1;
    }
    member[joining_level(sizes, i, j)] = j;
    ++members[joining_level(sizes, i, j)];
  }
  const GramLayer<Ball> layer(std::move(inputs));
  NamedValues<Ball> values{{"log_partition", layer.log_partition(i)}, {"self_weight", layer.self_weight(i)}};
  for (std::size_t b = 1; b <= L; ++b)
    values.push_back({fmt::format("band_weights[{}]", b - 1), layer.weight(i, member[b])});
  for (std::size_t b = 1; b <= L; ++b)
    values.push_back({fmt::format("band_masses[{}]", b - 1), members[b] * layer.weight(i, member[b])});
  for (std::size_t b = 1; b <= L; ++b)
    values.push_back({fmt::format("inner_products[{}]", b - 1), layer.inner_product(i, member[b])});
  values.push_back({"output_norm2", layer.output_norm2(i)});
  if (!all_tied(c)) values.push_back({"angle_ratio", layer.angle_ratio()});
  values.push_back({"jacobian_norm", layer.jacobian_norm()});
  values.push_back({"participation", layer.participation(i)});
  values.push_back({"entropy", layer.entropy(i)});
  return values;
}

}  // namespace model_test
