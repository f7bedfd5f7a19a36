#!/bin/sh
# Everything that the wire and the service do on bad days, through the whole program: what can be overcome leaves nothing missing, what
# cannot is told and never looks whole, and no start arrives twice.
set -u
. "${GLUETOP_SRCDIR:-.}/tests/scenarios/lib.sh"
NOW=2026-11-30T12:00:00Z
small() { sim --account large --jobs 12 --runs 3000 --seed 1 --now $NOW "$@"; }

small
gt runs --since all -o json
is "no fault" 0 "$STATUS"
COUNT=$(python3 -c 'import json,sys; print(len(json.load(open(sys.argv[1]))["runs"]))' "$WORK/out")

for fault in '*:latency=20' 'GetJobRuns:throttle=30' '*:500,rate=0.2' '*:503html,rate=0.2' '*:reset,rate=0.2' '*:reset-after,rate=0.2' \
  '*:truncate,rate=0.2' '*:garbage,rate=0.15' '*:gzip' '*:empty-pages=2' '*:retry-after=1,count=2'; do
  small --fault "$fault"
  gt runs --since all -o json
  is "$fault is overcome" 0 "$STATUS"
  json "$fault: every run, once, and complete" \
    "d['complete'] is True and len(d['runs']) == $COUNT == len({(r['job'], r['id']) for r in d['runs']})"
done

for fault in 'GetJobRuns:500' 'GetJobRuns:repeat-token' 'GetJobRuns:truncate'; do
  small --jobs 2 --runs 400 --fault "$fault"
  gt runs --since all -o json
  is "$fault is told by the exit code" 5 "$STATUS"
  json "$fault does not look whole" 'd["complete"] is False and d["problems"] and all(p["message"] for p in d["problems"])'
done

small --fault 'GetJobRuns:denied'
gt runs --since all -o json
is "a refusal is told by the exit code" 4 "$STATUS"
json "a refusal names the permission" '"glue:GetJobRuns" in json.dumps(d["problems"])'

# A start that may have arrived: exit 6, and the service has seen it exactly once. gluetop looks for the run for a minute before it says
# so, which is why these go side by side, each in a world of its own.
start_case() (
  fault=$1
  . "${GLUETOP_SRCDIR:-.}/tests/scenarios/lib.sh"
  small --control --fault "$fault"
  job=$("$BUILD/gluetop" --endpoint-url "$URL" jobs -o json | python3 -c 'import json,sys; print(json.load(sys.stdin)["jobs"][0]["name"])')
  gt start "$job" --yes
  is "$fault: the outcome is not known" 6 "$STATUS"
  python3 -c 'import sys, urllib.request
sys.stdout.write(urllib.request.urlopen(sys.argv[1] + "/_sim/stats").read().decode())' "$URL" >"$WORK/out"
  json "$fault: it arrived exactly once" 'd["operations"]["StartJobRun"]["arrived"] == 1'
)

number=0 pids=
for fault in 'StartJobRun:reset-after' 'StartJobRun:truncate' 'StartJobRun:500' 'StartJobRun:503html' 'StartJobRun:throttle=0:0' 'StartJobRun:garbage'; do
  number=$((number + 1))
  start_case "$fault" >"$WORK/part.$number" 2>&1 &
  pids="$pids $!"
done
# shellcheck disable=SC2086 # a list of numbers is meant
wait $pids
for part in "$WORK"/part.*; do
  cat "$part"
  good=$(grep -c '^ok: ' "$part") wrong=$(grep -c '^NOT OK: ' "$part")
  PASSED=$((PASSED + good)) FAILED=$((FAILED + wrong))
  [ $((good + wrong)) -eq 2 ] || bad "a case of a lost start did not come to its end"
done
verdict
