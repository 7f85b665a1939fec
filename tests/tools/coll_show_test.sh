#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests the outputs of coll_show. Usage: coll_show_test.sh PATH_OF_COLL_SHOW
set -u

[ $# -eq 1 ] && [ -x "$1" ] || { echo "usage: $0 PATH_OF_COLL_SHOW" >&2; exit 2; }
show=$1
here=$(cd "$(dirname "$0")" && pwd)
trace=$here/ring_4_trace.json
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
failures=0
checks=0

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}
# expect NAME COMMAND...: the command succeeds.
expect() {
    local name=$1
    shift
    checks=$((checks + 1))
    "$@" >/dev/null 2>&1 || fail "$name"
}
# has NAME FILE TEXT: the file holds the text; columns may be spaced otherwise.
has() {
    checks=$((checks + 1))
    tr -s ' ' <"$2" | grep -qF -- "$3" || fail "$1: no \"$3\""
}
lacks() {
    checks=$((checks + 1))
    ! grep -qE -- "$3" "$2" || fail "$1: has \"$3\""
}
# ends NAME STATUS ARGUMENT...: coll_show ends with that status; what it says is in $room/said.
ends() {
    local name=$1 status=$2 got
    shift 2
    checks=$((checks + 1))
    "$show" "$@" >"$room/said" 2>&1
    got=$?
    [ "$got" -eq "$status" ] || fail "$name: status $got instead of $status"
}
count() { grep -o -- "$2" "$1" | wc -l; }

algorithms="star tree butterfly halving ring circulant one_shot two_shot mixed_radix"
collectives="all_reduce reduce_scatter all_gather broadcast reduce gather scatter all_to_all scan exscan barrier"

source "$here/coll_show_cost.sh"

# --- the plans under each protocol
"$show" ring 4 --plan zero_copy --svg "$room/plan.svg" >"$room/plan" ||
    fail "ring 4 --plan zero_copy ends with an error"
has "title of a plan" "$room/plan" "ring: all_reduce over 4 ranks, zero_copy"
has "a reduction of a plan" "$room/plan" "reduce 256 KiB output+512 KiB <- input+512 KiB + rank 3's input+512 KiB"
has "traffic of a plan" "$room/plan" "rank 0 1572864 0 0 0 0 0"
has "proof of a plan" "$room/plan" "Proof: correct, over 9 calls in a row"
has "a drawn plan" "$room/plan.svg" "ring: all_reduce over 4 ranks, zero_copy"
expect "a drawn plan is XML" python3 -c "import xml.dom.minidom as m; m.parse('$room/plan.svg')"
for protocol in eager stream_reduce zero_copy staged staged_once staged_results; do
    expect "the plan of $protocol" "$show" two_shot 3 --plan "$protocol" --svg "$room/plan.svg"
done
"$show" two_shot 4 --plan zero_copy --in-place >"$room/plan"
has "pushed sums" "$room/plan" "in place, sums pushed to all outputs"
"$show" star 2 --collective broadcast --plan zero_copy --lent >"$room/plan"
has "a shared copy" "$room/plan" "each rank copies a half"
has "what the root writes" "$room/plan" "copy 512 KiB rank 1's output+512 KiB <- "
ends "what is lent and staged" 2 star 2 --plan staged --lent
"$show" ring 3 --plan eager >"$room/plan"
has "a message of a plan" "$room/plan" "send 341.3 KiB to rank 1"
"$show" one_shot 3 --plan cells --bytes 1024 >"$room/plan"
has "what is read of cells" "$room/plan" "rank 1's cell"
ends "cells for several rounds" 2 ring 4 --plan cells --bytes 1024
has "says why not cells" "$room/said" "cells does not suit this call"
ends "an unknown protocol" 2 ring 4 --plan rendezvous
has "the protocols" "$room/said" "eager, stream_reduce, zero_copy"
ends "a plan as a page" 2 ring 4 --plan eager --html "$room/plan.html"

