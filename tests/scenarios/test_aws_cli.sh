#!/bin/sh
# The AWS command line against gluesim: a client none of us wrote signs, pages and decodes, and must not notice.
set -u

say() { echo "test_aws_cli: $*"; }
gluesim=${GLUETOP_BUILDDIR:-.}/gluesim
[ -x "$gluesim" ] || { say "no gluesim in ${GLUETOP_BUILDDIR:-.}"; exit 77; }
command -v aws > /dev/null 2>&1 || { say "no aws command here"; exit 77; }

room=$(mktemp -d) || exit 1
mkfifo "$room/parent" "$room/told"
failed=0

# gluesim ends when the far end of this pipe does, whatever becomes of this script.
"$gluesim" --seed 1 --parent-fd 3 3< "$room/parent" > "$room/told" &
server=$!
exec 9> "$room/parent"
read -r line < "$room/told" || line=
url=${line#listening on }
trap 'exec 9>&-; wait "$server"; rm -rf "$room"' EXIT
case $url in
http://127.0.0.1:*) ;;
*) say "gluesim said: $line"; exit 1 ;;
esac

aws() {
  env -i PATH="$PATH" HOME="$room" AWS_ACCESS_KEY_ID=AKIAGLUESIMDEMO00001 \
    AWS_SECRET_ACCESS_KEY="${secret:-gluesim/demo/secret/opens/nothing/else00}" AWS_DEFAULT_REGION="${region:-eu-west-1}" \
    AWS_EC2_METADATA_DISABLED=true AWS_MAX_ATTEMPTS=1 AWS_PAGER= \
    "$(command -v aws)" --endpoint-url "$url" --output text "$@" 2> "$room/err"
}

# check NAME GOT WANTED
check() {
  if [ "$2" = "$3" ]; then
    say "ok: $1"
  else
    say "FAILED: $1: got '$2', wanted '$3'"
    sed 's/^/  /' "$room/err"
    failed=1
  fi
}

# refused NAME PATTERN COMMAND...
refused() {
  name=$1 pattern=$2
  shift 2
  if aws "$@" > /dev/null; then
    check "$name" "accepted" "a refusal"
  elif grep -q "$pattern" "$room/err"; then
    say "ok: $name"
  else
    check "$name" "$(tail -1 "$room/err")" "$pattern"
  fi
}

check "who am I" "$(aws sts get-caller-identity --query Account)" 441290129012
check "names of jobs" "$(aws glue list-jobs --query 'length(JobNames)')" 60
check "jobs, page by page" "$(aws glue get-jobs --page-size 11 --query 'length(Jobs)' | awk '{ n += $1 } END { print n }')" 60
check "a job's definition" "$(aws glue get-job --job-name clickstream-hourly --query 'Job.[Timeout,WorkerType,MaxCapacity]')" \
  "$(printf '120\tG.1X\t10.0')"
check "several jobs" "$(aws glue batch-get-jobs --job-names orders-gold nobody --query '[length(Jobs),JobsNotFound[0]]')" \
  "$(printf '1\tnobody')"
check "states of runs" "$(aws glue get-job-runs --job-name finance-close --no-paginate --max-results 2 --query 'JobRuns[].JobRunState')" \
  "$(printf 'WAITING\tRUNNING')"
check "triggers" "$(aws glue get-triggers --page-size 20 --query 'Triggers[?Name==`partner-daily`].State')" DEACTIVATED
check "bookmark" "$(aws glue get-job-bookmark --job-name customers-dim --query JobBookmarkEntry.JobName)" customers-dim
check "tags" "$(aws glue get-tags --resource-arn arn:aws:glue:eu-west-1:441290129012:job/orders-gold --query Tags.team)" orders

products() { aws pricing get-products --service-code AWSGlue --filters "Type=TERM_MATCH,Field=regionCode,Value=eu-west-1" "$@"; }
check "products of a Region" "$(products --query 'length(PriceList)')" 15
check "products, page by page" "$(products --page-size 4 --query 'length(PriceList)' | awk '{ n += $1 } END { print n }')" 15
check "a product is a text that is JSON" "$(products --filters Type=TERM_MATCH,Field=regionCode,Value=eu-west-1 \
  Type=TERM_MATCH,Field=operation,Value=FlexJobrun --output json |
  python3 -c 'import json,sys
