#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests --load: pairwise.hpp, which no tool knows, goes through each of them, by the commands of
# docs/extending.md. Usage: load_test.sh FOLDER_OF_TOOLS [SGD_TRAINER]
# Parts take turns, by COLLECTIVES_TEST_SEED or else the day; all run with COLLECTIVES_TEST_ALL=1.
set -u
tools=$1
trainer=${2:-}
here=$(cd "$(dirname "$0")" && pwd)
tree=$(cd "$here/../.." && pwd)
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room" || exit 1
: >said
command -v c++ >/dev/null || { echo "skipped: there is no compiler c++"; exit 77; }
fail() { echo "FAILED: $*" >&2; cat said >&2; exit 1; }
# ends STATUS COMMAND...: what it says is in `said`.
ends() {
    local status=$1 got
    shift
    "$@" >said 2>&1
    got=$?
    [ $got = "$status" ] || fail "status $got instead of $status: $*"
}
says() { tr -s ' ' <said | grep -qF -- "$1" || fail "nothing says: $1"; }

export XDG_CACHE_HOME=$room/cache
unset CXX COLLECTIVES_INCLUDE COLLECTIVES_ALL_REDUCE
cache=$XDG_CACHE_HOME/collectives
cp "$here/pairwise.hpp" .
ln -s "$tree/data" data
# A compiler that writes down what it makes.
cat >counting <<'EOF'
#!/bin/sh
case " $* " in *" -shared "*) echo "$*" >>"${0%/*}/made" ;; *) echo "$*" >>"${0%/*}/read" ;; esac
exec c++ "$@"
EOF
chmod +x counting
made() { [ "$(wc -l <made)" = "$1" ] || fail "$2: $(wc -l <made) were compiled, not $1"; }

# --- many processes at once compile it once, and later ones not at all
: >made
pids=()
for i in 1 2 3 4 5 6; do
    CXX=$room/counting "$tools/coll_show" --load pairwise.hpp pairwise 5 >"said.$i" 2>&1 &
    pids+=($!)
done
for i in 1 2 3 4 5 6; do
    wait "${pids[$((i - 1))]}" || { cp "said.$i" said; fail "process $i of 6"; }
    cmp said.1 "said.$i" || fail "process $i says something else"
done
made 1 "six at once"
[ "$(ls "$cache")" = "$(printf 'lock\n%s' "$(cd "$cache" && ls pairwise-*.so)")" ] ||
    fail "the cache has more than one object and its lock: $(ls "$cache")"
cp said.1 said
says "pairwise: all_reduce over 5 ranks, 5 chunks, 8 rounds"
says "Proof: correct."
export CXX=$room/counting
ends 0 "$tools/coll_goal" pairwise 4 --load pairwise.hpp --bytes 1000 -o p.goal
made 1 "another tool"
says "4 ranks, 6 rounds, 6000 bytes sent by all, 1500 by the busiest"
ends 2 "$tools/coll_goal" pairwise 4 --load pairwise.hpp --collective broadcast --root 9 -o p.goal
says "coll_goal: there is no such size or root"
ends 0 "$tools/coll_goal" pairwise 1025 --load pairwise.hpp --collective reduce_scatter --bytes 1 -o p.goal
says "not proved: p.goal is of more than 1024 ranks"

# --- what is compiled is what is there now
sed -i 's/r < size - 1/r + 1 < size/' pairwise.hpp
ends 0 "$tools/coll_show" --load pairwise.hpp pairwise 5
made 2 "after a change"
mkdir other
cat >other/twice.hpp <<'EOF'
#include "name.hpp"
#include "../pairwise.hpp"
namespace mine {
struct twice : pairwise { static constexpr std::string_view name = its_name; };
}
EOF
echo '#define its_name "twice"' >other/name.hpp
ends 0 "$tools/coll_show" --load pairwise.hpp --load other/twice.hpp:mine::twice twice 5 --compare pairwise
made 3 "two headers"
ends 0 "$tools/coll_show" --load other/twice.hpp:::mine::twice twice 3
made 3 "the same type"
echo '#define its_name "thrice"' >other/name.hpp
ends 0 "$tools/coll_show" --load other/twice.hpp:mine::twice thrice 5
made 4 "after a change of what it includes"
for other in clang++ clang++-16; do
    if command -v $other >/dev/null; then
        CXX="$other -g0" ends 0 "$tools/coll_show" --load pairwise.hpp pairwise 5
        says "Proof: correct."
        [ "$(ls "$cache"/pairwise-*.so | wc -l)" = 3 ] || fail "another compiler makes another object"
        break
    fi
done

# --- installed, the tools find the headers beside them
mkdir -p prefix/bin
cp "$tools/coll_show" prefix/bin
cp -r "$tree/include" prefix
: >read
ends 0 prefix/bin/coll_show --load pairwise.hpp pairwise 5
grep -qF -- "-I$room/prefix/include" read || fail "took other headers: $(cat read)"
sed -i 's/^struct proof {/&\n    int more[7];/' prefix/include/collectives/schedule/proof.hpp
ends 1 prefix/bin/coll_show --load pairwise.hpp pairwise 5
says "these headers of the library are not those that the tool was built with"
COLLECTIVES_INCLUDE=$tree/include ends 0 prefix/bin/coll_show --load pairwise.hpp pairwise 5
COLLECTIVES_INCLUDE=$room ends 1 "$tools/coll_show" --load pairwise.hpp pairwise 5
says "collectives/schedule/step.hpp: No such file"

