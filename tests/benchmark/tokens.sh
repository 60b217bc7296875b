#!/bin/sh
# Wall times of the overall quantities on explicit tokens (n = 2048, d = 512, 8 certified digits, 2 threads)
# and of the same computation in NumPy float64 with OpenBLAS, and their ratio. Needs python3-numpy and
# libopenblas0-pthread. Usage: tokens.sh CRITSCALE BENCH_TOKENS SCRATCH
set -eu
here=$(dirname "$0")
python=${PYTHON:-/usr/bin/python3}
mkdir -p "$3"
"$1" tokens --gaussian n=2048,d=512,rho=1/2,seed=1 --force -o "$3/tokens.npy"
for gamma in 0.5 1.5; do
  "$2" "$3/tokens.npy" "$gamma" >"$3/critscale.txt"
  OPENBLAS_NUM_THREADS=2 "$python" "$here/tokens_numpy.py" "$3/tokens.npy" "$gamma" >"$3/numpy.txt"
  awk -v gamma="$gamma" 'NR == FNR { if (FNR == 1) ours = $1; else value[$1] = $2; next }
    FNR == 1 { printf "gamma %s: critscale %.3f s, NumPy %.3f s, ratio %.2f\n", gamma, ours, $1, ours / $1; next }
    { printf "  %-20s %-14s NumPy %s\n", $1, value[$1], $2 }' "$3/critscale.txt" "$3/numpy.txt"
done
