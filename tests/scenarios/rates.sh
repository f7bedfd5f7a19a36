#!/bin/sh
# Prices from the Price List and quotas from Service Quotas: allowed, denied, silent, absurd, throttled, kept from day to day, refused by the config.
set -u
. "${GLUETOP_SRCDIR:-.}/tests/scenarios/lib.sh"

# asked OPERATION: how often it has arrived at the server
asked() {
  python3 -c 'import json,sys,urllib.request
d=json.load(urllib.request.urlopen(sys.argv[1]+"/_sim/stats"))
print(d["operations"].get(sys.argv[2],{}).get("arrived",0))' "$URL" "$1"
}
standard='[p for p in d["prices"] if p["class"] == "standard" and p["glue"] == "to 5.1"][0]'
runs='[q for q in d["account"]["quotas"] if q["quota"] == "runs"][0]'

sim --seed 1 --control --price ETL-DPU-Hour=0.4567
gt burn -o json --cache "$WORK/store"
is "burn asks" 0 "$STATUS"
json "and says what it was told, and of when" "$standard"' == {"region": "eu-west-1", "class": "standard", "glue": "to 5.1", "usd_per_dpu_hour": 0.4567, "estimated": False, "source": "price list", "from": "EU-ETL-DPU-Hour", "date": "2026-11-20"}'
json "nothing is estimated that is listed" 'all(not p["estimated"] for p in d["prices"] if p["class"] in ("standard", "flex", "memory"))'
json "sums rest on it" 'abs([c for c in d["by_class"] if c["class"] == "standard" and c["glue"] == "to 5.1"][0]["usd"] / [c for c in d["by_class"] if c["class"] == "standard" and c["glue"] == "to 5.1"][0]["dpu_hours"] - 0.4567) < 1e-4'
gt collisions -o json --cache "$WORK/store"
json "quotas are the account's" 'd["account"]["dpu_limit"] == 300 and d["account"]["dpu_limit_source"] == "service quotas" and d["account"]["limits_assumed"] is False'
json "each with its code" "$runs"' == {"quota": "runs", "code": "L-5E4153CA", "value": 2000, "source": "service quotas"} and d["account"]["quotas_read_at"] and d["account"]["quotas_error"] is None'
gt burn -o json --cache "$WORK/store"
gt runs -o json --cache "$WORK/store"
gt collisions -o json --cache "$WORK/store"
is "prices are asked once a day" 1 "$(asked GetProducts)"
is "quotas too" 1 "$(asked ListServiceQuotas)"
json "kept quotas hold" 'd["account"]["dpu_limit"] == 300'

# The same money everywhere, kept or not.
gt jobs -o json
cp "$WORK/out" "$WORK/jobs"
gt burn -o json
if python3 - "$WORK/jobs" "$WORK/out" <<'PY'
import json, sys
jobs, burn = (json.load(open(f)) for f in sys.argv[1:])
a = {j["name"]: j["usd_by_basis"] for j in jobs["jobs"]}
b = {j["job"]: j["usd_by_basis"] for j in burn["by_job"]}
live = {j["name"] for j in jobs["jobs"] if j["last_run"] and not j["last_run"]["finished"]}
done = set(b) - live
assert len(done) > 20 and all(abs(a[n][k] - b[n][k]) < 1e-6 for n in done for k in a[n]), [(n, a[n], b[n]) for n in done if a[n] != b[n]][:3]
PY
then ok "jobs and burn rest on the same prices"; else bad "jobs and burn rest on the same prices"; fi

mkdir -p "$WORK/config/gluetop"
printf '[price eu-west-1]\nstandard = 0.40\n[quota eu-west-1]\ndpu = 77\n' >"$WORK/config/gluetop/config"
gt burn -o json
json "the person goes before the list" "$standard"'["usd_per_dpu_hour"] == 0.4 and '"$standard"'["source"] == "config"'
gt collisions -o json
json "and before Service Quotas, for what was set alone" 'd["account"]["dpu_limit"] == 77 and d["account"]["dpu_limit_source"] == "config" and d["account"]["runs_limit_source"] == "service quotas"'
printf 'price_list = no\nservice_quotas = no\n' >"$WORK/config/gluetop/config"
before=$(asked GetProducts)/$(asked ListServiceQuotas)
gt burn -o json
json "not asked: built in" "$standard"'["source"] == "built in"'
gt collisions -o json
json "not asked: the defaults" 'd["account"]["dpu_limit"] == 1000 and d["account"]["dpu_limit_source"] == "default" and d["account"]["limits_assumed"] is True'
is "the config turns both off" "$before" "$(asked GetProducts)/$(asked ListServiceQuotas)"
rm "$WORK/config/gluetop/config"

