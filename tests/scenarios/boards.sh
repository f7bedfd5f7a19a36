#!/bin/sh
# The boards as commands: the contract's members, and figures that are the same wherever they stand.
set -u
. "${GLUETOP_SRCDIR:-.}/tests/scenarios/lib.sh"

# The account's present is ours, so that windows mean the same to both.
sim --seed 1

# --- burn -----------------------------------------------------------------------------------------------------------
gt burn -o json
is "burn works" 0 "$STATUS"
cp "$WORK/out" "$WORK/burn.json"
json "burn is complete" 'd["complete"] is True and d["problems"] == []'
json "burn has every member of the contract" 'all(k in d for k in """active_runs dpu_now usd_per_hour_now dpu_hours usd usd_by_basis runs_unknown by_job by_day month_to_date_usd month_forecast_usd worst_case_usd""".split())'
json "a job has every member" 'd["by_job"] and all(k in d["by_job"][0] for k in "context job runs dpu_hours usd usd_by_basis runs_unknown share".split())'
json "the bases add up to the sum" 'abs(sum(d["usd_by_basis"].values()) - d["usd"]) < 1e-8 and set(d["usd_by_basis"]) == {"measured", "computed", "estimated"}'
json "what was spent before the window adds up and is a part of it" \
  '0 < d["usd_before_window"] < d["usd"] and abs(sum(j["usd_before_window"] for j in d["by_job"]) - d["usd_before_window"]) < 1e-6'
json "the jobs add up to the sum" 'abs(sum(j["usd"] for j in d["by_job"]) - d["usd"]) < 1e-6'
json "each job is the sum of its bases" 'all(abs(sum(j["usd_by_basis"].values()) - j["usd"]) < 1e-8 for j in d["by_job"])'
json "the days add up to the sum" 'abs(sum(x["usd"] for x in d["by_day"]) - d["usd"]) < 1e-6'
json "the classes add up to the sum" 'abs(sum(x["usd"] for x in d["by_class"]) - d["usd"]) < 1e-6'
json "shares are shares" 'abs(sum(j["share"] for j in d["by_job"]) - 1) < 1e-6'
json "dearest first" '[j["usd"] for j in d["by_job"]] == sorted((j["usd"] for j in d["by_job"]), reverse=True)'
json "it says what it covers" '"job runs only" in d["covers"]'
json "what failed, stopped and timed out is what did not succeed" 'abs(sum(x["usd"] for x in d["failed"]["by_state"].values()) - d["failed"]["usd"]) < 1e-8 and sum(x["runs"] for x in d["failed"]["by_state"].values()) == d["failed"]["runs"]'
json "unusual runs cost more than twice the usual" 'd["unusual"] and all(u["usd"] > 2 * u["usd_usual"] for u in d["unusual"])'
json "twelve stretches of cost per run" 'all(len(j["usd_per_run_trend"]) == 12 for j in d["by_job"])'
gt burn -o csv
is "burn as CSV" 0 "$STATUS"
cp "$WORK/out" "$WORK/burn.csv"
gt runs -o json
cp "$WORK/out" "$WORK/runs.json"
gt jobs -o json
cp "$WORK/out" "$WORK/jobs.json"
# Live runs go on from one call to the next; finished jobs must agree to the last nano-dollar.
python3 - "$WORK" <<'PY' >"$WORK/sums" 2>&1
import csv, json, sys
folder = sys.argv[1]
load = lambda name: json.load(open(f"{folder}/{name}.json"))
burn, runs, jobs = load("burn"), load("runs"), load("jobs")
sheet = {r["job"]: r for r in csv.DictReader(open(f"{folder}/burn.csv"))}
# and what began or ended while the questions were asked moves as well
edge = burn["as_of"][:15]  # ten minutes
live = {r["job"] for r in runs["runs"] if not r["finished"] or (r["completed_at"] or "")[:15] >= edge}
of_runs = {}
for r in runs["runs"]:
    of_runs.setdefault(r["job"], []).append(r["usd"])
of_jobs = {j["name"]: j for j in jobs["jobs"]}
checked = 0
for j in burn["by_job"]:
    name = j["job"]
    if name in live:
        continue
    want = sum(u for u in of_runs[name] if u is not None)
    assert abs(want - j["usd"]) < 5e-10 * max(1, j["runs"]), (name, want, j["usd"])
    assert abs(float(sheet[name]["usd"]) - j["usd"]) < 1e-9, (name, sheet[name])
    assert abs(of_jobs[name]["usd_in_window"] - j["usd"]) < 1e-9, (name, of_jobs[name])
    assert int(sheet[name]["runs"]) == j["runs"] == len(of_runs[name]), name
    parts = sum(float(sheet[name]["usd_" + b]) for b in ("measured", "computed", "estimated"))
    assert abs(parts - float(sheet[name]["usd"])) < 1e-9, name
    checked += 1
assert checked > 20, checked
PY
is "the same money in burn, its CSV, the list of runs and the list of jobs" 0 $?
[ ! -s "$WORK/sums" ] || cat "$WORK/sums"
gt burn
has "burn for people says what it rests on" "$WORK/out" "measured"
has "and what it covers" "$WORK/out" "job runs only"

