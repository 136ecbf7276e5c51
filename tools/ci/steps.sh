# shellcheck shell=bash
# What ./check and ./demo share: saying what runs and how long it took, and keeping count of what passed.
#
# A step's output goes to a log and is shown when the step fails; so a good run is short to read and a bad one complete.

passed=0
failed=0
declare -a failures=()

say() { printf '==> %s\n' "$*"; }
note() { printf '    %s\n' "$*"; }
die() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

# log_of TITLE: the log file of a step.
log_of() {
    mkdir -p "$log_dir"
    printf '%s/%s.log' "$log_dir" "$(printf '%s' "$1" | tr -c 'A-Za-z0-9+\n' '-')"
}

# run_step TITLE COMMAND...: runs it, says how long it took, returns its status; of a failed
# one the last $shown_lines lines of the log are shown.
run_step() {
    local title=$1 log begin=$SECONDS status=0
    shift
    log=$(log_of "$title")
    say "$title"
    "$@" >"$log" 2>&1 || status=$?
    if [ $status -eq 0 ]; then
        note "done in $((SECONDS - begin)) s"
    else
        tail -n "${shown_lines:-80}" "$log" | sed 's/^/    | /'
        note "FAILED (status $status) after $((SECONDS - begin)) s; whole output: $log"
    fi
    return $status
}

# gate TITLE COMMAND...: a step that counts as one test.
gate() {
    if run_step "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        failures+=("$1")
        return 1
    fi
}

# finish: the last lines of a run; the status says whether all passed.
finish() {
    printf '\nTook %d min %d s.\n' $((SECONDS / 60)) $((SECONDS % 60))
    local name
    for name in "${failures[@]}"; do printf 'FAILED: %s\n' "$name"; done
    printf '%d passed, %d failed\n' "$passed" "$failed"
    [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}