# --- the table of partial sums, the transfers, the cost and the proof, word by word ---------------
"$show" ring 4 >"$room/ring" || fail "ring 4 ends with an error"
has "title" "$room/ring" "ring: all_reduce over 4 ranks, 4 chunks, 6 rounds"
has "round 0" "$room/ring" "round 0: every rank i -> i + 1 (mod 4): 1 chunk each, added"
has "rank 0 in round 0" "$room/ring" "rank 0 0 0 {0,3} + (0) chunk 3 -> rank 1"
has "rank 2 in round 1" "$room/ring" "rank 2 (1..2) (2) 2 0..2 + chunk 0 -> rank 3"
has "rank 3 in round 2" "$room/ring" "rank 3 (1..3) (2..3) (3) 0..3 + chunk 0 -> rank 0"
has "rank 1 in round 3" "$room/ring" "rank 1 0..3 = 0..3 ({0,1,3}) (0..1) chunk 1 -> rank 2"
has "rank 3 at the end" "$room/ring" "rank 3 0..3 = 0..3 0..3 0..3 chunk 1 -> rank 0"
has "rounds" "$room/ring" "rounds 6 2 3.00"
has "sent" "$room/ring" "sent by the busiest rank 1572864 1.5 n 1572864 1.00"
has "reduced" "$room/ring" "reduced by the busiest rank 786432 0.75 n 786432 1.00"
has "total" "$room/ring" "sent by all ranks together 6291456 6 n"
has "per rank" "$room/ring" "ranks 0..3 1572864 1572864 786432"
has "verdict" "$room/ring" "Proof: correct."
has "same bits" "$room/ring" "yes same bits on all ranks"
has "order" "$room/ring" "no order-preserving"
has "position" "$room/ring" "no position-independent"
"$show" two_shot 4 >"$room/two" || fail "two_shot 4 ends with an error"
has "left fold" "$room/two" "yes left fold"
has "fan" "$room/two" "every rank -> every other"
"$show" tree 6 --compare star >"$room/tree" || fail "tree 6 --compare star ends with an error"
has "tree's cost beside star's" "$room/tree" "sent by the busiest rank 3145728 3 n 1747627 1.80 5242880 5 n 3.00"
has "star's verdict" "$room/tree" "star: correct, same bits on all ranks, order-preserving"

# --- every algorithm ends with every contribution in every value ----------------------------------
for algorithm in $algorithms; do
    for size in 1 2 3 4 5 7 8; do
        "$show" "$algorithm" "$size" >"$room/out" || fail "$algorithm $size ends with an error"
        checks=$((checks + 1))
        want=$([ "$size" -eq 1 ] && echo 0 || echo "0..$((size - 1))")
        awk -v size="$size" -v want="$want" '
            /^(start|round)/ { rows = 0; wrong = 0; next }
            /^Cost/ { exit }
            /^  rank/ {
                ++rows
                sub(/(chunks? [0-9.,]* )?->.*/, "")
                for (i = 3; i <= NF; ++i) { if ($i != want && $i != "+" && $i != "=") { ++wrong } }
                if (NF < 3) { ++wrong }
            }
            END { exit rows == size && !wrong ? 0 : 1 }' "$room/out" ||
            fail "$algorithm $size: not all values are complete at the end"
    done
    for collective in $collectives; do
        case $collective in broadcast | reduce | gather | scatter) root="--root=2" ;; *) root="" ;; esac
        ends "$algorithm $collective" 0 "$algorithm" 6 --collective "$collective" $root
        has "$algorithm $collective" "$room/said" "Proof: correct."
    done
done

# --- large sizes ------------------------------------------------------------------------------------
ends "ring 12" 0 ring 12
has "counts instead of names" "$room/said" "How many contributions"
has "and says so" "$room/said" "--full shows them"
ends "ring 100" 0 ring 100
has "summary" "$room/said" "100 ranks x 100 chunks: a table too large to read"
has "summary of the first half" "$room/said" "rounds 0..98 every rank i -> i + 1 (mod 100): 1 chunk each, added"
has "its result" "$room/said" "then a value holds 1 to 100 of the contributions; 100 of 10000 values are complete"
has "summary of the second half" "$room/said" "rounds 99..197"
checks=$((checks + 1))
[ "$(wc -l <"$room/said")" -lt 50 ] || fail "ring 100 writes too much"
ends "--full" 0 circulant 17 --full
has "--full" "$room/said" "rank 16"
ends "butterfly 1000" 0 butterfly 1000
has "butterfly 1000" "$room/said" "Proof: correct."

