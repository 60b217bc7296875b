// Uses exact_text.hpp.
#include "critscale/tokens/detail/exact_text.hpp"

#include <charconv>
#include <memory>
#include <stdexcept>

#include "critscale/number/flint.hpp"

namespace critscale {

namespace {

/// The members of a record, in one order for both directions.
template <class Visit, class Row>
void visit_attention_row(Visit&& f, Row& r) {
  f(r.row);
  f(r.lse);
  f(r.max_weight);
  f(r.entropy);
  f(r.participation);
  f(r.self_weight);
  f(r.output);
  f(r.weights);
}

template <class Visit, class Gradients>
void visit_gradients(Visit&& f, Gradients& g) {
  f(g.dq);
  f(g.dk);
  f(g.dv);
  f(g.dsink);
}

template <class Visit, class Geometry>
void visit_geometry(Visit&& f, Geometry& g) {
  f(g.n);
  f(g.d);
  f(g.rho_min);
  f(g.rho_max);
  f(g.rho_mean);
  f(g.first_threshold);
  f(g.last_threshold);
}

template <class Visit, class Values>
void visit_values(Visit&& f, Values& v) {
  f(v.beta);
  f(v.log_partition);
  f(v.self_weight);
  f(v.output_norm2);
  f(v.participation);
  f(v.entropy);
  f(v.inner_products);
  f(v.angle_ratio);
  f(v.jacobian_norm);
  f(v.angle_ratio_undefined);
  f(v.pairs);
}

template <class Visit, class Row>
void visit_attended(Visit&& f, Row& r) {
  f(r.i);
  f(r.weights);
  f(r.output);
}

}  // namespace

void BallWriter::put(std::size_t count) {
  text_ += std::to_string(count);
  text_ += '\n';
}

void BallWriter::put(const Ball& x) {
  put(static_cast<std::size_t>(x.precision()));
  const std::unique_ptr<char, void (*)(void*)> text(arb_dump_str(x.raw()), flint_free);
  text_ += text.get();
  text_ += '\n';
}

void BallWriter::put(const std::string& text) {
  put(text.size());
  text_ += text;
  text_ += '\n';
}

void BallWriter::put(const AttentionRow& row) {
  put(std::size_t{row.sees_nothing ? 1U : 0U});
  visit_attention_row([this](const auto& x) { put(x); }, row);
}
void BallWriter::put(const AttentionGradients& g) {
  visit_gradients([this](const auto& x) { put(x); }, g);
}
void BallWriter::put(const TokenGeometry& g) {
  visit_geometry([this](const auto& x) { put(x); }, g);
}
void BallWriter::put(const RowGaps& row) {
  put(row.lambda);
  put(row.contact);
}
void BallWriter::put(const OutputProducts& p) {
  put(p.min);
  put(p.max);
  put(p.mean);
}
void BallWriter::put(const TokenPair& p) {
  put(p.i);
  put(p.j);
  put(p.input);
  put(p.output);
}
void BallWriter::put(const TokenValues& v) {
  visit_values([this](const auto& x) { put(x); }, v);
}
void BallWriter::put(const AttendedRow& row) {
  visit_attended([this](const auto& x) { put(x); }, row);
}

std::string_view BallReader::word() {
  const std::size_t end = rest_.find('\n');
  if (end == std::string_view::npos) throw std::logic_error("values of another process end early");
  const std::string_view r = rest_.substr(0, end);
  rest_.remove_prefix(end + 1);
  return r;
}

void BallReader::get(std::size_t& count) {
  const std::string_view text = word();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{} || end != text.data() + text.size())
    throw std::logic_error("values of another process: no count");
}

void BallReader::get(Ball& x) {
  const auto bits = static_cast<Bits>(get<std::size_t>());
  x = bits < Ball::min_precision ? Ball() : Ball(0, bits);
  if (arb_load_str(x.raw(), std::string(word()).c_str()) != 0)
    throw std::logic_error("values of another process: no number");
}

void BallReader::get(std::string& text) {
  const auto size = get<std::size_t>();
  if (rest_.size() <= size) throw std::logic_error("values of another process end early");
  text = rest_.substr(0, size);
  rest_.remove_prefix(size + 1);
}

void BallReader::get(AttentionRow& row) {
  row.sees_nothing = get<std::size_t>() == 1;
  visit_attention_row([this](auto& x) { get(x); }, row);
}
void BallReader::get(AttentionGradients& g) {
  visit_gradients([this](auto& x) { get(x); }, g);
}
void BallReader::get(TokenGeometry& g) {
  visit_geometry([this](auto& x) { get(x); }, g);
}
void BallReader::get(RowGaps& row) {
  get(row.lambda);
  get(row.contact);
}
void BallReader::get(OutputProducts& p) {
  get(p.min);
  get(p.max);
  get(p.mean);
}
void BallReader::get(TokenPair& p) {
  get(p.i);
  get(p.j);
  get(p.input);
  get(p.output);
}
void BallReader::get(TokenValues& v) {
  visit_values([this](auto& x) { get(x); }, v);
}
void BallReader::get(AttendedRow& row) {
  visit_attended([this](auto& x) { get(x); }, row);
}

}  // namespace critscale
