#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests coll_predict. Usage: coll_predict_test.sh PROGRAM
set -u
predict=$1
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }

timeout 1 "$predict" 1000000 >"$room/out" || fail "a million ranks take less than a second"
grep -q 'mixed_radix$' "$room/out" || fail "names the quickest"
# 2 rounds of 1 s and 2 x 500 bytes of 1 ms each; 500 added, 2 ms each.
"$predict" 2 -b 1000 --algorithm ring --alpha 1 --message 0 --beta 0.001 --gamma 0.002 >"$room/out" || fail "prices"
grep -Eq '^ +1000 +4 s +ring$' "$room/out" || fail "the time is the cost times its prices"

# Measurements that obey prices are predicted exactly, and are in order.
"$predict" 8 --alpha 1e-5 --message 2e-6 --beta 1e-9 --gamma 3e-10 --csv "$room/made.csv" >/dev/null || fail "writes"
"$predict" 64 --fit "$room/made.csv" --check "$room/made.csv" >"$room/out" || fail "fits and checks"
grep -q 'held-out error: median 0.0 %, at most 0.0 %' "$room/out" || fail "exactly"
grep -q 'alpha 1e-05 s, message 2e-06 s, beta 1e-09 s/B, gamma 3e-10 s/B' "$room/out" || fail "the same prices"
awk -F, 'BEGIN { OFS = "," } $3 == "ring" && $7 > 1e6 { $10 *= 100 } { print }' "$room/made.csv" >"$room/other.csv"
"$predict" 64 --alpha 1e-5 --message 2e-6 --beta 1e-9 --gamma 3e-10 --check "$room/other.csv" >"$room/out" && fail "another order"
grep -q '^out of order: 8 ranks, .* ring ' "$room/out" || fail "names who is out of order"

# A butterfly of 8 ranks has 3 rounds, the last of them between groups of 4; a ring's 14 all are.
"$predict" 8 -b 8 --alpha 1 --message 0 --beta 0 --gamma 0 --group 4 --beyond 10 --algorithm butterfly,ring >"$room/out" || fail "groups"
grep -Eq '^ +8 +13 s +154 s +butterfly$' "$room/out" || fail "rounds between groups cost more"
"$predict" 2000 --group 4 >/dev/null 2>&1; [ $? = 2 ] || fail "groups of very many ranks are refused"

# Simulated, a ring takes what is counted; a late rank makes it later by as much, a slow link by less than its factor.
prices="--alpha 1 --message 2 --beta 0.25 --gamma 0.5 --algorithm ring"
"$predict" 8 -b 800 $prices >"$room/counted" && "$predict" 8 -b 800 $prices --simulate >"$room/out" || fail "simulates"
grep -q '^# all_reduce over 8 ranks, simulated; alpha 1 s' "$room/out" || fail "says that it simulates"
diff <(tail -n +2 "$room/counted") <(tail -n +2 "$room/out") || fail "a ring's rounds follow each other"
seconds() { "$predict" "$@" | awk '$NF == "ring" || $NF == "star" { print $2; exit }'; }
[ "$(seconds 8 -b 800 $prices)" = 742 ] || fail "14 rounds and messages, 42 s; 1400 bytes and 700 added, 350 s each"
[ "$(seconds 8 -b 800 $prices --late 3:100)" = 842 ] || fail "a late rank"
[ "$(seconds 8 -b 800 $prices --late 3:50,3:50)" = 842 ] || fail "twice late"
slow=$(seconds 8 -b 800 $prices --slow 0-1:2)
[ "${slow%.*}" -gt 742 ] && [ "${slow%.*}" -lt 1484 ] || fail "a slow link: $slow"
# A star's leaves do not wait for each other: simulated, it is quicker than round by round.
[ "$(seconds 3 -b 1 --algorithm star --alpha 10 --message 0 --beta 0 --gamma 0)" = 40 ] || fail "counted"
[ "$(seconds 3 -b 1 --algorithm star --alpha 10 --message 0 --beta 0 --gamma 0 --simulate)" = 20 ] || fail "simulated"
[ "$(seconds 3 -b 1 --algorithm star --alpha 10 --message 0 --beta 0 --gamma 0 --gap 7)" = 34 ] || fail "a port of the root is shut before each second message"
for wrong in "--late 8:1" "--late 1" "--late x:1" "--late 1:-1" "--late 1:" "--slow 0-1" "--slow 0:1-2" "--slow 0-1:0.5" \
    "--slow 0-8:2" "--slow 0-0:2" "--gap -1" "--simulate --group 4"; do
    # shellcheck disable=SC2086
    "$predict" 8 -b 1 $wrong >/dev/null 2>&1; [ $? = 2 ] || fail "refuses $wrong"
done
"$predict" 2000 --simulate 2>&1 | grep -q 'for up to 1024 ranks' || fail "very many ranks are not simulated"

# The picture marks where the table says that another becomes the quickest.
"$predict" 8 -b 1,16,1024 --alpha 1 --message 0 --beta 1 --gamma 0 --algorithm ring,tree --svg "$room/p.svg" >"$room/out" || fail "draws"
grep -c 'class="mark"' "$room/p.svg" | grep -qx 2 || fail "two curves, one crossing, and the start"
from=$(sed -n 's/^from *\([0-9]*\) bytes on ring .*/\1/p' "$room/out")
grep -q ">ring from $from B on<" "$room/p.svg" || fail "the crossing is where the table says"
[ "$(grep -c 'stroke-width="2.6"' "$room/p.svg")" = 4 ] || fail "a curve and a line of the legend for each"

"$predict" 8 --fit /nonexistent 2>&1 | grep -q 'cannot read' || fail "says what it cannot read"
"$predict" 8 --alpha 1 --fit "$room/made.csv" >/dev/null 2>&1; [ $? = 2 ] || fail "given or fitted"
"$predict" 8 --alpha nan >/dev/null 2>&1; [ $? = 2 ] || fail "a price is a number"
"$predict" 8 --bytes 16777215tb >/dev/null 2>&1; [ $? = 2 ] || fail "vectors above 1 TiB are refused"
"$predict" 1 --svg "$room/x.svg" 2>&1 | grep -q 'nothing to draw' || fail "one rank takes no time, which cannot be drawn"
"$predict" 0 >/dev/null 2>&1; [ $? = 2 ] || fail "no ranks are refused"
"$predict" 6 --algorithm hierarchical:4 >/dev/null 2>&1; [ $? = 2 ] || fail "ranks that do not fit are refused"
echo ok