# --- mistakes -----------------------------------------------------------------------------------------
ends "unknown algorithm" 2 rong 4
for algorithm in $algorithms; do has "list of names" "$room/said" "$algorithm"; done
has "unknown algorithm" "$room/said" '"rong"'
ends "automatic has no steps" 2 automatic 4
ends "unknown collective" 2 ring 4 --collective all_reduced
has "unknown collective" "$room/said" "reduce_scatter"
ends "no arguments" 2
ends "no size" 2 ring
ends "size 0" 2 ring 0
ends "size of letters" 2 ring four
ends "unknown second algorithm" 2 ring 4 --compare rong
ends "root" 2 ring 4 --collective reduce --root 4
ends "no root" 2 ring 4 --root 2; has "no root" "$room/said" "--root has no effect: all_reduce has no root"
ends "bytes" 2 ring 4 --bytes 0
ends "file that cannot be written" 1 ring 4 --svg "$room/none/x.svg"
ends "help" 0 --help
has "help" "$room/said" "mixed_radix"

# --- the picture --------------------------------------------------------------------------------------
ends "svg" 0 ring 4 --svg "$room/ring.svg"
has "svg is named" "$room/said" "wrote $room/ring.svg"
expect "svg is that of draw(ring{}, 4)" cmp "$here/../../docs/pictures/ring_4.svg" "$room/ring.svg"
expect "svg ends" sh -c 'tail -n 1 "$1" | grep -qx "</svg>"' sh "$room/ring.svg"
expect "12 arrows add, and one of the legend" test "$(count "$room/ring.svg" 'class="add" marker')" -eq 13
expect "12 copy, and one of the legend" test "$(count "$room/ring.svg" 'class="copy" marker')" -eq 13
expect "7 grids" test "$(count "$room/ring.svg" 'class="h"')" -eq 7
ends "several messages" 0 two_shot 4 --svg "$room/two.svg"; has "all chunks sent" "$room/two.svg" ">1, 2, 3</text>"
expect "40 complete values, and the legend's" test "$(count "$room/ring.svg" 'fill="#f5b82e"')" -eq 41
expect "3 rounds of one phase" test "$(count "$room/ring.svg" '>reduce-scatter<')" -eq 3
expect "3 of the other" test "$(count "$room/ring.svg" '>all-gather<')" -eq 3
lacks "svg needs no network" "$room/ring.svg" "href|url\(http|<script|<image"
for phases in "tree 5:reduce:broadcast" "halving 4:reduce-scatter:all-gather" "ring 3 --collective reduce:reduce-scatter:gather"; do
    IFS=: read -r what one two <<<"$phases"
    # shellcheck disable=SC2086
    "$show" $what --svg "$room/phases.svg" >"$room/said"
    has "phases of $what" "$room/phases.svg" ">$one<"
    has "phases of $what" "$room/phases.svg" ">$two<"
done
"$show" butterfly 4 --svg "$room/phases.svg" >"$room/said"
lacks "all ranks of a butterfly have the sum at once" "$room/phases.svg" ">reduce<|>broadcast<|-gather<"
ends "large svg" 0 ring 100 --svg "$room/large.svg"
for part in "Of 198 rounds 11 are drawn." ">rank 99<" ">chunk 99<" ">round 98<"; do has "large svg" "$room/large.svg" "$part"; done
expect "large svg is of a sane size" test "$(wc -c <"$room/large.svg")" -lt 4000000

# --- the page -----------------------------------------------------------------------------------------
# Of a coll_show that was built with it; one that was not says so.
"$show" ring 4 --compare tree --collective reduce --root 2 --html "$room/page.html" >"$room/said" 2>&1
status=$?
paged=1
if grep -q "built without the explorer's page" "$room/said"; then
    paged=
    [ $status -eq 2 ] || fail "without the page: status $status instead of 2"
    expect "nothing is written without the page" test ! -e "$room/page.html"
