# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154
# A part of coll_show_test.sh, which sources it: names with a number, and the table of costs.

# --- an algorithm that has to be told the number of ranks per host
"$show" hierarchical:2 6 >"$room/hosts" || fail "hierarchical:2 6 ends with an error"
has "title with hosts" "$room/hosts" "hierarchical:2: all_reduce over 6 ranks, 6 chunks, 4 rounds"
"$show" ring 6 --compare hierarchical:2 >"$room/beside" || fail "beside hierarchical:2 ends with an error"
for name in hosts beside; do    # a long name stands above its figures
    places=$(awk '/hierarchical:2 .*ratio/ {match($0, /hierarchical:2/); name = RSTART + 13}
                  name && $1 == "rounds" {match($0, / 4 /); print name - RSTART - 1; exit}' "$room/$name")
    [ "$places" = 0 ] || fail "the name of hierarchical:2 is not above its figures in $name: $places"
done
ends "hosts that are not whole" 2 hierarchical:4 6
has "says so" "$room/said" "hierarchical:4 is not for 6 ranks"
ends "no number of ranks per host" 2 hierarchical 6
has "how it is written" "$room/said" "hierarchical:RANKS_PER_HOST, leaders:RANKS_PER_DEVICE"

# --- fewer rounds than the bound have an explanation
"$show" one_shot 4 --svg "$room/quick.svg" >"$room/quick" || fail "one_shot 4 ends with an error"
has "why fewer rounds" "$room/quick" "the bound on rounds is for one message per rank and round"
has "why fewer rounds, in the picture" "$room/quick.svg" "The bound on rounds is for one message per rank and round"
"$show" ring 4 --svg "$room/slow.svg" >"$room/slow"
expect "no explanation where none is needed" test "$(cat "$room/slow" "$room/slow.svg" | grep -c "one message per rank")" = 0