sim --seed 1 --control --fault GetProducts:denied --fault ListServiceQuotas:denied
rm -rf "$WORK/store"
gt burn -o json --cache "$WORK/store"
is "denied: burn works all the same" 0 "$STATUS"
json "denied: whole, without a problem, built in" 'd["complete"] is True and d["problems"] == [] and '"$standard"'["source"] == "built in"'
gt collisions -o json --cache "$WORK/store"
is "denied: collisions works all the same" 0 "$STATUS"
json "denied: the defaults, and why" 'd["account"]["limits_assumed"] is True and "not authorized" in d["account"]["quotas_error"]'
gt burn --cache "$WORK/store"
gt collisions --cache "$WORK/store"
is "denied: not asked again the same day" "1 1" "$(asked GetProducts) $(asked ListServiceQuotas)"

sim --seed 1 --control --fault GetProducts:hang --fault ListServiceQuotas:hang
rm -rf "$WORK/store"
began=$(date +%s)
gt burn -o json --cache "$WORK/store"
is "silent: burn works all the same" 0 "$STATUS"
gt collisions -o json --cache "$WORK/store"
json "silent: the defaults" 'd["complete"] is True and d["account"]["dpu_limit"] == 1000'
gt burn -o json --cache "$WORK/store"
json "silent: built in" 'd["complete"] is True and '"$standard"'["source"] == "built in"'
is "silent: nobody waits twice" 1 "$(asked GetProducts)"
if [ $(($(date +%s) - began)) -lt 30 ]; then ok "silent: nobody waits long"; else bad "silent: nobody waits long"; fi

sim --seed 1 --price ETL-Flex-DPU-Hour=2900
gt burn -o json
json "absurd: nothing of the list is used" 'd["complete"] is True and all(p["source"] in ("built in", "by ratio") for p in d["prices"])'

sim --seed 1 --control --fault GetProducts:throttle --fault ListServiceQuotas:throttle
began=$(date +%s)
gt burn -o json
json "throttled: built in, and nothing of Glue is slower" 'd["complete"] is True and '"$standard"'["source"] == "built in"'
if [ $(($(date +%s) - began)) -lt 12 ]; then ok "throttled: nobody waits for the end of it"; else bad "throttled: nobody waits for the end of it"; fi

sim --seed 1 --control --fault GetProducts:empty-pages=2
gt burn -o json
json "empty pages: read to the end" "$standard"'["source"] == "price list"'

sim --seed 1 --control --fault GetProducts:repeat-token --fault ListServiceQuotas:repeat-token
gt burn -o json
json "a list without an end is not used" 'd["complete"] is True and '"$standard"'["source"] == "built in"'

sim --seed 1 --control --fault GetProducts:garbage --fault ListServiceQuotas:503html
gt burn -o json
json "garbage" 'd["complete"] is True and '"$standard"'["source"] == "built in"'
gt collisions -o json
json "a proxy's page" 'd["complete"] is True and d["account"]["limits_assumed"] is True'

# Another Region's prices are no business of this one: the list is asked by Region, and signed for where it lives.
sim --seed 1 --region any --control
gt burn -o json --region sa-east-1
json "each Region by itself" "$standard"'["usd_per_dpu_hour"] == 0.69 and '"$standard"'["from"] == "SAE1-ETL-DPU-Hour"'
gt burn -o json --region eu-south-1
json "a Region that the list does not have" "$standard"'["usd_per_dpu_hour"] == 0.52 and '"$standard"'["source"] == "built in"'
gt burn -o json --region us-gov-west-1
json "GovCloud: where there is an endpoint of one's own it is asked" 'd["complete"] is True and '"$standard"'["source"] == "built in"'

# The services' own endpoints go before the one for all.
mine=$URL
STATUS=0
AWS_ENDPOINT_URL="$mine" AWS_ENDPOINT_URL_PRICING=http://127.0.0.1:9 AWS_ENDPOINT_URL_SERVICE_QUOTAS=http://127.0.0.1:9 \
  "$BUILD/gluetop" burn -o json >"$WORK/out" 2>"$WORK/err" </dev/null || STATUS=$?
is "AWS_ENDPOINT_URL_PRICING leads elsewhere, and nowhere" 0 "$STATUS"
json "which is no trouble" 'd["complete"] is True and '"$standard"'["source"] == "built in"'

verdict
