#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests coll_tune: what it writes is what COLLECTIVES_MODEL takes. Usage: coll_tune_test.sh PROGRAM
set -u
tune=$1
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }

"$tune" --ranks 3 --transport threads --write "$room/prices" >"$room/out" || fail "it runs"
grep -q '^# seconds, measured over 3 ranks' "$room/prices" || fail "says what it measured"
for price in call round message byte reduced_byte shared_call shared_round; do
    grep -Eq "^$price [0-9]" "$room/prices" || fail "the price $price"
done
COLLECTIVES_MODEL="$room/prices" "$tune" --ranks 2 >/dev/null || fail "its prices are read"

echo "round dear" >"$room/wrong"
COLLECTIVES_MODEL="$room/wrong" "$tune" 2>"$room/error" && fail "a wrong price is refused"
grep -q "COLLECTIVES_MODEL.*'round dear' is no price" "$room/error" || fail "and named"
"$tune" --ranks 2 --check --min 64 --max 1024 >"$room/out" || fail "it checks"
grep -Eq '^what the choice loses: (median [0-9]|the cores never stayed)' "$room/out" || fail "and says what the choice loses"
[ "$(grep -c "above the quickest" "$room/out")" = 3 ] || fail "at each size"
"$tune" --check --min 64 --max 16 2>&1 | grep -q 'no size' || fail "an empty range is refused"
"$tune" --ranks 1 >/dev/null 2>&1; [ $? = 2 ] || fail "one rank is refused"
"$tune" --max 18446744073709551615 >/dev/null 2>&1; [ $? = 2 ] || fail "vectors above 1 TiB are refused"
"$tune" --write /nonexistent/file 2>&1 | grep -q 'cannot write' || fail "says what it cannot write"
echo ok
