#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests coll_perf from outside, on tiny sizes. Usage: coll_perf_test.sh PATH_OF_COLL_PERF
set -u

if [ $# -ne 1 ] || [ ! -x "$1" ]; then
    echo "usage: $0 PATH_OF_COLL_PERF" >&2
    exit 2
fi
perf=$1
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
failures=0
checks=0

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}
# has NAME FILE TEXT: the file holds the text; columns may be spaced otherwise.
has() {
    checks=$((checks + 1))
    tr -s ' ' <"$2" | grep -qF -- "$3" || fail "$1: no \"$3\""
}
expect() {
    local name=$1
    shift
    checks=$((checks + 1))
    "$@" >/dev/null 2>&1 || fail "$name"
}
# ends NAME STATUS ARGUMENT...: coll_perf ends with that status; what it says is in $room/said.
ends() {
    local name=$1 status=$2 got
    shift 2
    checks=$((checks + 1))
    "$perf" "$@" >"$room/said" 2>&1
    got=$?
    if [ "$got" -ne "$status" ]; then
        fail "$name: status $got instead of $status"
        cat "$room/said" >&2
    fi
}
quick=(-b 4 -e 64 -f 16 -n 2 -w 1 --batch 1)

# --- every collective over every transport --------------------------------------------------------
for transport in threads shm; do
    for memory in "" --allocated; do
        for ranks in 1 2 3; do
            # shellcheck disable=SC2086
            ends "$transport $ranks $memory" 0 --transport $transport --ranks $ranks $memory \
                --collective all "${quick[@]}" --csv "$room/all.csv"
            has "$transport $ranks" "$room/said" "# Out of bounds values : 0 OK"
            # 9 collectives of 2 sizes and 2 forms (with 3 ranks 4 bytes become 12), a broadcast of
            # 2 sizes, a barrier, and the names
            checks=$((checks + 1))
            lines=$(wc -l <"$room/all.csv")
            [ "$lines" -eq 40 ] || fail "$transport $ranks: $lines lines of CSV, not 40"
            checks=$((checks + 1))
            awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) { at[$i] = i } next }
                $at["wrong"] != 0 || $at["checked"] != 1 || !($at["median_us"] > 0) { bad = 1 }
                END { exit bad }' "$room/all.csv" || fail "$transport $ranks: a bad row"
        done
    done
done
has "one rank" "$room/said" "# 3 ranks"
ends "one rank" 0 --ranks 1 "${quick[@]}"
has "one rank's bus" "$room/said" "# With 1 rank nothing crosses a bus: busbw is 0."

# --- all types, operators and algorithms -------------------------------------------------------------
ends "types and operators" 0 -d all -o all -b 64 -e 64 -n 1 -w 1 --batch 1 --csv "$room/types.csv"
for name in int8 uint64 float16 bfloat16 float8_e4m3 float8_e5m2 complex_double product average bit_xor logical_or \
    premultiplied_sum; do
    has "types and operators" "$room/said" " $name "
done
has "all are right" "$room/said" "# Out of bounds values : 0 OK"
ends "algorithms" 0 --algorithm all --ranks 3 --collective all_reduce,all_to_all "${quick[@]}"
for name in automatic star tree butterfly halving ring circulant one_shot two_shot mixed_radix; do
    has "algorithms" "$room/said" "# shm, all_reduce, $name over 3 ranks"
done
ends "names of nccl-tests" 0 -d half -o prod,avg "${quick[@]}"
has "names of nccl-tests" "$room/said" "float16 average"
ends "names of 8-bit floats" 0 -d f8e4m3,fp8_e5m2 "${quick[@]}"
has "names of 8-bit floats" "$room/said" "float8_e4m3 sum"
has "names of 8-bit floats" "$room/said" "float8_e5m2 sum"

