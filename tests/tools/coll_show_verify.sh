#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests that coll_show --verify takes the result codes that the explorer makes, and refuses altered
# ones. Usage: coll_show_verify.sh PATH_OF_COLL_SHOW EXPLORER.wasm
set -u

if [ $# -ne 2 ] || [ ! -x "$1" ] || [ ! -f "$2" ]; then
    echo "usage: $0 PATH_OF_COLL_SHOW EXPLORER.wasm" >&2
    exit 2
fi
show=$1
here=$(cd "$(dirname "$0")" && pwd)
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
failures=0
checks=0

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}
# takes CODE, refuses WHY CODE [WORDS]
takes() {
    checks=$((checks + 1))
    "$show" --verify "$1" >"$room/said" 2>&1 || fail "refused: $1: $(tail -1 "$room/said")"
}
refuses() {
    checks=$((checks + 1))
    "$show" --verify "$2" >"$room/said" 2>&1
    [ $? -eq 1 ] || fail "$1: not refused: $2"
    grep -qF -- "${3:-}" "$room/said" || fail "$1: does not say \"$3\": $(tail -1 "$room/said")"
}
# The code with the sed expression applied to all but its check value, which is made anew: what a
# student who reads the source could do. The answer is looked at all the same.
resigned() {
    python3 - "$1" "$2" <<'PYTHON'
import subprocess, sys
before = sys.argv[1].rsplit(".", 1)[0]
before = subprocess.run(["sed", "-E", sys.argv[2]], input=before, capture_output=True, text=True, check=True).stdout
h = 0x811c9dc5
for byte in before.encode():
    h = (h ^ byte) * 0x01000193 % 2**32
print(f"{before}.{h:08x}")
PYTHON
}

node "$here/task_codes.mjs" "$2" >"$room/codes" || fail "no codes"
checks=$((checks + 1))
[ "$(wc -l <"$room/codes")" -ge 1000 ] || fail "too few codes"

# --- all that the page makes are taken, in calls of 200
checks=$((checks + 1))
xargs -n 200 "$show" --verify <"$room/codes" >"$room/all" || fail "a code of the page is refused"
[ "$(grep -c '^answer   right$' "$room/all")" -eq "$(wc -l <"$room/codes")" ] || fail "an answer is not right"
[ "$(grep -c '^seed     of this name$' "$room/all")" -eq "$(($(wc -l <"$room/codes") - 1))" ] ||
    fail "a seed is not of its name"
grep -q '^student  Zoë  Ångström$' "$room/all" || fail "a name is not printed as typed"

# --- so is the one in the documents
takes "$(grep -oE '^    coll1\.\S+$' "$here/../../docs/explorer_links.md" | tr -d ' ')"
grep -q '^student  Ada Lovelace$' "$room/said" || fail "the code of the documents is another student's"

# --- every altered character is noticed
for kind in predict bug build; do
    code=$(grep "^coll1.$kind:ring:4:all_reduce" "$room/codes" | head -1)
    takes "$code"
    for ((i = 0; i < ${#code}; i += 3)); do
        other=x
        [ "${code:i:1}" = x ] && other=y
        refuses "character $i" "${code:0:i}$other${code:i+1}"
    done
    refuses "a character less" "${code%?}" "altered or mistyped"
    refuses "another's name" "${code/Ada/Bob}" "altered or mistyped"
done

# --- a wrong answer is refused also with the check value that fits
predict=$(grep '^coll1.predict:ring:6:all_reduce:.*\.Ada' "$room/codes")
takes "$(resigned "$predict" 's/a/a/')"
refuses "a name that a terminal obeys" "$(resigned "$predict" 's/[.]Ada/.Ada%0Aanswer%1B/')" "cannot be printed"
refuses "tries with zeros" "$(resigned "$predict" 's/^(coll1[.][^.]*)[.][0-9]+/\1.007/')" "tries"
refuses "another chunk" "$(resigned "$predict" 's/=([0-9])/=\10/')" "sends something else"
refuses "the other verb" "$(resigned "$predict" 's/_adds$/_x/; s/_copies$/_adds/; s/_x$/_copies/')" "the receivers"
refuses "a rank that idles" "$(resigned "$predict" 's/_([0-9])to[0-9]=[0-9]/_\1idle/')" "sends something else"
refuses "no such rank" "$(resigned "$predict" 's/to[0-9]=/to77=/')" "cannot be read"
refuses "no ranks" "$(resigned "$predict" 's/_[0-9]to.*_/_/')" "cannot be read"
bug=$(grep '^coll1.bug:ring:6:all_reduce:.*\.Ada' "$room/codes")
refuses "another rank" "$(resigned "$bug" 's/_at_[0-9]/_at_9/')" "cannot be read"
refuses "another round" "$(resigned "$bug" 's/_at_([0-9]+)_[0-9]+/_at_\1_99/')" "wrong: "
refuses "another step" "$(resigned "$bug" 's/_[0-9a-z]+$/_0/')" "wrong: "
refuses "a change that is none" "$(resigned "$bug" 's/\.[a-z]+_[0-9]+_[0-9]+_/.verb_0_0_/')" "refused"
drop=$(grep '^coll1.bug:ring:.*\.drop_' "$room/codes" | head -1)
refuses "another rank lacks it" "$(resigned "$drop" 's/_at_0_/_at_1_/; t; s/_at_[0-9]+_/_at_0_/')" "another rank"
build=$(grep '^coll1.build:ring:6:all_reduce:.*\.Ada' "$room/codes")
refuses "fewer rounds" "$(resigned "$build" 's/\.[0-9]+_/.9_/')" "it takes 10 rounds"
refuses "fewer bytes" "$(resigned "$build" 's/_100_/_99_/')" "it sends more bytes"
refuses "the order" "$(resigned "$build" 's/_any_/_ordered_/')" "order"
refuses "other steps" "$(resigned "$build" 's/.$//')" "cannot be read"
refuses "another collective" "$(resigned "$build" 's/all_reduce/all_gather/')" "wrong: the schedule is wrong"

# --- what is not a code
refuses "no code" "hello" "not a result code"
refuses "no task" "$(resigned "$bug" 's/bug/mug/')" "there is no task mug"
refuses "no algorithm" "$(resigned "$bug" 's/ring/bing/')" "there is no algorithm"
refuses "no collective" "$(resigned "$bug" 's/all_reduce/all_or_nothing/')" "there is no collective"
refuses "too many ranks" "$(resigned "$bug" 's/:6:/:17:/')" "2 to 16 ranks"
refuses "no tries" "$(resigned "$bug" 's/\.[0-9]+\.Ada/.0.Ada/')" "without a try"
checks=$((checks + 1))
"$show" --verify "$bug" "$predict" "$(resigned "$build" 's/_100_/_99_/')" >"$room/said"
[ $? -eq 1 ] || fail "one wrong of three is not noticed"
[ "$(grep -c '^answer' "$room/said")" -eq 3 ] || fail "three codes are not three answers"
checks=$((checks + 1))
takes "$(resigned "$bug" 's/Ada/Bob/')"
grep -q '^seed     not of this name' "$room/said" || fail "another's code is not noticed"
checks=$((checks + 1))
"$show" ring 4 --verify "$bug" >/dev/null 2>&1
[ $? -eq 2 ] || fail "--verify beside an algorithm"

echo "$checks checks, $failures failures"
[ "$failures" -eq 0 ]
