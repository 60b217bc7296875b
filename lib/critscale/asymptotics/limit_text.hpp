// Limits and expansions as statements that can be pasted: plain text and LaTeX. Uses limit.hpp.
#pragma once

#include <cstddef>
#include <string>

#include "critscale/asymptotics/limit.hpp"

namespace critscale {

enum class Notation { plain, latex };

/// "5/9*n^(-1)*ln(n)^2".
std::string text(const PowerLogTerm& term, Notation notation);

/// The limit and its terms: "2/3 + 5/9*n^(-1) + o(n^(-1))"; without o() where that is all.
std::string expansion_text(const Limit& limit, Notation notation);

/// The LaTeX symbol of a quantity; of band b, from 1, where it has one value a band.
std::string latex_symbol(Quantity q, std::size_t band);

}  // namespace critscale
