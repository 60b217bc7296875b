// Explicit vectors in 120 digits.
#include "model/brute_force.hpp"

#include <fmt/format.h>

#include <boost/multiprecision/mpfr.hpp>
#include <random>

#include "model/other_types.hpp"

namespace model_test {

namespace {

namespace mp = boost::multiprecision;
using Number = mp::number<mp::mpfr_float_backend<120>, mp::et_off>;
using Vector = std::vector<Number>;

Number number(const Rational& v) { return Number(numerator(v)) / Number(denominator(v)); }

Number dot(const Vector& x, const Vector& y) {
  Number sum = 0;
  for (std::size_t c = 0; c < x.size(); ++c) sum += x[c] * y[c];
  return sum;
}

Ball exact_ball(const Number& x) {
  Dyadic exact;
  arf_set_mpfr(exact.raw(), x.backend().data());
  return Ball::exactly(exact, 512);
}

/// y_i = sum_l sqrt(D_l) f_(l, cluster_l(i)).
std::vector<Vector> features(const std::vector<std::size_t>& sizes, const std::vector<Rational>& r) {
  const std::size_t n = sizes.back();
  std::vector<Vector> y(n);
  for (std::size_t l = 0; l < sizes.size(); ++l) {
    const Number length = sqrt(number(l + 1 < r.size() ? Rational(r[l] - r[l + 1]) : r[l]));
    for (std::size_t i = 0; i < n; ++i) {
      Vector feature(n / sizes[l], Number(0));
      feature[i / sizes[l]] = length;
      y[i].insert(y[i].end(), feature.begin(), feature.end());
    }
  }
  return y;
}

/// Two reflections at random hyperplanes: a rotation.
void rotate(std::vector<Vector>& y, unsigned seed) {
  std::mt19937 random(seed);
  for (int reflection = 0; reflection < 2; ++reflection) {
    Vector normal(y[0].size());
    for (Number& v : normal) v = Number(static_cast<long>(random() % 2001) - 1000) / 1000;
    const Number length2 = dot(normal, normal);
    for (Vector& x : y) {
      const Number factor = 2 * dot(normal, x) / length2;
      for (std::size_t c = 0; c < x.size(); ++c) x[c] -= factor * normal[c];
    }
  }
}

/// Coordinates in the orthonormal basis that Gram and Schmidt find.
std::vector<Vector> compressed(const std::vector<Vector>& y) {
  std::vector<Vector> basis, result;
  for (const Vector& x : y) {
    Vector rest = x, coordinates;
    for (const Vector& b : basis) {
      coordinates.push_back(dot(b, x));
      for (std::size_t c = 0; c < rest.size(); ++c) rest[c] -= coordinates.back() * b[c];
    }
    const Number length2 = dot(rest, rest);
    if (length2 > Number("1e-100")) {
      const Number length = sqrt(length2);
      for (Number& v : rest) v /= length;
      basis.push_back(rest);
      coordinates.push_back(length);
    }
    result.push_back(coordinates);
  }
  return result;
}

struct Layer {
  Number beta, alpha;

  /// Row i of the attention matrix, before division by Z_i; returns Z_i.
  Number row(const std::vector<Vector>& y, std::size_t i, Vector& weights) const {
    Number Z = 0;
    for (std::size_t j = 0; j < y.size(); ++j) {
      weights[j] = exp(beta * dot(y[i], y[j]));
      Z += weights[j];
    }
    return Z;
  }
  std::vector<Vector> directions(const std::vector<Vector>& x) const {
    std::vector<Vector> y = x;
    for (Vector& v : y) {
      const Number length = sqrt(dot(v, v));
      for (Number& coordinate : v) coordinate /= length;
    }
    return y;
  }
  /// x'_i = m_i + alpha x_i.
  std::vector<Vector> outputs(const std::vector<Vector>& x) const {
    const std::vector<Vector> y = directions(x);
    std::vector<Vector> result = x;
    Vector weights(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Number Z = row(y, i, weights);
      for (std::size_t c = 0; c < x[i].size(); ++c) {
        Number m = 0;
        for (std::size_t j = 0; j < x.size(); ++j) m += weights[j] * y[j][c];
        result[i][c] = m / Z + alpha * x[i][c];
      }
    }
    return result;
  }
  /// (1/(n d)) |grad_X X'|_F^2 by central differences.
  Number jacobian_norm(std::vector<Vector> x) const {
    const Number step("1e-40");
    Number sum = 0;
    const std::size_t n = x.size(), d = x[0].size();
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t c = 0; c < d; ++c) {
        const Number at = x[k][c];
        x[k][c] = at + step;
        const std::vector<Vector> up = outputs(x);
        x[k][c] = at - step;
        const std::vector<Vector> down = outputs(x);
        x[k][c] = at;
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t e = 0; e < d; ++e) {
            const Number slope = (up[i][e] - down[i][e]) / (2 * step);
            sum += slope * slope;
          }
      }
    return sum / (n * d);
  }
};