l=[json.loads(p) for p in json.load(sys.stdin)["PriceList"]]
print(sorted((p["product"]["attributes"]["usagetype"], [d["pricePerUnit"]["USD"] for t in p["terms"]["OnDemand"].values() for d in t["priceDimensions"].values()][0]) for p in l))')" \
  "[('EU-ETL-Flex-DPU-Hour', '0.2900000000'), ('EU-ETL-Flex-DPU-Hour-Gen2', '0.2030000000')]"
region=us-east-1
check "the price list is asked where it lives" "$(products --query 'length(PriceList)')" 15
region=ap-east-1
refused "and nowhere else" "InvalidSignatureException.*valid region" pricing get-products --service-code AWSGlue
region=eu-west-1
check "quotas, page by page" "$(aws service-quotas list-service-quotas --service-code glue --page-size 4 \
  --query 'Quotas[?QuotaCode==`L-08F3B322` || QuotaCode==`L-5E4153CA`].Value' | tr '\n' ' ')" "2000.0 300.0 "
check "one quota" "$(aws service-quotas get-service-quota --service-code glue --quota-code L-08F3B322 --query 'Quota.[QuotaName,Value]')" \
  "$(printf 'Max task DPUs per account\t300.0')"
check "the default of it" "$(aws service-quotas list-aws-default-service-quotas --service-code glue \
  --query 'Quotas[?QuotaCode==`L-08F3B322`].Value')" 1000.0
refused "quotas of another service" NoSuchResourceException service-quotas list-service-quotas --service-code ec2

run=$(aws glue start-job-run --job-name promo-planner --arguments '{"--day":"2026-11-30"}' --query JobRunId)
case $run in
jr_*) say "ok: a start gives a run id" ;;
*) check "a start gives a run id" "$run" "jr_…" ;;
esac
check "the run is there" "$(aws glue get-job-run --job-name promo-planner --run-id "$run" --query 'JobRun.Arguments."--day"')" 2026-11-30
refused "a second start meets the limit" "ConcurrentRunsExceededException.*Concurrent runs exceeded for promo-planner" \
  glue start-job-run --job-name promo-planner
check "stop" "$(aws glue batch-stop-job-run --job-name promo-planner --job-run-ids "$run" jr_none \
  --query '[length(SuccessfulSubmissions),Errors[0].ErrorDetail.ErrorCode]')" "$(printf '1\tEntityNotFoundException')"
check "it is on its way out" "$(aws glue get-job-run --job-name promo-planner --run-id "$run" --query JobRun.JobRunState)" STOPPING

role=arn:aws:iam::441290129012:role/GlueEtlRole-bi
check "update" "$(aws glue update-job --job-name promo-planner --job-update \
  "Role=$role,Command={Name=glueetl,ScriptLocation=s3://b/k},WorkerType=G.2X,NumberOfWorkers=3" --query JobName)" promo-planner
check "what was not sent is gone" "$(aws glue get-job --job-name promo-planner --query 'Job.[Description,MaxCapacity,GlueVersion]')" \
  "$(printf 'None\t6.0\t6.0')"
refused "capacity and workers shut each other out" "InvalidInputException.*Max Capacity" glue update-job --job-name promo-planner \
  --job-update "Role=$role,Command={Name=glueetl,ScriptLocation=s3://b/k},WorkerType=G.2X,NumberOfWorkers=3,MaxCapacity=6"
refused "no such job" "EntityNotFoundException" glue get-job --job-name nobody
secret=wrong/secret
refused "a wrong secret" "InvalidSignatureException" glue list-jobs
refused "a wrong secret at STS" "SignatureDoesNotMatch" sts get-caller-identity
secret=
region=us-east-1
refused "another Region" "valid region" glue list-jobs

exit $failed
