# shellcheck shell=bash
# The gates that look at sources rather than run them. `find`, not git, lists the files: a check also runs as root on
# somebody else's clone, where git refuses to.

source_dirs=(include libfabric-core providers tools tests)

c_family_files() {
    find "${source_dirs[@]}" -type f \( -name '*.c' -o -name '*.cpp' -o -name '*.h' -o -name '*.hpp' \) \
        -not -name 'abi_check.c' -print0
}

# The files of tools/ci are sourced; they are looked at together with the commands that source them.
shell_files() {
    printf '%s\0' check demo .ci/run
    find tools tests -type f -name '*.sh' -not -path 'tools/ci/*' -print0
}

gate_format() { c_family_files | xargs -0 -r clang-format --dry-run --Werror; }

gate_shell() { shell_files | xargs -0 -r shellcheck --external-sources --check-sourced; }

gate_python() {
    find tools tests -type f -name '*.py' -print0 | xargs -0 -r python3 -c \
        'import ast, sys; [ast.parse(open(name).read(), name) for name in sys.argv[1:]]'
}

gate_manuals() {
    local pages
    mapfile -d '' pages < <(find docs -type f -name '*.[1-9]' -print0)
    [ ${#pages[@]} -gt 0 ] || { echo 'no manual page found'; return 1; }
    mandoc -T lint -W warning "${pages[@]}"
}

source_gates() {
    gate 'formatting (clang-format)' gate_format
    gate 'shell scripts (shellcheck)' gate_shell
    gate 'python scripts' gate_python
    gate 'house rules' python3 tools/ci/house.py
    gate 'manual pages (mandoc)' gate_manuals
}