/// Collects values that should agree: keeps the first, records the largest difference.
class Recorder {
 public:
  void record(const std::string& name, const Number& value) {
    for (const auto& [known, first] : values_)
      if (known == name) {
        const Number difference = abs(Number(value - first));
        if (difference > asymmetry_) asymmetry_ = difference;
        return;
      }
    values_.emplace_back(name, value);
  }
  BruteForce result() const {
    BruteForce r{{}, exact_ball(asymmetry_)};
    for (const auto& [name, value] : values_) r.values.push_back({name, exact_ball(value)});
    return r;
  }

 private:
  std::vector<std::pair<std::string, Number>> values_;
  Number asymmetry_ = 0;
};

/// The quantities of row i, with band weights and masses.
void record_row(Recorder& out, const Vector& weights, const Number& Z, std::size_t i,
                const std::vector<std::size_t>& sizes) {
  Number squares = 0, entropy = 0;
  Vector mass(sizes.size(), Number(0));
  for (std::size_t j = 0; j < weights.size(); ++j) {
    const Number A = weights[j] / Z;
    squares += A * A;
    entropy -= A * log(A);
    const std::size_t level = joining_level(sizes, i, j);
    mass[level] += A;
    out.record(level == 0 ? "self_weight" : fmt::format("band_weights[{}]", level - 1), A);
  }
  for (std::size_t b = 1; b < sizes.size(); ++b) out.record(fmt::format("band_masses[{}]", b - 1), mass[b]);
  out.record("log_partition", log(Z));
  out.record("participation", 1 / squares);
  out.record("entropy", entropy);
}

void record_outputs(Recorder& out, const std::vector<Vector>& x, const std::vector<Rational>& r,
                    const std::vector<std::size_t>& sizes) {
  Number ratios = 0;
  long pairs = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    out.record("output_norm2", dot(x[i], x[i]));
    for (std::size_t j = 0; j < i; ++j) {
      const std::size_t level = joining_level(sizes, i, j);
      const Number product = dot(x[i], x[j]) / sqrt(Number(dot(x[i], x[i]) * dot(x[j], x[j])));
      out.record(fmt::format("inner_products[{}]", level - 1), product);
      if (r[level] == 1) continue;
      ratios += (1 - product) / number(1 - r[level]);
      ++pairs;
    }
  }
  if (pairs > 0) out.record("angle_ratio", ratios / pairs);
}

}  // namespace

std::size_t feature_count(const Configuration& c) {
  std::size_t count = 0;
  const std::vector<std::size_t> sizes = explicit_sizes(c);
  for (std::size_t size : sizes) count += sizes.back() / size;
  return count;
}

BruteForce brute_force(const Configuration& c, Embedding embedding, unsigned seed) {
  const std::vector<std::size_t> sizes = explicit_sizes(c);
  const std::vector<Rational> r = explicit_inner_products(c);
  const std::size_t n = sizes.back(), d = static_cast<std::size_t>(c.d.to_integer());
  std::vector<Vector> x = features(sizes, r);
  if (embedding == Embedding::compressed) x = compressed(x);
  for (Vector& v : x) {
    if (v.size() > d) throw InputError("too few dimensions for this embedding");
    v.resize(d, Number(0));
  }
  if (d > 1) rotate(x, seed);
  const Number length = sqrt(number(c.q.lo));
  for (Vector& v : x)
    for (Number& coordinate : v) coordinate *= length;

  const Number log_n = log(Number(n));
  const Layer layer{
      number(c.scale.coefficient.lo) * pow(log_n, number(c.scale.power)) + number(c.scale.offset.lo),
      number(c.alpha.lo)};
  Recorder out;
  Vector weights(n);
  const std::vector<Vector> y = layer.directions(x);
  for (std::size_t i = 0; i < n; ++i) {
    const Number Z = layer.row(y, i, weights);
    record_row(out, weights, Z, i, sizes);
  }
  record_outputs(out, layer.outputs(x), r, sizes);
  out.record("jacobian_norm", layer.jacobian_norm(x));
  return out.result();
}

}  // namespace model_test
