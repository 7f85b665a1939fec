#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests collrun: statuses, output, signals, and that nothing is left behind. With a program of ranks,
# also that these meet. Usage: collrun_test.sh COLLRUN [RANK_PROGRAM]
set -u
run=$1
rank=${2:-}
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
failures=0
fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}
# ends STATUS NAME ARGUMENT...: collrun ends with the status; its output is in $room/out and /err.
ends() {
    local wanted=$1 name=$2
    shift 2
    timeout 30 "$run" "$@" >"$room/out" 2>"$room/err"
    local got=$?
    [ "$got" = "$wanted" ] || { fail "$name: status $got, not $wanted"; cat "$room/err" >&2; }
}
says() { grep -qF -- "$2" "$room/err" || { fail "$1: no '$2' but"; cat "$room/err" >&2; }; }
# prints NAME LINE...: standard output is these lines, in any order of the ranks.
prints() {
    local name=$1
    shift
    diff <(sort "$room/out") <(printf '%s\n' "$@" | sort) >&2 || fail "$name: other output"
}
# gone NAME: nobody whom this test has started, by its own mark, lives. (A killed one may take a moment.)
mark="collrun_test_$$"
gone() {
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        grep -lqsz "MARK=$mark" /proc/[0-9]*/environ || return
        sleep 0.1
    done
    fail "$1: a process is left"
}
# marked COMMAND...: runs it with a mark by which its processes are known.
marked() { env MARK="$mark" "$@"; }
# shellcheck disable=SC2016   # the ranks' own variables
{
me='$COLLECTIVES_RANK'

# --- what the ranks are given --------------------------------------------------------------------
ends 0 "environment" -n 3 sh -c "echo $me of \$COLLECTIVES_SIZE, \$COLLECTIVES_LOCAL_RANK of \$COLLECTIVES_LOCAL_SIZE"
prints "environment" "[0] 0 of 3, 0 of 3" "[1] 1 of 3, 1 of 3" "[2] 2 of 3, 2 of 3"
ends 0 "a job's name" -n 3 --no-prefix sh -c 'echo $COLLECTIVES_JOB'
[ "$(sort -u "$room/out" | wc -l)" = 1 ] || fail "one name for all"
first=$(head -1 "$room/out")
ends 0 "another job's name" -n 1 --no-prefix sh -c 'echo $COLLECTIVES_JOB'
[ "$(cat "$room/out")" != "$first" ] || fail "another name for another job"
ends 0 "transport" -n 1 --transport ucx sh -c 'echo $COLLECTIVES_TRANSPORT'
prints "transport" "[0] ucx"
ends 0 "no transport" -n 1 sh -c 'echo "${COLLECTIVES_TRANSPORT-none}"'
prints "no transport" "[0] none"
RANK=7 WORLD_SIZE=9 SLURM_PROCID=3 PMI_RANK=1 COLLECTIVES_RANK=5 COLLECTIVES_SECRET_FILE=x \
    ends 0 "what another launcher said is gone" -n 1 \
    sh -c 'echo "${RANK-no} ${WORLD_SIZE-no} ${SLURM_PROCID-no} ${PMI_RANK-no} $COLLECTIVES_RANK ${COLLECTIVES_SECRET_FILE-no}"'
prints "what another launcher said is gone" "[0] no no no no 0 no"

# --- where ranks run -----------------------------------------------------------------------------
ends 0 "bound" -n 1 --bind core --report-bindings sh -c 'grep Cpus_allowed_list /proc/self/status'
grep -qE '^\[0\] Cpus_allowed_list:\s[0-9]+$' "$room/out" ||
    grep -q "processors" "$room/err" || fail "one core: $(cat "$room/out")"    # or a core of several processors
says "bound" "collrun: rank 0 runs on core "
ends 0 "not bound" -n 2 --report-bindings true
says "not bound" "collrun: rank 1 runs on any processor"
ends 0 "nodes are shared" -n 5 --bind numa true
ends 1 "too few cores" -n 4096 --bind core true
says "too few cores" "4096 ranks cannot be bound to cores of their own: this process may use"
HWLOC_SYNTHETIC="core:1 pu:1(indexes=1000)" ends 1 "a core that is not there" -n 1 --bind core true
says "a core that is not there" "rank 0 cannot be bound to core 0"
ends 2 "an unknown way to bind" -n 1 --bind socket true

# --- descriptors ---------------------------------------------------------------------------------
# Beside what collrun itself was given: the secret for all, and the door for rank 0.
exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
ends 0 "descriptors" -n 3 bash -c \
    'cd /proc/$$/fd; for d in *; do [ $d -gt 2 ] && readlink $d; done | sed "s/[0-9]*//g" | grep -v /home | sort | tr "\n" " "; echo'
grep -q '^\[0\] .*memfd:collrun-secret (deleted) .*socket:' "$room/out" || fail "rank 0's descriptors: $(cat "$room/out")"
grep '^\[[12]\]' "$room/out" | grep -q socket && fail "the door is for rank 0"
[ "$(grep -c 'memfd:collrun-secret' "$room/out")" = 3 ] || fail "the secret is for all"
ends 0 "secret" -n 2 sh -c 'wc -c </proc/self/fd/$COLLECTIVES_SECRET_FD; printf x >/proc/self/fd/$COLLECTIVES_SECRET_FD || true'
prints "secret" "[0] 32" "[1] 32"
says "nobody changes the secret" "[1] sh:"

# --- output and input ----------------------------------------------------------------------------
ends 0 "two streams" -n 2 sh -c "echo out; echo err >&2"
prints "two streams" "[0] out" "[1] out"
says "two streams" "[1] err"
ends 0 "a line without its end" -n 1 printf 'one\ntwo'
prints "a line without its end" "[0] one" "[0] two"
ends 0 "as it is" -n 2 --no-prefix printf 'x'
[ "$(cat "$room/out")" = xx ] || fail "as it is: $(cat "$room/out")"
ends 0 "lines stay whole" -n 4 sh -c 'for i in $(seq 500); do printf aaaaaaaaaa; printf "bbbbbbbbbb\n"; done'
[ "$(grep -cE '^\[[0-3]\] aaaaaaaaaabbbbbbbbbb$' "$room/out")" = 2000 ] || fail "lines stay whole"
ends 0 "much output" -n 2 sh -c "head -c 5000000 /dev/zero | tr '\\0' x"
[ "$(tr -cd x <"$room/out" | wc -c)" = 10000000 ] || fail "much output"
echo typed | ends 0 "input" -n 3 cat
prints "input" "[0] typed"

# --- statuses ------------------------------------------------------------------------------------
ends 0 "all is well" -n 4 true
ends 3 "a status" -n 3 sh -c "[ $me != 1 ] || exit 3; exec sleep 60"
says "a status" "collrun: rank 1 ended with status 3; the others are being ended"
ends 3 "quiet" -q -n 3 sh -c "[ $me != 1 ] || exit 3; exec sleep 60"
[ ! -s "$room/err" ] || fail "quiet: $(cat "$room/err")"
ends 137 "a signal" -n 3 sh -c "[ $me != 2 ] || kill -9 \$\$; exec sleep 60"
says "a signal" "rank 2 was ended by signal 9 (Killed)"
ends 0 "one ends early" -n 2 sh -c "[ $me = 0 ] || sleep 0.3"
ends 127 "no such program" -n 2 no_such_program
says "no such program" "cannot run no_such_program: No such file or directory"
ends 126 "no program" -n 2 /etc/passwd
says "no program" "Permission denied"
ends 2 "no ranks" true
says "no ranks" "--ranks is required"
ends 2 "zero ranks" -n 0 true
ends 2 "nothing to run" -n 2
says "nothing to run" "which program?"
ends 2 "a name that is empty" -n 2 ''
ends 2 "no grace time" -n 2 --grace nan true
ends 2 "no such option" -n 2 --wrong true
says "no such option" "there is no option --wrong"
ends 2 "no such transport" -n 2 --transport pigeon true
ends 0 "a program's own options" -n 1 echo -n --ranks
ends 0 "after --" -n 1 -- echo yes
prints "after --" "[0] yes"
ends 0 "help" --help
grep -q -- '--no-prefix' "$room/out" || fail "help"

# --- the end of a job ----------------------------------------------------------------------------
begin=$SECONDS
marked "$run" -q --grace 0.5 -n 3 sh -c "[ $me != 1 ] || exit 4; trap '' TERM; while :; do sleep 0.05; done"
[ $? = 4 ] || fail "who does not hear SIGTERM: status"
[ $((SECONDS - begin)) -lt 4 ] || fail "who does not hear SIGTERM: $((SECONDS - begin)) s"
gone "who does not hear SIGTERM"
marked "$run" -n 2 sh -c 'sleep 60 & exit 0' || fail "what ranks leave behind: status"
gone "what ranks leave behind"
marked "$run" -q -n 2 sh -c "[ $me != 1 ] || exit 5; sleep 60; true"
[ $? = 5 ] || fail "what ended ranks leave behind: status"
gone "what ended ranks leave behind"

# told SIGNAL STATUS PROGRAM: collrun is sent the signal once its two ranks have said "ready".
told() {
    : >"$room/out"
    # A shell lets what it starts in the background ignore SIGINT.
    MARK="$mark" env --default-signal=INT "$run" -n 2 sh -c "$3" >"$room/out" 2>"$room/err" &
    local job=$!
    for _ in $(seq 100); do
        [ "$(grep -c ready "$room/out")" = 2 ] && break
        sleep 0.05
    done
    kill "-$1" $job
    wait $job
    local got=$?
    [ $got = "$2" ] || fail "SIG$1: status $got, not $2"
    gone "SIG$1"
}
told TERM 143 'echo ready; exec sleep 60'
[ ! -s "$room/err" ] || fail "who is told to end does not complain: $(cat "$room/err")"
told INT 7 'trap "echo caught; exit 7" INT; echo ready; while :; do sleep 0.05; done'
[ "$(grep -c caught "$room/out")" = 2 ] || fail "SIGINT reaches all"
told USR1 0 'trap "echo caught; exit 0" USR1; echo ready; while :; do sleep 0.05; done'
[ "$(grep -c caught "$room/out")" = 2 ] || fail "SIGUSR1 reaches all"
told KILL 137 'echo ready; exec sleep 60'
marked "$run" -n 4 sh -c 'while :; do echo line; done' 2>/dev/null | head -1 >/dev/null
gone "whose reader goes"
}

# --- ranks that meet -----------------------------------------------------------------------------
if [ -n "$rank" ]; then
    for way in shm join meet; do
        ends 0 "$way" -n 1 "$rank" $way
        ends 0 "$way" -n 5 "$rank" $way
        [ "$(grep -cE '^\[([0-4])\] rank \1 (counts|met) 5$' "$room/out")" = 5 ] || fail "$way"
    done
    ends 0 "join over shm" -n 2 --transport shm "$rank" join
    ends 1 "join over what the program lacks" -n 1 --transport ucx "$rank" join
    says "join over what the program lacks" "COLLECTIVES_TRANSPORT is 'ucx'"
fi

[ $failures = 0 ] && echo ok
exit $((failures > 0))
