#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests coll_wire: hosts, links and what is counted on them. Usage: coll_wire_test.sh PROGRAM
set -u
wire=$1
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
fail() { echo "FAILED: $*" >&2; cat "$room"/out "$room"/error >&2; exit 1; }

: >"$room/out"
"$wire" --hosts 1 >/dev/null 2>"$room/error"; [ $? = 2 ] || fail "one host is refused"
"$wire" --algorithm automatic >/dev/null 2>"$room/error"; [ $? = 2 ] || fail "automatic is refused"
"$wire" --algorithm rings >/dev/null 2>"$room/error"; [ $? = 2 ] || fail "an unknown name is refused"

"$wire" --segment "$(printf 1%.0s {1..400})" >/dev/null 2>"$room/error"; [ $? = 2 ] && grep -q -- --segment "$room/error" || fail "a segment beyond all sizes is refused"

before=$(cat /proc/net/dev | cut -d: -f1)
"$wire" --hosts 2,3 -b 1m --algorithm ring,tree --csv "$room/wire.csv" >"$room/out" 2>"$room/error"
status=$?
[ $status != 77 ] || { cat "$room/error"; exit 77; }
[ $status = 0 ] || fail "it runs"
"$wire" --hosts 2 --ranks-per-host 2 -b 1m --algorithm hierarchical:2,ring --csv "$room/hosts.csv" \
    >"$room/out" 2>"$room/error" || fail "it runs with two ranks per host"
[ "$before" = "$(cat /proc/net/dev | cut -d: -f1)" ] || fail "the machine's own network is as it was"

# The bytes on a link are those counted, with headers, within 3 %; and no all-reduce is quicker than
# its link, or much slower than it should be.
awk -F, '
    FNR == 1 { for (i = 1; i <= NF; ++i) column[$i] = i; next }
    {
        ++rows
        bytes = $column["link_bytes"] / $column["counted_bytes"]
        if (bytes < 0.97 || bytes > 1.03) { print "bytes: " $0; bad = 1 }
        time = $column["median_us"] / $column["bound_us"]
        if (time < 0.85 || $column["median_us"] > 3 * $column["predicted_us"]) { print "time: " $0; bad = 1 }
    }
    END { exit bad || rows != 6 }' "$room/wire.csv" "$room/hosts.csv" || fail "the figures are as they should be"
echo ok