fi
# given FILE EXPRESSION: Python's, of what the page is given.
given() {
    expect "$1: $2" python3 -c '
import json, re, sys
page = open(sys.argv[1], encoding="utf-8").read()
given = json.loads(re.search("id=\"given\">(.*?)</script>", page, re.S).group(1))
sys.exit(not eval(sys.argv[2]))' "$1" "$2"
}
if [ -n "$paged" ]; then
    expect "page is locked up" grep -q "Content-Security-Policy\" content=\"default-src 'none';" "$room/page.html"
    lacks "page needs no network" "$room/page.html" '[ <]src="?https?:|<link[^>]*href="?https?:|@import|XMLHttpRequest'
    has "page's title" "$room/page.html" "<title>ring and tree: reduce over 4 ranks, root 2</title>"
    has "page without script" "$room/page.html" "rank 3 (1..3) (2..3) (3) (0..3) chunk 3 -&gt; rank 2"
    given "$room/page.html" 'given["state"] == "#algorithm=ring,tree&ranks=4&collective=reduce&root=2&bytes=1048576"'
    given "$room/page.html" 'given["trace"] is None and given["own"] == [] and given["sources"] == []'
    expect "page is small" test "$(wc -c <"$room/page.html")" -le 520000
    ends "page of many ranks" 2 star 600 --html "$room/no.html"
    has "page of many ranks" "$room/said" "the page shows at most 256 ranks"
    expect "no page of many ranks" test ! -e "$room/no.html"
    ends "page that cannot be written" 1 ring 4 --html "$room/none/page.html"
fi

# --- a recorded trace ---------------------------------------------------------------------------------
ends "trace" 0 ring 4 --trace "$trace" ${paged:+--html "$room/trace.html"}
has "the last operation" "$room/said" "Times of operation 3"
has "its bytes" "$room/said" "Cost with n = 16 KiB"
expect "a line per round" test "$(sed -n '/^Times/,$p' "$room/said" | grep -cE '^ +[0-5] +[0-9.]+ +[0-9.]+ +[0-9.]+  rank [0-3]$')" -eq 6
[ -z "$paged" ] || given "$room/trace.html" 'len(json.loads(given["trace"]["text"])["traceEvents"]) == 48 and "&bytes=16384" in given["state"]'
ends "another operation" 0 ring 4 --trace "$trace" --operation 2
has "another operation" "$room/said" "Times of operation 2"
ends "no such operation" 1 ring 4 --trace "$trace" --operation 9
ends "trace of another algorithm" 1 tree 4 --trace "$trace"
has "trace of another algorithm" "$room/said" "is not a trace of tree: all_reduce over 4 ranks: it lacks rank 0, round 0: recv_reduce from 1"
ends "trace of another size" 1 ring 3 --trace "$trace"
ends "trace of another collective" 1 ring 4 --collective broadcast --trace "$trace"
changed() { sed "$1" "$trace" >"$room/x.json"; ends "$1" 1 ring 4 --trace "$room/x.json"; has "$1" "$room/said" "$2"; }
changed '/"send to 1"/d' "it lacks rank 0, round 0: send to 1, chunk 3"
changed 's/"first_chunk":3/"first_chunk":7/' "it lacks rank 0, round 0: send to 1, chunk 3"
changed 's/"round":0/"round":0.5/' "is not a trace of this: 0.5 is no whole number"
changed 's/\[/{/' "is no JSON"
ends "no trace" 1 ring 4 --trace "$room/none.json"