# --- what else is measured: 11 started, 11 planned, 5 with counts, 4 messages, 5 others -------------
others=start_all,plan_all,all_v,send_recv,send_latency,send_bandwidth,send_both_ways,fusion,split,split_half,shrink,creation
for how in "shm --ranks 2" "threads --ranks 3 --tests 3 --progress background --tensors 5 --threshold 100"; do
    # shellcheck disable=SC2086
    ends "other forms, $how" 0 --transport $how --collective $others -b 64 -e 64 -n 2 -w 1 --batch 1 --form out \
        --csv "$room/forms.csv"
    has "other forms, $how" "$room/said" "# Out of bounds values : 0 OK"
    has "other forms, $how" "$room/said" "#wrong whole work overlap"
    checks=$((checks + 1))
    awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) { at[$i] = i } next }
        { hidden = $at["overlap_percent"]; started = $at["collective"] ~ /^start_/ }
        $at["wrong"] != 0 || !($at["median_us"] > 0) || !($at["most_of_ranks_us"] >= $at["least_of_ranks_us"]) { bad = 1 }
        started ? !(hidden >= 0 && hidden <= 100 && $at["work_us"] > 0) : hidden != "" { bad = 1 }
        END { exit bad || NR != 37 }' "$room/forms.csv" || fail "other forms, $how: a bad row"
done
ends "nobody to send to" 1 --ranks 1 --collective send_latency,barrier "${quick[@]}"
has "nobody to send to" "$room/said" "N/A N/A N/A N/A # takes two ranks"
ends "several numbers of ranks" 0 --ranks 1,2,3 "${quick[@]}" --report "$room/page.html" -N 2
grep -qE '^# 1 rank, .*; 2 ranks, .*; 3 ranks, ' "$room/said" || fail "several numbers of ranks: $(head -3 "$room/said")"
has "several numbers of ranks" "$room/said" "# shm, all_reduce, automatic over 3 ranks"
expect "each cycle is printed" test "$(grep -c "automatic over 3 ranks" "$room/said")" = 2
expect "the page has pictures over bytes and ranks" test "$(grep -c "<svg" "$room/page.html")" = 8
expect "and a table for each number" test "$(grep -c "<table" "$room/page.html")" = 3
ends "no number of ranks" 2 --ranks 2,x

# --- the tables ------------------------------------------------------------------------------------------
ends "nccl's table" 0 "${quick[@]}"
has "nccl's table" "$room/said" "# out-of-place in-place"
has "nccl's table" "$room/said" "# size count type redop root time algbw busbw #wrong time algbw busbw #wrong"
has "nccl's table" "$room/said" "# (B) (elements) (us) (GB/s) (GB/s) (us) (GB/s) (GB/s)"
has "nccl's table" "$room/said" " 64 16 float sum -1 "
has "nccl's table" "$room/said" "# Avg bus bandwidth :"
ends "osu's table" 0 --format osu -b 4 -e 64 --stepfactor 16 -n 2 -w 1 --batch 1
has "osu's table" "$room/said" "# Size Avg Latency(us) Min Latency(us) Max Latency(us) Iterations P50(us) P95(us) P99(us)"
ends "osu's sizes" 0 --format osu --collective all_gather,reduce_scatter,send_bandwidth -m 4:16 -i 3 -x 1 --batch 1 \
    --csv "$room/osu.csv"
