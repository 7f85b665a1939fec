#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests coll_goal; what it writes is tested as such in unit/goal_test.cpp. Usage: coll_goal_test.sh PROGRAM
set -u
goal=$1
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }

"$goal" ring 4 --bytes 1000 -o "$room/ring.goal" >"$room/out" || fail "it runs"
grep -q '4 ranks, 6 rounds, 6000 bytes sent by all, 1500 by the busiest' "$room/out" || fail "the totals"
sent=$(sed -n 's/.*: send \([0-9]*\)b to.*/\1/p' "$room/ring.goal" | awk '{ n += $1 } END { print n }')
[ "$sent" = 6000 ] || fail "the file's bytes are $sent"
"$goal" tree 5 --collective broadcast --root 3 -o "$room/tree.goal" >/dev/null || fail "a broadcast"
"$goal" ring 4 --collective dance -o "$room/x" >/dev/null 2>&1; [ $? = 2 ] || fail "an unknown collective"
for gamma in nan -1 1e400; do
    "$goal" ring 4 --gamma $gamma -o "$room/x" >/dev/null 2>&1; [ $? = 2 ] || fail "a price of $gamma"
done
"$goal" ring 4 --gamma 1e6 --bytes 1tb -o "$room/x" >/dev/null 2>&1; [ $? = 2 ] || fail "additions without an end"
"$goal" ring 4 -o /nonexistent/file 2>&1 | grep -q 'cannot write' || fail "says what it cannot write"
echo ok
