#!/bin/sh
# Attention forward and backward with certified digits (2 threads) and the same in NumPy float64 with OpenBLAS, and
# the ratio of the times. Needs python3-numpy and libopenblas0-pthread. Usage: attention.sh BENCH_ATTENTION SCRATCH
# [N D DIGITS]
set -eu
here=$(dirname "$0")
python=${PYTHON:-/usr/bin/python3}
mkdir -p "$2"
OPENBLAS_NUM_THREADS=2 "$python" "$here/attention_numpy.py" "$2" "${3:-4096}" "${4:-128}" >"$2/numpy.txt"
"$1" "$2" "${5:-3}" >"$2/critscale.txt"
awk 'NR == FNR { numpy[$1] = $2; cpu[$1] = $3; next }
  $1 in cpu && NF == 3 { printf "%-8s wall %s s, NumPy %s s, ratio %.2f; processor %s s, NumPy %s s, ratio %.2f\n", $1, $2, numpy[$1],
    $2 / numpy[$1], $3, cpu[$1], $3 / cpu[$1]; next }
  $1 in numpy { printf "  %-14s %-14s NumPy %s\n", $1, $2, numpy[$1]; next } { print }' "$2/numpy.txt" "$2/critscale.txt"
