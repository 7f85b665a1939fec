#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs the transport over MPI on simulated clusters of 16 ranks: right sums, in the time and the
# order that the counted cost predicts. Usage: order_test.sh COLL_PREDICT
set -u
bench=$(cd "$(dirname "$0")/../../bench/smpi" && pwd)
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
"$bench/run" "$room" 16 || exit
"$bench/check" "$1" "$room" >"$room/said" || { cat "$room/said"; exit 1; }
[ "$(grep -c '^213 of 213 pairs' "$room/said")" = 2 ] || { cat "$room/said"; exit 1; }
# Within 2 %, all 18 of them.
awk '/measured by predicted/ { ++rows; if ($5 < 0.98 || $7 > 1.02) { print; bad = 1 } } END { exit bad || rows != 18 }' \
    "$room/said" || { echo "not the predicted times"; exit 1; }
# What was measured in another order is found.
sed -i '/,ring,.*,1048576,/s/private,[0-9.]*/private,1.0/' "$room/smpi_flat_16.csv"
"$bench/check" "$1" "$room" >"$room/said" && { echo "another order passed"; exit 1; }
echo ok