expect "osu's sizes in the table" test "$(grep -cE '^(4|8|16) ' "$room/said")" = 8
expect "blocks of all_gather are of the size that is asked for" grep -q "^shm,all_gather,automatic,float,none,2,-1,32," "$room/osu.csv"
expect "and vectors of reduce_scatter" grep -q "^shm,reduce_scatter,automatic,float,sum,2,-1,16," "$room/osu.csv"
has "osu's iterations" "$room/said" " 3 "
has "osu's bandwidth" "$room/said" "# Size Bandwidth (MB/s)"
ends "nccl's flags" 0 -b 64 -e 64 -n 2 -w 1 -m 3 -a 3 -S 1 -R 1 -T 50 -J "$room/nccl.json" --json "$room/own.json"
has "nccl's flags" "$room/own.json" '"batch": 3'; has "nccl's flags" "$room/said" "allocated memory"
has "nccl's JSON" "$room/nccl.json" '"aggregated_iterations": 3'
expect "a time stands in each row" grep -qE "20[0-9-]+T[0-9:]+Z$" <(grep " 64 " "$room/said")
ends "no check" 0 -c 0 "${quick[@]}"
has "no check" "$room/said" "(not checked)"
ends "steps" 0 -b 8 -e 16 -i 4 -n 1 --form out
has "steps" "$room/said" " 12 3 float sum"
ends "launches" 0 --launches 3 "${quick[@]}" --csv "$room/launches.csv"
has "launches" "$room/said" "#wrong spread"
expect "a row for each launch" test "$(wc -l <"$room/launches.csv")" -eq 13
ends "cold" 0 --cold -b 64K -e 64K -n 2
has "cold" "$room/said" ", cold"
ends "touched" 0 --touch -b 4K -e 4K -n 2 --collective all --csv "$room/touched.csv"
has "touched" "$room/said" ", touched"
expect "touched calls are not timed in batches" python3 -c "import csv; assert {(r['touch'], r['batch']) for r in csv.DictReader(open('$room/touched.csv'))} == {('1', '1')}"
ends "either cold or touched" 2 --touch --cold -b 4K -e 4K
ends "no batches of touched calls" 2 --touch --batch 2 -b 4K -e 4K
ends "not whole pages" 0 --offset 4 -b 16K -e 16K -n 2 --collective all --percent-of-limit --csv "$room/offset.csv"
has "not whole pages" "$room/said" ", 4 bytes after a page"
expect "the offset is written" python3 -c "import csv; assert {r['offset'] for r in csv.DictReader(open('$room/offset.csv'))} == {'4'}"
ends "between two elements" 2 --offset 4 -d double -b 4K -e 4K
has "between two elements" "$room/said" "--offset 4 is no place for double, of 8 bytes"
COLLECTIVES_ISA=sse9 ends "no such instructions" 1 --collective broadcast -b 16K -e 16K -n 2
has "no such instructions" "$room/said" "COLLECTIVES_ISA is 'sse9'; there are portable, avx2 and avx512"
ends "not bound" 0 --bind none --ranks 1 --report-bindings "${quick[@]}"
has "not bound" "$room/said" "# 1 rank, not bound"
has "not bound" "$room/said" "coll_perf: rank 0 of 1 runs on any processor"
ends "bound to cores" 0 --bind core --ranks 1 --report-bindings "${quick[@]}" --csv "$room/bound.csv"
has "bound to cores" "$room/said" "# 1 rank, each on a core of its own (core "
has "bound to cores" "$room/said" "coll_perf: rank 0 of 1 runs on core "
expect "the rank was where it was put" python3 -c "import csv; assert {r['pinned'] for r in csv.DictReader(open('$room/bound.csv'))} == {'1'}"
ends "bound to nodes" 0 --bind numa --ranks 3 "${quick[@]}"
has "bound to nodes" "$room/said" "# 3 ranks, on NUMA node"
ends "as many cores as there are" 0 --ranks 1,200 --collective creation --report-bindings --transport threads -n 1
has "as many cores as there are" "$room/said" "core of its own"
has "as many cores as there are" "$room/said" "; 200 ranks, not bound"
ends "too few cores" 1 --bind core --ranks 1000 "${quick[@]}"
has "too few cores" "$room/said" "1000 ranks cannot be bound to cores of their own: this process may use"
HWLOC_SYNTHETIC="core:2 pu:1(indexes=1000,1001)" ends "a core that is not there" 1 "${quick[@]}"
grep -qE 'rank [01] cannot be bound to core [01] ' "$room/said" || fail "a core that is not there: $(cat "$room/said")"
for gone in --pin "--pin cores" --pin=none; do
    # shellcheck disable=SC2086
    ends "$gone" 2 $gone
    has "$gone" "$room/said" "--pin is gone: --bind core, numa or none says where ranks run"
done
WORLD_SIZE=1 RANK=0 ends "a launcher's variable" 2 --ranks 2 "${quick[@]}"
has "a launcher's variable" "$room/said" "--ranks 2: the launcher has started 1; WORLD_SIZE is set"
SLURM_STEP_ID=0 ends "half of a launcher's variables" 2 "${quick[@]}"
has "half of a launcher's variables" "$room/said" "SLURM_STEP_ID is set, so this is one rank of a launcher's (with --start-ranks"
WORLD_SIZE=3 RANK=1 ends "ranks of its own all the same" 0 --start-ranks --ranks 1 "${quick[@]}"
has "ranks of its own all the same" "$room/said" "# shm, all_reduce, automatic over 1 ranks"
WORLD_SIZE=3 RANK=1 ends "a mistake, all the same" 2 --colective all_reduce --start-ranks
ends "limits" 0 --percent-of-limit "${quick[@]}" --json "$room/limits.json"
has "limits" "$room/said" "copy copy-nt trip %limit dropped"
expect "JSON parses" python3 -m json.tool "$room/limits.json"
has "JSON has the controls" "$room/limits.json" '"round_trip_us": '
# A ring of 4 sends 6 messages of n/4; the root of a tree sends n to 2 ranks.
ends "bounds" 0 --percent-of-bound --percent-of-limit --transport threads,shm --ranks 4 --algorithm ring,tree -b 64K -e 64K -n 20 \
    -w 1 --form out --csv "$room/bounds.csv" --json "$room/bounds.json" --report "$room/bounds.html"