seed=$((10#${COLLECTIVES_TEST_SEED:-$(($(date +%s) / 86400))}))
turn() { [ -n "${COLLECTIVES_TEST_ALL:-}" ] || [ $((seed % 2)) = "$1" ]; }
echo "seed $seed: $(turn 0 && echo "refused texts, programs, prices") $(turn 1 && echo "numbers of ranks, wrong steps, the environment")"

# --- mistakes
before=$(ls "$cache")
ends 2 "$tools/coll_show" --load none.hpp pairwise 5
says 'coll_show: --load none.hpp: there is no file "none.hpp"'
ends 2 "$tools/coll_show" --load . pairwise 5
says 'there is no file "."'
cp pairwise.hpp my-own.hpp
ends 2 "$tools/coll_show" --load my-own.hpp pairwise 5
says 'no class is called "my-own"; write FILE:TYPE'
ends 2 "$tools/coll_show" --load 'pairwise.hpp:pairwise{}' pairwise 5
says 'no class is called "pairwise{}"'
CXX=/nonexistent/c++ ends 1 "$tools/coll_show" --load pairwise.hpp pairwise 5
says "cannot run the compiler /nonexistent/c++: No such file or directory"
CXX='' PATH=/nonexistent ends 1 "$tools/coll_show" --load pairwise.hpp pairwise 5
says 'there is no compiler c++ or g++; $CXX may name another'
if turn 0; then
    cp pairwise.hpp exchange.hpp
    ends 1 "$tools/coll_show" --load exchange.hpp pairwise 5
    grep -q "exchange.*has not been declared" said || fail "does not say that there is no such class"
    says "coll_show: --load exchange.hpp: $CXX refuses it; if its algorithm is not called ::exchange, name it with --load FILE:TYPE"
    sed 's/chunks(int size)/chunk(int size)/' pairwise.hpp >no_chunks.hpp
    ends 1 "$tools/coll_goal" --load no_chunks.hpp:pairwise pairwise 5 -o p.goal
    says "::pairwise models no collectives::algorithm"
    says "counts_its_chunks"
    sed 's/{to}});/{to});/' pairwise.hpp >typo.hpp
    ends 1 "$tools/coll_predict" 4 --load typo.hpp:pairwise
    grep -q "typo.hpp:[0-9]*:[0-9]*: error: " said || fail "the compiler's words are left out"
    sed 's/"pairwise"/"ring"/' pairwise.hpp >false_ring.hpp
    ends 2 "$tools/coll_perf" --load false_ring.hpp:pairwise
    says "coll_perf: --load false_ring.hpp:pairwise: add_algorithm: another algorithm is called ring"
    ends 2 "$tools/coll_show" --load pairwise.hpp --load exchange.hpp:pairwise pairwise 5
    says "another algorithm is called pairwise"
fi
ends 2 "$tools/coll_show" pairwise 5 --load
ends 2 "$tools/coll_show" pairwise 5
says 'there is no algorithm "pairwise"'
XDG_CACHE_HOME='' HOME='' ends 1 "$tools/coll_show" --load pairwise.hpp pairwise 5
says 'neither $XDG_CACHE_HOME nor $HOME is an absolute path'
chmod o+w "$cache"
ends 1 "$tools/coll_show" --load pairwise.hpp pairwise 5
says "others may write to $cache"
chmod o-w,g+w "$cache"
ends 1 "$tools/coll_show" --load pairwise.hpp pairwise 5
says "others may write to $cache"
chmod g-w "$cache"
[ -z "$(ls "$cache" | grep making)" ] || fail "something half made is left: $(ls "$cache")"
[ "$(comm -23 <(echo "$before") <(ls "$cache"))" = "" ] || fail "the cache has lost something"

if turn 1; then
    # --- an algorithm that is not for every number of ranks, and one with a parameter
    sed 's/"pairwise"/"even"/; s/^struct pairwise {/&\n    static constexpr bool fits(int size) { return size % 2 == 0; }/' pairwise.hpp >even.hpp
    even=(--load even.hpp:pairwise)
    ends 0 "$tools/coll_perf" "${even[@]}" --algorithm even --ranks 2 -e 8
    says "# Out of bounds values : 0 OK"
    for command in "coll_goal even 5 -o p.goal" "coll_predict 5 --algorithm even" "coll_show even 5" \
        "coll_perf --ranks 3 --algorithm even -e 8"; do
        # shellcheck disable=SC2086
        "$tools"/$command "${even[@]}" >said 2>&1 && fail "accepted: $command"
        says "even is not for "
    done
    ends 0 "$tools/coll_predict" 5 "${even[@]}" --algorithm all
    says "even is left out: it is not for 5 ranks"
    sed 's/"pairwise"/"turned"/; s/^struct pairwise {/&\n    int by = 1;\n    constexpr int parameter() const { return by; }/' \
        pairwise.hpp >turned.hpp
    ends 0 "$tools/coll_show" --load turned.hpp:pairwise turned:3 5
    says "turned:3: all_reduce over 5 ranks"
    ends 2 "$tools/coll_show" --load turned.hpp:pairwise turned 5
    says "turned:NUMBER"

    # --- a wrong algorithm: its last round is missing
    sed 's/"pairwise"/"short"/; s/r + 1 < size/r + 2 < size/' pairwise.hpp >short.hpp
    short=(--load short.hpp:pairwise)
    ends 1 "$tools/coll_show" "${short[@]}" short 5
    says "Proof: "
    for command in "coll_goal short 5 -o p.goal" "coll_predict 5 --algorithm short" \
        "coll_scale resnet20 --workers 5 --algorithm short" "coll_tune --ranks 3 --check --max 4" \
        "coll_perf --ranks 3 --algorithm short -e 8"; do
        # shellcheck disable=SC2086
        ends 1 "$tools"/$command "${short[@]}"
        grep -q "short.*\(no all_reduce over\|contribution\|correct\|wrong\)" said || fail "$command does not say why"
    done
fi

# --- the choice of `automatic` and the environment
if turn 1; then
    ends 0 env COLLECTIVES_ALL_REDUCE=pairwise "$tools/coll_tune" --load pairwise.hpp --check --min 64 --max 64
    says " pairwise, "
fi
if turn 0; then
    ends 0 "$tools/coll_tune" --load pairwise.hpp --check --min 64 --max 64
    head -n 20 said | grep -q "mixed_radix *pairwise *automatic takes" || fail "automatic does not price it"
fi

# --- the commands of the documentation, as they stand, with the header that it shows
page=$tree/docs/extending.md
section() { sed -n '/^### Without touching/,/^### In a program/p' "$page"; }
diff <(section | sed -n '/^```cpp$/,/^```$/p' | sed '1d;$d') <(sed 1d "$here/pairwise.hpp") >said ||
    fail "docs/extending.md shows another pairwise.hpp"
cp "$here/pairwise.hpp" .
PATH=$tools:${trainer:+${trainer%/*}:}$PATH
count=0
while read -r command; do
    case $command in export*) continue ;; *sgd_trainer*) [ -n "$trainer" ] || continue ;; esac
    words=" $command "
    name=$(grep -oE '(coll_[a-z]+|collrun)' <<<"$command" | head -n 1)
    [ -z "$name" ] || [ -x "$tools/$name" ] || continue    # left out where its packages are missing
    bash -c "$command" >said 2>&1
    status=$?
    [ $status = 0 ] || grep -q "built without the explorer's page" said || { [ $status = 77 ] && [ "$name" = coll_wire ]; } || fail "status $status: $words"
    if [ $status = 77 ]; then cat said; else count=$((count + 1)); fi
    case $command in
        *coll_show*--html*) [ $status != 0 ] || grep -q pairwise pairwise.html || fail "no page" ;;
        *coll_show*--plan*) says "pairwise" ;;
        *coll_show*) says "Proof: correct." ;;
        *coll_goal*) grep -q "^num_ranks 64" pairwise.goal || fail "no GOAL" ;;
        *coll_perf*) says "# Out of bounds values : 0 OK" ;;
        *coll_predict*) says " pairwise ring tree quickest" ;;
        *coll_wire*) [ $status = 77 ] || says " pairwise " ;;
        *sgd_trainer*) says "accuracy" ;;
    esac
done < <(section | sed '/^```cpp$/,/^```$/d' | sed -n 's/^    \([a-zA-Z].*\)$/\1/p' | sed 's/  *#.*//')
[ $count -ge 8 ] || fail "only $count commands of docs/extending.md ran"

# --- a rank that is not there, as the remainder of a negative number gives it
sed 's/pairwise/negative/; s/me + size - r - 1/me - r - 1/' "$here/pairwise.hpp" >negative.hpp
ends 1 "$tools/coll_show" --load negative.hpp negative 5
says "rank 0 waits in round 0 for rank -1, but the ranks are 0 to 4"

# --- programs that coll_perf starts
for transport in $(turn 0 && echo ucx mpi-mpich mpi-openmpi); do
    if [ $transport = ucx ]; then
        [ -x "$tools/collrun" ] && ldd "$tools/coll_perf" | grep -q libucp || continue
    else
        [ -x "$tools/coll_perf_${transport#mpi-}" ] || continue
    fi
    ends 0 coll_perf --transport $transport --load pairwise.hpp --algorithm pairwise --ranks 3 -b 4 -e 64 -f 16 \
        -n 2 -w 1 --time-limit 30
    says "# $transport, all_reduce, pairwise over 3 ranks"
    says "# Out of bounds values : 0 OK"
done
echo "ok, $count commands of docs/extending.md"
