#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests coll_goal; GOAL text is tested as such in unit/goal_test.cpp, Chakra traces are read back by protoc.
# Usage: coll_goal_test.sh PROGRAM
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
[ -z "$(ls -A "$room" | grep -vE '^(ring|tree).goal$|^out$')" ] || fail "an error leaves no file behind"

read_chakra=$(dirname "$0")/read_chakra
"$goal" ring 4 --format chakra --bytes 1000 --gamma 1e-6 -o "$room/ring" | grep -q 'ring.0.et to .*ring.3.et: 4 ranks' ||
    fail "Chakra traces"
[ "$("$read_chakra" "$room/ring" 4)" = "24 messages, 6000 bytes, 3000 us of additions" ] || fail "a ring as Chakra traces"
"$goal" tree 5 --format chakra --collective broadcast --root 3 --bytes 1kb -o "$room/tree" >/dev/null || fail "a tree"
[ "$("$read_chakra" "$room/tree" 5)" = "4 messages, 4096 bytes, 0 us of additions" ] || fail "a tree as Chakra traces"
"$goal" one_shot 3 --format chakra --bytes 300 -o "$room/one" >/dev/null || fail "one_shot"
[ "$("$read_chakra" "$room/one" 3)" = "6 messages, 1800 bytes, 0 us of additions" ] || fail "one_shot as Chakra traces"
"$goal" ring 4 --format chakra --gamma 1e9 --bytes 1tb -o "$room/ring" >/dev/null 2>&1; [ $? = 2 ] || fail "no end, Chakra"
"$read_chakra" "$room/ring" 4 >/dev/null || fail "an error leaves the traces as they were"
"$goal" ring 4 --format xml -o "$room/x" >/dev/null 2>&1; [ $? = 2 ] || fail "an unknown format"
echo ok