has "bounds" "$room/said" "sent messages link bound %bound"
expect "what is sent, and the share of the bound" python3 - "$room/bounds.csv" "$room/bounds.json" <<'EOF'
import csv, json, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert [(r["algorithm"], int(r["sent_bytes"]), int(r["messages"])) for r in rows] == \
    2 * [("ring", 98304, 6), ("tree", 131072, 2)], rows
steady = [r for r in rows if r["note"] != "no steady samples"]
assert steady, rows
for r in steady:
    bound = 1.5 * 65536 / float(r["link_GBps"]) / 1000
    assert abs(float(r["bound_us"]) / bound - 1) < 0.001, r
    assert abs(float(r["percent_of_bound"]) * float(r["median_us"]) / 100 / bound - 1) < 0.01, r
    limit = min(float(r["copy_us"]), float(r["copy_past_cache_us"]))
    assert abs(float(r["percent_of_limit"]) * float(r["median_us"]) / 100 / limit - 1) < 0.01, r
assert [r["messages"] for r in json.load(open(sys.argv[2]))["results"]] == [6, 2, 6, 2]
EOF
for column in "sent, bytes" messages "link, GB/s" "of the bound, %" "of the limit, %"; do
    has "bounds in a page" "$room/bounds.html" "<th>$column</th>"
done
ends "bounds of all" 0 --percent-of-bound --percent-of-loop --ranks 3 --collective all,all_v,start_all,plan_all,send_recv,fusion,send_latency,split \
    -b 64 -e 64 -n 1 -w 1 --batch 1 --form out --csv "$room/bounds.csv"
expect "what can be counted is counted" python3 - "$room/bounds.csv" <<'EOF'
import csv, sys
for r in csv.DictReader(open(sys.argv[1])):
    name = r["collective"]
    sized = not name.endswith("barrier") and name != "split"
    counted = sized and name != "send_latency"
    assert (r["sent_bytes"] != "") == (r["messages"] != "") == counted, r
    assert (r["percent_of_loop"] != "") == (float(r["loop_us"] or 0) > 0) == (name not in ("send_latency", "split")), r
    assert (r["percent_of_bound"] != "") == sized and r["percent_of_limit"] == "", r
    assert not counted or float(r["sent_bytes"]) >= 8 and float(r["messages"]) >= 1, r
EOF
expect "no column without figures" test "$(grep -c "of the bound" "$room/page.html")" = 0
ends "no progress where nobody watches" 0 "${quick[@]}" --csv "$room/x.csv"
checks=$((checks + 1))
! grep -q $'\r' "$room/said" || fail "a progress line in a file"

# --- peers ------------------------------------------------------------------------------------------------
ends "a peer that is not there" 0 --peer mpich --peers-in "$room" "${quick[@]}"
has "a peer that is not there" "$room/said" "mpich cannot be measured: there is no driver $room/peer_mpich"
printf '#!/bin/sh\nsleep 60\n' >"$room/peer_gloo" && chmod +x "$room/peer_gloo"
ends "a peer that does not finish" 0 --peer gloo --peers-in "$room" --time-limit 5 -b 4 -e 4 -n 2
has "a peer that does not finish" "$room/said" "did not finish"
printf '#!/bin/sh\necho it is broken >&2\nexit 3\n' >"$room/peer_gloo"
ends "a peer that fails" 0 --peer gloo --peers-in "$room" "${quick[@]}"
has "a peer that fails" "$room/said" "gloo failed: it is broken"
built=$(cd "$(dirname "$perf")/../bench" 2>/dev/null && pwd)
what=all_reduce,broadcast,gather,scatter,all_to_all,all_to_all_v,all_gather_v start=
for peer in gloo mpich openmpi; do
    [ -x "$built/peer_$peer" ] || continue
    [ $peer = gloo ] || start=start_
    ends "$peer" 0 --peer $peer --collective $what,${start}all_gather "${quick[@]}" --time-limit 30 --csv "$room/peer.csv"
    expect "$peer has figures" grep -q "^$peer,${start}all_gather,its own,float,none,2,-1,64,16,0" "$room/peer.csv"
    has "$peer is right" "$room/said" "# Out of bounds values : 0 OK"
