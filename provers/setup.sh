# What provers/run and tests/run share; sourced by both with bash. It knows which packages the
# project needs, installs the missing ones where apt can, and configures and builds build/release.
# Everything it prints goes to stderr: stdout belongs to the caller's job.

root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
build=$root/build/release

# Debian names. FLINT 3 contains Arb, so releases with FLINT 3 have no libflint-arb-dev: it is
# installed only where the archive offers it.
packages=(g++ cmake ninja-build pkg-config
  libboost-dev libgmp-dev libmpfr-dev libmpfi-dev libflint-dev
  catch2 libfmt-dev libcli11-dev libtomlplusplus-dev nlohmann-json3-dev
  libtbb-dev libzip-dev zlib1g-dev libeigen3-dev gnuplot-nox
  python3-dev pybind11-dev python3-numpy)
arb_package=libflint-arb-dev

say() { printf 'critscale: %s\n' "$*" >&2; }
have() { command -v "$1" >/dev/null 2>&1; }

installed() {
  have dpkg-query &&
    dpkg-query --show --showformat='${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed
}

# Arb comes with FLINT (version 3) or as a package of its own.
have_arb() {
  installed "$arb_package" ||
    { installed libflint-dev && dpkg-query --listfiles libflint-dev | grep -x '.*/flint/arb\.h' >/dev/null; }
}

in_archive() { LC_ALL=C apt-cache policy "$1" 2>/dev/null | grep 'Candidate: [^(]' >/dev/null; }

# Fills the array `missing`.
find_missing() {
  local package
  missing=()
  for package in "${packages[@]}"; do
    installed "$package" || missing+=("$package")
  done
  have_arb || missing+=("$arb_package")
}

as_root() {
  if ((EUID == 0)); then "$@"; else sudo "$@"; fi
}

apt_get() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 "$@" >&2 </dev/null
}

# Never aborts: whether what is there suffices is for CMake to say.
install_missing() {
  find_missing
  ((${#missing[@]} > 0)) || return 0
  if ! have apt-get; then
    say "no apt-get here; the build needs what Debian calls: ${missing[*]}"
    return 0
  fi
  if ((EUID != 0)) && ! have sudo; then
    say "neither root nor sudo; to install what is missing, run as root: apt-get install ${missing[*]}"
    return 0
  fi
  say "missing: ${missing[*]}; installing with apt-get"
  apt_get update || say "apt-get update failed; trying with the package lists as they are"
  # Arb, if missing, is the last of the list.
  if [[ ${missing[-1]} == "$arb_package" ]] && ! in_archive "$arb_package"; then
    unset 'missing[-1]'
  fi
  ((${#missing[@]} == 0)) || apt_get install --yes --no-install-recommends "${missing[@]}" ||
    say "apt-get install failed"
  find_missing
}

give_up() {
  say "$1"
  ((${#missing[@]} == 0)) || say "what may be missing here, by its Debian name: ${missing[*]}"
  exit 1
}

# No more jobs than processors, and no more than gibibytes of memory free for them.
count_jobs() {
  local kib
  jobs=$(nproc 2>/dev/null || echo 1)
  kib=$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo 2>/dev/null || true)
  if [[ -n $kib ]] && ((kib / 1048576 < jobs)); then jobs=$((kib / 1048576)); fi
  ((jobs >= 1)) || jobs=1
}

# set_up TARGET...: installs, configures and builds; no target means all of them.
# CRITSCALE_CMAKE_ARGS holds more arguments for configuring, separated by blanks.
set_up() {
  local cmake_args=() targets=()
  (($# == 0)) || targets=(--target "$@")
  read -ra cmake_args <<<"${CRITSCALE_CMAKE_ARGS:-}"
  install_missing
  have cmake || give_up "cmake is missing"
  count_jobs
  say "configuring in $build"
  cmake -S "$root" --preset release "${cmake_args[@]}" >&2 || give_up "CMake could not configure the build"
  say "building with $jobs jobs"
  cmake --build "$build" --parallel "$jobs" "${targets[@]}" >&2 || give_up "the build failed"
}
