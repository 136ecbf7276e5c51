# shellcheck shell=bash
# Build directories and test runs. A directory is kept from run to run, so that the second run only builds what changed;
# it is set up anew when the options or the place of the clone are not those it was made with.

jobs=$(nproc)
# Tests often wait for a timer or for each other.
tests_at_once=$((jobs + 1))

# prepare_build DIR COMPILERS OPTION...: COMPILERS is "gcc g++" or "clang clang++".
prepare_build() {
    local dir=$1 c_compiler=${2% *} cxx_compiler=${2#* } made_with
    shift 2
    made_with="$PWD $c_compiler $cxx_compiler $*"
    if [ -f "$dir/build.ninja" ] && [ "$(cat "$dir/made-with" 2>/dev/null)" = "$made_with" ]; then
        return 0
    fi
    rm -rf "$dir"
    # The prefix lies inside, so that a test may install for real and find its plugins where they then are.
    CC=$c_compiler CXX=$cxx_compiler meson setup "$dir" --prefix="$PWD/$dir/installed" "$@" && printf '%s' "$made_with" >"$dir/made-with"
}

# build_in DIR COMPILERS OPTION...
build_in() {
    prepare_build "$@" && ninja -C "$1" -j "$jobs"
}

# The command that runs meson test, for tests that need other surroundings than ours.
through=()

# run_tests TITLE DIR MESON_TEST_ARGUMENT...: runs them and adds each single case to the count.
run_tests() {
    local title=$1 dir=$2 status=0 totals
    shift 2
    # A result file that an earlier run left would speak for a program that died in this one.
    rm -f "$dir"/*.xml "$dir"/meson-logs/testlog* "$dir/meson-logs/totals"
    # What failed is listed below, case by case.
    shown_lines=0 run_step "$title" "${through[@]}" meson test -C "$dir" --num-processes "$tests_at_once" --print-errorlogs "$@" || status=$?
    [ -f "$dir/meson-logs/testlog.json" ] || tail -n 80 "$(log_of "$title")" | sed 's/^/    | /'
    python3 tools/ci/count_tests.py "$dir" "$title" || status=1
    if read -r -a totals 2>/dev/null <"$dir/meson-logs/totals"; then
        passed=$((passed + totals[0]))
        failed=$((failed + totals[1]))
        [ "${totals[1]}" -eq 0 ] || failures+=("$title: ${totals[1]} of $((totals[0] + totals[1]))")
    fi
    if [ $status -ne 0 ] && [ "${totals[1]:-0}" -eq 0 ]; then
        # The run went wrong in a way that no case shows: it still must not pass.
        failed=$((failed + 1))
        failures+=("$title (status $status)")
    fi
}