# --- budgets, tags and quotas of the config file ---------------------------------------------------------------------
mkdir -p "$WORK/config/gluetop"
cat >"$WORK/config/gluetop/config" <<'INI'
budget_usd_month = 6000
budget_usd_day = 400
[tag orders]
jobs = orders-*
[quota eu-west-1]
runs = 50
dpu = 300
[price eu-west-1]
python = 1.00
INI
gt burn -o json
json "budgets" 'd["budget_month_usd"] == 6000 and d["budget_day_usd"] == 400'
json "a tag is the sum of its jobs" 'd["by_tag"][0]["tag"] == "orders" and abs(d["by_tag"][0]["usd"] - sum(j["usd"] for j in d["by_job"] if j["job"].startswith("orders-"))) < 1e-3'
gt collisions -o json
json "quotas" 'd["account"]["runs_limit"] == 50 and d["account"]["dpu_limit"] == 300 and d["account"]["limits_assumed"] is False'
json "each job has its peak against its limit" 'd["jobs"] and all(j["limit"] >= 1 and j["peak_runs"] >= 0 for j in d["jobs"]) and any(j["peak_runs"] >= j["limit"] for j in d["jobs"])'
json "no job ran more at once than the account" 'max(j["peak_runs"] for j in d["jobs"]) <= d["account"]["peak_runs"]'
json "bookmarked jobs that may run twice are warned about" 'all(w["limit"] > 1 for w in d["warnings"]) and d["warnings"]'
rm "$WORK/config/gluetop/config"

# --- timeline -------------------------------------------------------------------------------------------------------
gt timeline -o json
is "timeline works" 0 "$STATUS"
json "timeline has every member of the contract" 'all(k in d for k in "from to lanes dpu peak_dpu peak_at gaps".split())'
json "a lane has bars and plans" 'all(k in d["lanes"][0] for k in "job bars planned".split())'
json "a bar has its times" 'all(k in b for l in d["lanes"] for b in l["bars"] for k in "run_id state started_at began_at ended_at attempt".split())'
json "times are in their order" 'all((b["began_at"] or b["started_at"]) >= b["started_at"] and (b["ended_at"] or "9") >= (b["began_at"] or b["started_at"]) for l in d["lanes"] for b in l["bars"])'
json "something is planned" 'any(l["planned"] for l in d["lanes"])'
json "the peak is the curve's highest step" 'abs(max(s["dpu"] for s in d["dpu"]) - d["peak_dpu"]) < 1e-6'
json "the peak has its moment" 'd["from"] <= d["peak_at"] <= d["as_of"]'
gt timeline -o csv
has "timeline as CSV" "$WORK/out" "context,job,run_id,state,started_at,began_at,ended_at,attempt"

# --- collisions -----------------------------------------------------------------------------------------------------
gt collisions --since 7d -o json
is "collisions works" 0 "$STATUS"
json "collisions has every member of the contract" 'all(k in d for k in "past now predicted account".split())'
json "a past one" 'd["past"] and all(k in d["past"][0] for k in "job at kind run_id blocked_by waited_seconds".split())'
json "kinds are the contract's" 'set(p["kind"] for p in d["past"]) <= {"rejected", "failed", "queued", "account"}'
json "one that waits now" 'any(n["waiting"] > 0 and n["active"] >= n["limit"] and n["held_by"] for n in d["now"])'
json "what is expected is likely or not" 'all(0 <= p["confidence"] <= 1 and p["at"] >= d["as_of"][:16] for p in d["predicted"])'
json "the account" 'all(k in d["account"] for k in "active_runs runs_limit dpu dpu_limit peak_dpu peak_at".split())'
json "limits are read from Service Quotas" 'd["account"]["limits_assumed"] is False and d["account"]["runs_limit"] == 2000 and d["account"]["dpu_limit"] == 300'

# --- timeouts -------------------------------------------------------------------------------------------------------
gt timeouts --since 30d -o json
is "timeouts works" 0 "$STATUS"
json "timeouts has every member of the contract" 'all(k in d for k in "at_risk past advice".split())'
json "a run at risk" 'any(r["job"] == "clickstream-hourly" and r["risk"] in ("over", "likely") and 0.5 < r["used"] for r in d["at_risk"])'
json "used is elapsed by limit" 'all(abs(r["used"] - r["elapsed_seconds"] / (60 * r["timeout_minutes"])) < 0.01 for r in d["at_risk"])'
json "defaults are told" 'any(a["timeout_source"] == "default" and a["timeout_minutes"] in (480, 2880) for a in d["advice"])'
json "streaming has none" 'any(a["timeout_source"] == "none" and a["timeout_minutes"] is None and a["exposure_usd"] is None for a in d["advice"])'
json "percentiles are in their order" 'all(a["p50_seconds"] <= a["p95_seconds"] <= a["max_seconds"] for a in d["advice"] if a["runs"])'
json "too little history gives no advice" 'all(a["suggested_minutes"] is None for a in d["advice"] if a["runs"] < 5)'
json "what was killed has its cost" 'd["past"] and all(p["usd"] is None or p["usd"] >= 0 for p in d["past"])'

# --- check ----------------------------------------------------------------------------------------------------------
gt check -o json
is "check finds something" 1 "$STATUS"
json "items have every member of the contract" 'd["items"] and all(k in i for i in d["items"] for k in "severity job run_id reason since".split())'
json "worst first" '[i["severity"] for i in d["items"]] == sorted((i["severity"] for i in d["items"]), key=["error", "warning", "hint"].index)'
json "the failing job is there with its reason" 'any(i["job"] == "orders-silver" and "access denied" in i["reason"] for i in d["items"])'
sim --account empty
gt check -o json
is "check finds nothing in an empty account" 0 "$STATUS"
json "and says so" 'd["items"] == [] and d["jobs_watched"] == 0'
for board in burn timeline collisions timeouts; do
  gt $board -o json
  is "$board of an empty account" 0 "$STATUS"
  gt $board
  is "$board of an empty account for people" 0 "$STATUS"
done
sim --seed 1 --fault GetJobRuns:denied
gt burn -o json
is "burn without the right to read runs is refused" 4 "$STATUS"
json "and says that it is not complete" 'd["complete"] is False and d["problems"]'
gt check -o json
json "check says what it could not see" 'd["complete"] is False'

verdict
