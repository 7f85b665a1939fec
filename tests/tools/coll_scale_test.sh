#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests coll_scale. Usage: coll_scale_test.sh PROGRAM
set -u
scale=$1
here=$(cd "$(dirname "$0")" && pwd)
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }
is() {  # NAME VALUE EXPRESSION over $1, $2, ... of the words of the last line that begins with VALUE
    awk -v first="$2" '$1 == first { line = $0 } END { $0 = line; exit !('"$3"') }' "$room/out" || fail "$1"
}

# What is told of ResNet-50 with ring and fusion: 8 workers more than 6 times, 16 near 12 times.
"$scale" --csv "$room/steps.csv" --svg "$room/scale.svg" >"$room/out" || fail "runs"
grep -q '^# resnet50: 161 tensors, 25.6 M floats; 30 us a round, 0.8 ns a byte; 32 samples' "$room/out" || fail "says what"
is "8 workers" 8 '$5 > 6 && $5 < 8'
is "16 workers" 16 '$5 > 11 && $5 < 13'
is "star does not scale" 4096 '$2 < 1'
is "ring is behind circulant where rounds count" 4096 '$6 > 2 * $5'
[ "$(grep -c '^ *4096 ' "$room/out")" = 4 ] || fail "four ways"
[ "$(wc -l <"$room/steps.csv")" = $((1 + 4 * 13 * 5)) ] || fail "a row for each step"
python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' "$room/scale.svg" || fail "XML"
[ "$(grep -c '<title>' "$room/scale.svg")" = 4 ] || fail "four pictures"
! grep -qE 'nan|inf' "$room/scale.svg" "$room/steps.csv" || fail "a bad number"

# What was measured once is drawn again: the picture of the documents, of what stands in its table.
measured=$here/../../bench/results/scale/resnet50.csv
"$scale" --measured "$measured" --csv "$room/again.csv" --svg "$room/again.svg" >"$room/out" || fail "measured"
figures() { grep -v ',measurement,' "$1"; grep ',measurement,' "$1" | cut -d, -f1-8; }
cmp <(figures "$room/again.csv") <(figures "$measured") || fail "other figures than the file's"
cmp "$room/again.svg" "$here/../../docs/pictures/scale.svg" || fail "the picture of the documents is another one"
"$scale" --measured "$measured" --measure 2 >"$room/out" 2>&1; [ $? = 2 ] || fail "measured and to be measured"

# Prices and models that are given. VGG-16's two ranks: 2 s of rounds, 553 MB.
"$scale" "$here/../../tools/coll_scale/models/vgg16.csv" --workers 2 --algorithm ring --alpha 1 --beta 0 \
    --gamma 0 --copy 0 --batch 1 --flops 92581748736 >"$room/out" || fail "prices"
is "2 workers" 2 '$2 > 0.6 && $2 < 0.7'   # 1 s of computation, 2 s of one bucket

# The small-batch case: slower than one worker, and cured; what is measured is near, in slow motion.
"$scale" resnet20 --split --workers 4 --algorithm ring --cures --measure 4 --transport threads --slow 20 --steps 3 \
    >"$room/out" 2>/dev/null || fail "cures"
awk -F'|' '/each tensor by itself \|/ { slow = $4; seen = $6 } /16 passes/ { quick = $4; cured = $6 }
    END { exit !(slow > 6 && seen > 6 && quick < 0.4 && cured < 1) }' "$room/out" || fail "$(cat "$room/out")"

# Installed, it finds what is installed beside it.
mkdir -p "$room/there/bin" "$room/there/share/collectives/models"
cp "$scale" "$room/there/bin/coll_scale"
cp "$here/../../tools/coll_scale/models/vgg16.csv" "$room/there/share/collectives/models/mine.csv"
"$room/there/bin/coll_scale" mine --workers 2 | grep -q '^# mine: 32 tensors' || fail "installed"
"$room/there/bin/coll_scale" vgg16 2>&1 | grep -q "no model 'vgg16': .*/there/share/collectives/models has mine" || fail "its own models"

"$scale" nothing 2>&1 | grep -q "no model 'nothing': .* resnet50" || fail "names its models"
"$scale" --workers 0 >/dev/null 2>&1; [ $? = 2 ] || fail "no workers are refused"
"$scale" --cures >/dev/null 2>&1; [ $? = 2 ] || fail "cures of which"
"$scale" --algorithm sphere >/dev/null 2>&1; [ $? = 2 ] || fail "unknown algorithms are refused"
"$scale" --network smoke >/dev/null 2>&1; [ $? = 2 ] || fail "unknown networks are refused"
"$scale" --flops nan >/dev/null 2>&1; [ $? = 2 ] || fail "a rate is a number"
"$scale" --workers 2 --measure 2 --flops 1 2>&1 | grep -q 'more than an hour' || fail "what takes too long is not measured"
"$scale" --batch -1 >/dev/null 2>&1; [ $? = 2 ] || fail "batches are positive"
python3 "$here/../../tools/coll_scale/models/generate" "$room" || fail "generates"
for model in "$room"/resnet50.csv "$room"/vgg16.csv "$room"/gpt2_small.csv "$room"/resnet20.csv; do
    cmp "$model" "$here/../../tools/coll_scale/models/$(basename "$model")" || fail "is what is generated"
done
echo ok
