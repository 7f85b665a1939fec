#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests the outputs of coll_plot. Usage: coll_plot_test.sh PATH_OF_COLL_PLOT
set -u

if [ $# -ne 1 ] || [ ! -x "$1" ]; then
    echo "usage: $0 PATH_OF_COLL_PLOT" >&2
    exit 2
fi
plot=$1
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
failures=0
checks=0

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}
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
ends() {
    local name=$1 status=$2 got
    shift 2
    checks=$((checks + 1))
    "$plot" "$@" >"$room/said" 2>&1
    got=$?
    [ "$got" -eq "$status" ] || fail "$name: status $got instead of $status"
}
# results FACTOR: as coll_perf writes them, with times of FACTOR times as much
results() {
    echo "transport,collective,algorithm,type,op,ranks,bytes,in_place,memory,cold,launch,median_us,copy_us,copy_past_cache_us,round_trip_us,cpu,cores,date"
    for bytes in 4 64 1024 16384 262144 4194304; do
        for row in "shm,all_reduce,automatic 1" "openmpi,all_reduce,its own 2" \
            "shm,broadcast,automatic 3"; do
            awk -v bytes=$bytes -v row="$row" -v f="$1" 'BEGIN {
                n = split(row, p, " "); name = substr(row, 1, length(row) - 2)
                time = (0.2 + bytes / 10000) * p[n] * (p[n] == 2 ? 1 : f)
                printf "%s,float,sum,2,%d,0,private,0,0,%g,%g,%g,0.1,\"A, B\",2,2030-01-31T00:00:00Z\n",
                    name, bytes, time, bytes / 20000, bytes / 10000 }'
        done
    done
}
results 1 >"$room/base.csv"
results 1.1 >"$room/near.csv"
results 2 >"$room/slow.csv"

# --- the picture ------------------------------------------------------------------------------------
ends "latency" 0 "$room/base.csv" --where collective=all_reduce --svg "$room/l.svg"
has "latency" "$room/said" "wrote $room/l.svg"
ends "bandwidth" 0 "$room/base.csv" --where collective=all_reduce --quantity bandwidth \
    --svg "$room/b.svg" --title "a < b"
for picture in l b; do
    expect "$picture begins" grep -q '^<svg xmlns="http://www.w3.org/2000/svg"' "$room/$picture.svg"
    expect "$picture ends" sh -c 'tail -n 1 "$1" | grep -qx "</svg>"' sh "$room/$picture.svg"
    expect "$picture is XML" python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' \
        "$room/$picture.svg"
    has "$picture" "$room/$picture.svg" ">Open MPI</text>"
    has "$picture" "$room/$picture.svg" ">copy by every rank</text>"
    has "$picture" "$room/$picture.svg" "A, B; 2030-01-31"
    checks=$((checks + 1))
    ! grep -qE 'nan|inf|href|<script|<image' "$room/$picture.svg" || fail "$picture: a bad word"
done
has "title" "$room/b.svg" "<title>a &lt; b</title>"
has "cores" "$room/b.svg" ">2 ranks on 2 cores, float, sum, A, B; 2030-01-31<"
{
    results 1 | sed 's/automatic/ring/'
    results 3 | sed '1d; s/automatic/mine/'
} | grep -v openmpi >"$room/own.csv"
ends "an algorithm of one's own" 0 "$room/own.csv" --where collective=all_reduce --svg "$room/own.svg"
has "the ring" "$room/own.svg" 'fill="none" stroke="#0b5fa5"'
has "the own one beside it" "$room/own.svg" 'fill="none" stroke="#d00000"'
expect "their marks differ" test "$(grep -c '<circle.*#0b5fa5' "$room/own.svg") $(grep -c '<rect.*#d00000' "$room/own.svg")" = "7 7"
sed '2,$s/^shm/smpi/' "$room/base.csv" >"$room/simulated.csv"
ends "simulated" 0 "$room/simulated.csv" --where collective=all_reduce --svg "$room/simulated.svg"
has "simulated" "$room/simulated.svg" ">2 ranks, simulated, float, sum, A, B; 2030-01-31<"
ends "one size alone" 0 "$room/base.csv" --where collective=all_reduce --where bytes=64 \
    --svg "$room/one.svg"

# --- the table --------------------------------------------------------------------------------------
ends "table" 0 "$room/base.csv" --where collective=all_reduce --table --sizes 4,16kb
has "table" "$room/said" "| bytes | shm | Open MPI | cache line's round trip | copy by every rank |"
has "table" "$room/said" "| 4 B | **200 ns** | 401 ns | 100 ns | - |"
has "table" "$room/said" "| 16 KiB | **1.84 us** |"
expect "no other sizes" test "$(wc -l <"$room/said")" -eq 4
printf 'before\n<!-- coll_plot -->\nold\n<!-- end of coll_plot -->\nafter\n' >"$room/page.md"
for _ in 1 2; do ends "insert" 0 "$room/base.csv" --insert "$room/page.md" --sizes 4; done
has "insert" "$room/page.md" "| bytes | shm |"
expect "the rest is as it was" test "$(sed -n '1p;$p' "$room/page.md" | tr '\n' ' ')" = "before after "
checks=$((checks + 1))
! grep -q old "$room/page.md" || fail "the old table is still there"

# --- the comparison -----------------------------------------------------------------------------------
ends "nothing changed" 0 "$room/base.csv" --against "$room/base.csv"
has "nothing changed" "$room/said" "12 cases compared: 0 worse, 0 better; 0 of the baseline were not measured"
ends "within the tolerances" 0 "$room/near.csv" --against "$room/base.csv"
ends "twice as slow" 1 "$room/slow.csv" --against "$room/base.csv"
has "twice as slow" "$room/said" "WORSE shm all_reduce automatic float sum private 2 ranks, 4 MiB"
has "twice as slow" "$room/said" "12 worse"
ends "allowed to be" 0 "$room/slow.csv" --against "$room/base.csv" --latency-tolerance 3 \
    --bandwidth-tolerance 3
awk -F, -v OFS=, 'NR == 1 { print $0, "offset"; next } { print $0, 4 }' "$room/slow.csv" >"$room/offset.csv"
ends "another offset is another case" 1 "$room/offset.csv" --against "$room/base.csv"
has "another offset is another case" "$room/said" "0 cases compared"
ends "better" 0 "$room/base.csv" --against "$room/slow.csv"
has "better" "$room/said" "12 better"

# --- mistakes -----------------------------------------------------------------------------------------
ends "no file" 2
ends "a file that is not there" 1 "$room/none.csv"
has "a file that is not there" "$room/said" "cannot read $room/none.csv"
ends "no such row" 1 "$room/base.csv" --where collective=gather
has "no such row" "$room/said" "no row has figures and meets the conditions"
ends "no condition" 2 "$room/base.csv" --where collective
ends "unknown quantity" 2 "$room/base.csv" --quantity colour
printf 'a,b\n1\n' >"$room/broken.csv"
ends "a broken file" 1 "$room/broken.csv"
has "a broken file" "$room/said" "broken.csv: line 2 has 1 cells, not 2"
ends "a page without marks" 1 "$room/base.csv" --insert "$room/base.csv"
ends "help" 0 --help

if [ "$failures" -gt 0 ]; then
    echo "coll_plot: $failures of $checks checks failed" >&2
    exit 1
fi
echo "coll_plot: $checks checks passed"