# --- flight reports -----------------------------------------------------------------------------------
# flight COMMUNICATOR RANK SIZE WAITS: the file of a rank; the others are where `known` says.
flight() {
    cat >"$room/flights/flight-$1-rank$2-pid$((100 + $2)).json" <<EOF
{"flight":1,"communicator":"$1","rank":$2,"size":$3,"job_rank":$2,"pid":$((100 + $2)),"host":"node$2","milliseconds":5,
"why":"failure","failure":{"kind":"timeout","text":"time ran out; it says so"},"waits":$4,"waited_milliseconds":1500,
"under_way":[],"calls":[{"number":7,"call":"all_reduce","count":200,"type":"float","operator":"sum","algorithm":"ring",
"segment":0,"root":0,"done":false}],"ranks":[$known]}
EOF
}
at() { echo "{\"call\":\"$1\",\"number\":$2,\"round\":$3,\"peer\":$4}"; }
mkdir "$room/flights"
ends "no flight reports" 1 --flight "$room/flights"
has "no flight reports" "$room/said" "no flight-*.json"
known='{"rank":0,"entered":7,"finished":6,"waits":null},{"rank":1,"entered":7,"finished":6,"waits":null},{"rank":2,"entered":6,"finished":6,"waits":null}'
flight 1 0 3 "$(at all_reduce 7 1 1)"
flight 1 1 3 "$(at all_reduce 7 0 2)"
known='{"rank":0,"entered":3,"finished":2,"waits":null},{"rank":1,"entered":3,"finished":2,"waits":null}'
flight 99 0 2 "$(at recv 4 -1 1)"
flight 99 1 2 "$(at recv 5 -1 0)"
ends "flight reports" 0 --flight "$room/flights"
has "a rank without a file counts" "$room/said" "Communicator 1: 3 ranks, 2 files"
has "the failure" "$room/said" "timeout: time ran out; it says so (from ranks 0..1)"
has "the call" "$room/said" "#7 all_reduce, 200 x float, sum, ring: entered by ranks 0..1, finished by no rank"
has "who waits" "$room/said" "rank 1 node1, process 101: last entered all_reduce #7; waited in round 0 of all_reduce #7 for rank 2, 1.5 s"
has "who wrote no file" "$room/said" "rank 2 NO FILE; the others say: last entered operation #6 and finished it"
has "who held up whom" "$room/said" "rank 2 held up ranks 0..1: it had not entered all_reduce #7; it wrote no file"
has "the chain" "$room/said" "rank 0 -> rank 1 (round 1 of all_reduce #7) -> rank 2 (round 0 of all_reduce #7)"
has "the other communicator" "$room/said" "Communicator 99: 2 ranks, 2 files"
has "a circle" "$room/said" "ranks 0..1 waited for each other"
ends "flight reports of no algorithm" 2 ring 4 --flight "$room/flights"
echo '{"flight":' >"$room/flights/flight-1-rank2-pid1.json"
ends "a broken flight report" 1 --flight "$room/flights"
has "a broken flight report" "$room/said" "flight-1-rank2-pid1.json is no flight report"
ends "no directory of flight reports" 1 --flight "$room/none"

# --- the lectures' table
ends "a table" 0 --table 8
has "star's row" "$room/said" "star 2n 2 m 16 m 7 m 7 m 14 m 2K 16 14"
has "the tree's meaning" "$room/said" "tree: if n = m, 2n log2 K / K is nothing that is counted here; if n = K m, what the busiest rank sends and receives."
has "the ring's meaning" "$room/said" "ring: if n = m, n / K is what the busiest rank sends in a round, on average; if n = K m, nothing"
has "no meaning" "$room/said" "Neither meaning of n makes all of these amounts right."
ends "a table of no power of two" 0 --table 6 --format csv
has "its butterfly" "$room/said" "butterfly,n log2 K / K,0.4308,2.585,3,3,6,log2 K,2.585,4"
ends "a table as Markdown" 0 --table 4 --format markdown
has "its ring" "$room/said" "| ring | n / K | 0.25 m | 1 m | 1.5 m | 1.5 m | 3 m | 2(K - 1) | 6 | 6 |"
ends "a table of one rank" 2 --table 1
ends "a table of an algorithm" 2 ring 4 --table 4
ends "a table of a collective" 2 --table 4 --collective scan
ends "a drawn table" 2 --table 4 --svg "$room/none.svg"
ends "a format of no table" 2 ring 4 --format csv

if [ "$failures" -gt 0 ]; then
    echo "coll_show: $failures of $checks checks failed" >&2
    exit 1
fi
echo "coll_show: $checks checks passed"
