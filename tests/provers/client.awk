# A small implementation that answers the --run protocol in binary64: softmax, logsumexp and entropy of
# logits. With -v mistake=shift it forgets to subtract the maximum, with mistake=base it takes powers of 2, with
# mistake=drop it leaves out every third answer, with mistake=twice it repeats the first one.
function text_of(key,    rest) {
  rest = $0
  if (!match(rest, "\"" key "\": *\"")) return ""
  rest = substr(rest, RSTART + RLENGTH)
  return substr(rest, 1, index(rest, "\"") - 1)
}
function number(t,    parts) {
  if (split(t, parts, "/") == 2) return parts[1] / parts[2]
  return t + 0
}
{
  id = text_of("id"); op = text_of("op")
  list = $0; sub(/.*"logits": *\[/, "", list); sub(/\].*/, "", list); gsub(/"/, "", list)
  n = split(list, z, ",")
  max = -1e308
  for (i = 1; i <= n; ++i) {
    masked[i] = z[i] == "-inf"
    if (!masked[i]) { z[i] = number(z[i]); if (z[i] > max) max = z[i] }
  }
  if (mistake == "shift") max = 0
  sum = 0; h = 0; failed = 0
  for (i = 1; i <= n; ++i) {
    x = masked[i] ? 0 : z[i] - max
    if (x > 709) { failed = 1; x = 0 }
    e[i] = masked[i] || x < -745 ? 0 : exp(mistake == "base" ? x * log(2) : x)
    sum += e[i]
    if (!masked[i]) h += e[i] * (-x)
  }
  if (failed || sum == 0) {
    value = "\"nan\""
    if (op == "softmax") { value = "["; for (i = 1; i <= n; ++i) value = value (i > 1 ? "," : "") "NaN"; value = value "]" }
    if (op == "logsumexp") value = failed ? "Infinity" : "-Infinity"
  } else if (op == "softmax") {
    value = "["
    for (i = 1; i <= n; ++i) value = value (i > 1 ? "," : "") sprintf("%.17g", e[i] / sum)
    value = value "]"
  } else if (op == "logsumexp") {
    value = sprintf("%.17g", mistake == "base" ? max + log(sum) / log(2) : max + log(sum))
  } else {
    value = sprintf("%.17g", log(sum) + h / sum)
  }
  if (mistake == "drop" && NR % 3 == 0) next
  printf "{\"id\": \"%s\", \"value\": %s}\n", id, value
  if (mistake == "twice" && NR == 1) printf "{\"id\": \"%s\", \"value\": %s}\n", id, value
}
