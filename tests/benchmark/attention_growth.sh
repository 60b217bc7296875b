#!/bin/sh
# How the cost of `critscale attention` grows with the number n of queries and keys: processor seconds and peak memory
# for n = 2^12 .. 2^LAST (d = 128, lse and entropy of every row, 3 digits), and the exponents from one n to the next.
# Usage: attention_growth.sh CRITSCALE [LAST]
set -eu
last=${2:-15}
out=$(mktemp)
trap 'rm -f "$out" "$out.time"' EXIT
p=12
while [ "$p" -le "$last" ]; do
  n=$((1 << p))
  /usr/bin/time -f "%U %M" -o "$out.time" "$1" attention --gaussian "n=$n,d=128,e=1" --digits 3 --quantities lse \
    --quantities entropy -o "$out" --force
  echo "$n $(cat "$out.time")"
  p=$((p + 1))
done | awk '{ if (NR > 1) printf "n %7d: %8.2f s, %5.0f MB; exponent of time %.2f, of memory %.2f\n", $1, $2, $3 / 1024,
                log($2 / t) / log(2), log($3 / m) / log(2)
              else printf "n %7d: %8.2f s, %5.0f MB\n", $1, $2, $3 / 1024
              t = $2; m = $3; fflush() }'
