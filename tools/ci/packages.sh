# shellcheck shell=bash disable=SC2034 # each command uses some of the lists below
# Brings a bare Debian 12 to where the project builds: asks dpkg what is there, and apt only for the rest.

# What building libfabric, its providers and tools needs.
packages_to_build=(g++ meson ninja-build pkg-config python3 libnl-route-3-dev
    libcli11-dev nlohmann-json3-dev libfmt-dev)

# What the tests need besides; libfabric-bin and libfabric-dev are the older programs and headers that must run on ours.
packages_to_test=(libgtest-dev libgmock-dev
    libfabric-bin libfabric-dev valgrind binutils iproute2 libnl-route-3-200 clang clang-format shellcheck mandoc)

# What only `./check --all` uses.
packages_for_all=(clang-tidy libclang-rt-dev)

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif ! command -v sudo >/dev/null; then
        note "this needs root, and there is no sudo: run as root once: $*" >&2
        return 1
    elif [ "${CI:-}" = true ] || ! [ -t 2 ]; then
        sudo -n "$@" # nobody is there to type a password
    else
        sudo "$@"
    fi
}

apt_install() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        -o Dpkg::Use-Pty=0 "$@"
}

fetch_packages() {
    # The package lists of a bare machine are empty or old; of a developer's they mostly are good.
    apt_install "$@" || { as_root apt-get update -qq && apt_install "$@"; }
}

# install_missing PACKAGE...
install_missing() {
    local package missing=()
    command -v dpkg-query >/dev/null || {
        note "not a Debian: taking it that these are here in some form: $*"
        return 0
    }
    for package in "$@"; do
        [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return 0
    run_step "installing with apt: ${missing[*]}" fetch_packages "${missing[@]}" ||
        die "could not install: ${missing[*]}"
}