done

# --- devices: a driver in the place of ours says what one without a device does, and one with it ------------------
ends "no driver for devices" 1 --transport cuda --peers-in "$room" "${quick[@]}"
has "no driver for devices" "$room/said" "cuda cannot be measured: there is no driver $room/ours_cuda"
printf '#!/bin/sh\necho there is no CUDA device\nexit 77\n' >"$room/ours_cuda"
chmod +x "$room/ours_cuda"
ends "no device" 77 --transport cuda-threads --peers-in "$room" "${quick[@]}"
expect "no device, in one line" test "$(cat "$room/said")" = \
    "coll_perf: cuda-threads cannot be measured: there is no CUDA device"
cat >"$room/ours_cuda" <<'EOF'
#!/bin/sh
if [ "$1" = ranks ]; then echo "$2 ranks sharing one GPU"; exit 0; fi
[ "$1" = processes ] || exit 1
echo "coll_perf-result 0 0 0 2 5000 6000 2 2000 2000 2 2100 2100 2 100 100 4 5000 5500 5500 5500 0 0 0"
EOF
ends "devices" 0 --transport cuda --ranks 4 --allocated --peers-in "$room" -b 1M -e 1M -n 2 --form out \
    --percent-of-limit --csv "$room/cuda.csv" --json "$room/cuda.json"
has "devices" "$room/said" "# cuda: 4 ranks sharing one GPU, all_reduce"
expect "every row says who shares what" grep -q "^cuda: 4 ranks sharing one GPU,all_reduce" "$room/cuda.csv"
expect "and so does JSON" grep -q '"cuda: 4 ranks sharing one GPU"' "$room/cuda.json"
if [ -x "$built/ours_cuda" ]; then
    "$perf" --transport cuda "${quick[@]}" >"$room/said" 2>&1
    status=$?
    expect "our driver measures, or says that there is no device" test $status -eq 0 -o $status -eq 77
fi

# --- mistakes ------------------------------------------------------------------------------------------------
ends "unknown flag" 2 --colective all_reduce
ends "unknown collective" 2 --collective all_reduced
has "unknown collective" "$room/said" 'there is no collective "all_reduced"; the collectives are all_reduce, reduce_scatter'
ends "unknown algorithm" 2 --algorithm rong
has "unknown algorithm" "$room/said" 'unknown algorithm "rong"'
ends "unknown type" 2 -d floot
has "unknown type" "$room/said" 'there is no type "floot"; the types are int8'
ends "unknown operator" 2 -o sun
has "unknown operator" "$room/said" 'there is no operator "sun"; the operators are sum'
ends "unknown transport" 2 --transport pigeon
has "unknown transport" "$room/said" 'there is no transport "pigeon"; the transports are threads, shm'
ends "unknown peer" 2 --peer mvapich
has "unknown peer" "$room/said" 'the peers are mpich, openmpi, gloo, nccl'
ends "no such operator" 2 -d float -o bit_and
has "no such operator" "$room/said" "float has no operator bit_and"
ends "root" 2 --collective broadcast --root 2
has "root" "$room/said" "root 2 is none of the 2 ranks"
ends "size" 2 -b 4X
has "size" "$room/said" '"4X" is no size'
ends "sizes the wrong way round" 2 -b 64 -e 4
ends "no ranks" 2 --ranks 0
ends "factor" 2 -f 1
ends "a file that cannot be written" 1 "${quick[@]}" --csv "$room/new.csv" --trace "$room/none/x"    # found before the rest
expect "nothing is measured then" test ! -e "$room/new.csv" -a "$(cat "$room/said")" = "coll_perf: cannot write $room/none/x"
ends "help" 0 --help
has "help" "$room/said" "--percent-of-limit"

if [ "$failures" -gt 0 ]; then
    echo "coll_perf: $failures of $checks checks failed" >&2
    exit 1
fi
echo "coll_perf: $checks checks passed"
