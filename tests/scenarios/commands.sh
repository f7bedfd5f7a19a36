#!/bin/sh
# The commands against the practice server: the contract of names, exit codes and completeness.
set -u
. "${GLUETOP_SRCDIR:-.}/tests/scenarios/lib.sh"

sim --seed 1
gt whoami -o json
is "whoami works" 0 "$STATUS"
json "whoami names the account" 'len(d["account"]) == 12 and d["arn"].startswith("arn:aws:") and d["region"] == "eu-west-1"'
json "whoami names the source" 'd["source"] == "environment" and d["region_source"] == "AWS_REGION"'

gt jobs -o json
is "jobs works" 0 "$STATUS"
json "jobs are complete" 'd["complete"] is True and d["problems"] == []'
json "jobs are some sixty" '50 <= len(d["jobs"]) <= 80'
json "a job has every member of the contract" 'all(k in d["jobs"][0] for k in """context name type mode glue_version worker_type workers max_capacity dpu execution_class timeout_minutes timeout_source max_concurrent_runs queuing max_retries auto_scaling bookmark schedule next_run_at last_run runs_in_window failed_in_window median_seconds p95_seconds usd_in_window usd_by_basis modified_at""".split())'

gt runs --since all -o json
is "every run of every job" 0 "$STATUS"
json "runs are complete" 'd["complete"] is True'
json "each exactly once" 'len(d["runs"]) == len({(r["job"], r["id"]) for r in d["runs"]}) > 1000'
json "a run has every member of the contract" 'all(k in d["runs"][0] for k in """context job id attempt previous_run_id state state_detail finished started_at began_at completed_at execution_seconds elapsed_seconds timeout_minutes worker_type workers max_capacity dpu dpu_seconds dpu_basis usd usd_basis execution_class glue_version trigger error error_kind stale fetched_at""".split())'
json "newest first" '[r["started_at"] for r in d["runs"]] == sorted((r["started_at"] for r in d["runs"]), reverse=True)'

gt runs --failed -o json
json "--failed" 'd["runs"] and all(r["state"] in ("FAILED","TIMEOUT","ERROR","EXPIRED") for r in d["runs"])'
gt runs --active -o json
json "--active" 'd["runs"] and not any(r["finished"] for r in d["runs"])'
gt runs --state SUCCEEDED --limit 3 -o json
json "--state and --limit" 'len(d["runs"]) == 3 and all(r["state"] == "SUCCEEDED" for r in d["runs"])'
gt runs -o csv
is "csv" 0 "$STATUS"
has "csv has the contract's names" "$WORK/out" "context,job,id,attempt"

gt job no-such-job
is "a job that is not there is refused" 4 "$STATUS"
gt start no-such-job --yes -o json
is "a start that is refused" 4 "$STATUS"
json "tells so in the answer" 'd["changed"][0]["result"] == "refused" and d["changed"][0]["message"]'
has "and on standard error" "$WORK/err" "gluetop: no-such-job refused"
gt frobnicate
is "a command that is not there is usage" 2 "$STATUS"
gt start orders-silver
is "a change without a terminal is refused" 2 "$STATUS"
gt start orders-silver --yes --read-only
is "a change under --read-only is refused" 2 "$STATUS"
gt start orders-silver --yes --context one@eu-west-1 --context two@eu-west-1
is "a change with two accounts open is refused" 2 "$STATUS"
has "and says why" "$WORK/err" "a command changes one"

# A run that was sized by hand can be repeated at another size: what the line says wins, the rest is the earlier run's.
gt start fraud-score --yes --worker-type G.2X --workers 3 -o json
is "start with a size" 0 "$STATUS"
LIKE=$(python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))["changed"][0]["run_id"])' "$WORK/out")
gt stop fraud-score "$LIKE" --yes
gt start fraud-score --yes --like "$LIKE" --workers 5 -o json
is "start like it, larger" 0 "$STATUS"
LIKE=$(python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))["changed"][0]["run_id"])' "$WORK/out")
gt run fraud-score "$LIKE" -o json
json "the worker type of the earlier run, the number of the line" 'd["worker_type"] == "G.2X" and d["workers"] == 5'

# A Python shell job has no workers: its size is a number of DPU, and stays what it was.
gt runs kpi-email --since 7d -o json
LIKE=$(python3 -c 'import json,sys; print([r["id"] for r in json.load(open(sys.argv[1]))["runs"] if r["finished"]][0])' "$WORK/out")
gt start kpi-email --yes --like "$LIKE" -o json
is "start like a run without workers" 0 "$STATUS"
gt runs kpi-email --since 7d -o json
json "has its capacity" 'd["runs"][0]["trigger"] is None and d["runs"][0]["worker_type"] is None and d["runs"][0]["dpu"] == 0.0625'

STATUS=$(AWS_SECRET_ACCESS_KEY=wrong; export AWS_SECRET_ACCESS_KEY; gt jobs; echo "$STATUS")
is "a wrong secret is a matter of credentials" 3 "$STATUS"
STATUS=$(unset AWS_ACCESS_KEY_ID; gt jobs; echo "$STATUS")
is "half a pair of keys" 3 "$STATUS"

# Several requests are in flight when the first answer tells that the clock is wrong: each is judged by the time it was signed with.
for skew in 900 -4000; do
  sim --seed 1 --fault "*:skew=$skew"
  gt runs -o json
  is "a clock that is $skew s off is learned" 0 "$STATUS"
  json "and nothing is missing ($skew)" 'd["complete"] is True and len(d["runs"]) > 100'
done

verdict
