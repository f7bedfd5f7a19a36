#!/bin/sh
# Servers that are not ours: odd pages, unknown members, missing operations, repeated tokens, silence; accounts from files; moto.
set -u
. "${GLUETOP_SRCDIR:-.}/tests/scenarios/lib.sh"

# other COMMAND ARGS: a server that says "listening on URL" and ends with its input
other() {
  sim_stop
  rm -f "$WORK/said" "$WORK/keep"
  mkfifo "$WORK/said" "$WORK/keep"
  "$@" <"$WORK/keep" >"$WORK/said" 2>"$WORK/sim.err" &
  SIM_PID=$!
  exec 8>"$WORK/keep"
  line=
  read -r line <"$WORK/said" || true
  URL=${line#listening on }
}
odd() { other python3 "${GLUETOP_SRCDIR:-.}/tests/scenarios/odd_server.py" "$@"; }

odd
gt jobs -o json
is "odd pages of jobs" 0 "$STATUS"
json "every job once" 'd["complete"] is True and len(d["jobs"]) == 10 == len({j["name"] for j in d["jobs"]})'
gt runs --since all -o json
is "odd pages of runs" 0 "$STATUS"
json "every run once" 'd["complete"] is True and len(d["runs"]) == 290 == len({(r["job"], r["id"]) for r in d["runs"]})'
json "newest first whatever the order of the pages" '[r["started_at"] for r in d["runs"]] == sorted((r["started_at"] for r in d["runs"]), reverse=True)'
json "an unknown state stands by its name, and is not finished" \
  'any(r["state"] == "PONDERING" and r["finished"] is False for r in d["runs"])'
json "an unknown worker type has no DPU and no price" 'all(r["dpu"] is None and (r["usd_basis"] == "unknown" or r["usd"] == 0) for r in d["runs"])'
gt runs "日次 集計" --since all -o json
json "a name beyond ASCII" 'len(d["runs"]) == 29'
gt runs "with/slash and blank" --since all -o csv
is "a name with a slash" 0 "$STATUS"

odd only-list
gt jobs -o json
json "without GetJobs: ListJobs and BatchGetJobs" 'len(d["jobs"]) == 10'
gt runs --since all -o json
json "and every run" 'len(d["runs"]) == 290'

odd repeat
gt runs --since all -o json
is "a repeated token is trouble" 5 "$STATUS"
json "it ends, every run once, not complete" 'd["complete"] is False and d["problems"] and len(d["runs"]) == len({(r["job"], r["id"]) for r in d["runs"]})'

odd no-sts
gt runs --since all -o json
json "without STS the runs are read all the same" 'len(d["runs"]) == 290'
gt start job-00 --yes
if [ "$STATUS" -ne 0 ]; then ok "and nothing is changed"; else bad "and nothing is changed" "start ended in 0"; fi

exec 8>&-
sim_stop

# Accounts as files: whatever stands in them, an answer in JSON and never a crash.
shared=${GLUETOP_SHARED:-${GLUETOP_SRCDIR:-.}/../shared}/cases/inputs
if [ -d "$shared" ]; then
  for file in "$shared"/*.json; do
    name=$(basename "$file")
    python3 -c 'import json,sys
d = json.load(open(sys.argv[1]))
sys.exit(0 if isinstance(d, dict) and isinstance(d.get("Jobs", d.get("JobRuns")), list) else 1)' "$file" 2>/dev/null || continue
    sim --account "$file"
    gt jobs -o json
    json "$name: jobs" "$STATUS in (0, 5) and isinstance(d['jobs'], list)"
    gt runs --since all -o json
    json "$name: runs" "$STATUS in (0, 5) and isinstance(d['runs'], list)"
    gt runs --since all
    is "$name: as a table without control bytes" 0 "$(LC_ALL=C tr -d '\n\t\040-\176\200-\377' <"$WORK/out" | wc -c)"
  done
else
  echo "the folder of shared cases is not here: its inputs were not read"
fi
sim_stop

if python3 -c 'import moto.server, boto3' 2>/dev/null; then
  other python3 -c 'import sys, boto3
from moto.server import ThreadedMotoServer
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
url = "http://%s:%d" % server.get_host_and_port()
glue = boto3.client("glue", endpoint_url=url, region_name="eu-west-1")
for i in range(3):
    glue.create_job(Name="moto-%d" % i, Role="arn:aws:iam::123456789012:role/x", Command={"Name": "glueetl", "ScriptLocation": "s3://x/y.py"})
glue.start_job_run(JobName="moto-1")
print("listening on " + url, flush=True)
sys.stdin.read()'
  gt jobs -o json
  json "moto: the jobs" '{j["name"] for j in d["jobs"]} == {"moto-0", "moto-1", "moto-2"}'
  gt runs moto-1 --since all -o json
  json "moto: the run" 'len(d["runs"]) == 1 and d["runs"][0]["job"] == "moto-1"'
  gt whoami -o json
  json "moto: who" 'd["account"] == "123456789012"'
  exec 8>&-
else
  echo "moto is not here: it was not asked"
fi
verdict
