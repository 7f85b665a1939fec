#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests coll_msccl as a program; the translation is tested in coll_msccl_rounds_test.cpp.
# Usage: coll_msccl_test.sh PROGRAM
set -u
msccl=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room" || exit 1
fail() { echo "FAILED: $*" >&2; cat out >&2; exit 1; }
ends() { local status=$1; shift; "$msccl" "$@" >out 2>&1; [ $? = "$status" ] || fail "$*"; }
says() { grep -qF -- "$1" out || fail "nothing says: $1"; }

ends 0 write ring 4 -o ring.xml
says "wrote ring.xml: 4 ranks, 4 chunks, 6 rounds, 24 messages, 6 chunks sent by the busiest rank"
python3 -c "import xml.dom.minidom as m; m.parse('ring.xml')" || fail "it is XML"
ends 0 read ring.xml -o my_ring.hpp
says "wrote my_ring.hpp: 4 ranks, 4 chunks, 6 rounds, 24 messages"
says "coll_show --load my_ring.hpp my_ring 4"

# --- a program proves and runs what was read
cat >program.cpp <<'EOF'
#include "my_ring.hpp"
#include <collectives/schedule.hpp>
static_assert(collectives::check(my_ring{}, 4).ok);
static_assert(!collectives::fits(my_ring{}, 5));
int main() {}
EOF
c++ -std=c++20 -I"$here/../../include" -fsyntax-only program.cpp >out 2>&1 || fail "the header compiles"

# --- an algorithm of the user's
ends 0 write --load "$here/pairwise.hpp" pairwise 5 -o pairwise.xml
ends 0 read pairwise.xml -o same.hpp
says "5 ranks, 5 chunks, 2 rounds, 40 messages"

# --- mistakes
sed 's/type="rrc"/type="r"/' ring.xml >wrong.xml
ends 1 read wrong.xml -o wrong.hpp
says "wrong.xml is wrong: a copy replaces contributions it does not hold"
[ ! -e wrong.hpp ] || fail "a wrong one is written"
ends 1 read none.xml -o none.hpp
says "cannot read none.xml"
ends 1 read "$here/ring_4_trace.json" -o none.hpp
says "it is no XML"
ends 2 read ring.xml -o 4.hpp
says '"4" is no name'
ends 2 read ring.xml -o my-ring.hpp
says '"my-ring" is no name'
ends 2 read ring.xml -o ring.hpp
says "the library has an algorithm ring"
ends 0 write ring 1 -o alone.xml
ends 1 read alone.xml -o alone.hpp
says "is for one rank"
ends 2 write rong 4 -o x.xml
ends 2 write automatic 4 -o x.xml
ends 2 write halving 300 -o x.xml
ends 2
ends 1 write ring 4 -o none/x.xml
says "cannot write none/x.xml"
echo ok
