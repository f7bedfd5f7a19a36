#!/bin/sh
# Every way people log in, against gluesim's login services; several accounts at once; and no secret where none belongs.
set -u
. "${GLUETOP_SRCDIR:-.}/tests/scenarios/lib.sh"
NOW=2026-11-30T12:00:00Z
KEY=$AWS_ACCESS_KEY_ID SECRET=$AWS_SECRET_ACCESS_KEY
OTHER=222222222222

sim --seed 1 --now $NOW --control --also $OTHER=empty
mkdir -p "$WORK/.aws/sso/cache" "$WORK/.aws/login/cache" "$WORK/bin"

hash_of() { # ALGORITHM TEXT
  python3 -c 'import hashlib,sys; print(hashlib.new(sys.argv[1], sys.argv[2].encode()).hexdigest())' "$1" "$2"
}
# soon SECONDS: that far from now, in ISO 8601
soon() {
  python3 -c 'import datetime,sys; print((datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=int(sys.argv[1]))).strftime("%Y-%m-%dT%H:%M:%SZ"))' "$1"
}

cat >"$WORK/.aws/config" <<END
[default]
region = eu-west-1
[profile static]
region = eu-west-1
[profile role]
region = eu-west-1
role_arn = arn:aws:iam::$OTHER:role/etl-ops
source_profile = static
role_session_name = tester
[profile chain]
region = eu-west-1
role_arn = arn:aws:iam::333333333333:role/External-top
source_profile = role
external_id = gluesim
duration_seconds = 43200
[profile denied]
region = eu-west-1
role_arn = arn:aws:iam::$OTHER:role/Denied
source_profile = static
[profile loop-a]
region = eu-west-1
role_arn = arn:aws:iam::$OTHER:role/a
source_profile = loop-b
[profile loop-b]
region = eu-west-1
role_arn = arn:aws:iam::$OTHER:role/b
source_profile = loop-a
[profile web]
region = eu-west-1
role_arn = arn:aws:iam::$OTHER:role/web
web_identity_token_file = $WORK/web-token
[profile sso]
region = eu-west-1
sso_session = corp
sso_account_id = $OTHER
sso_role_name = Reader
[profile sso-denied]
region = eu-west-1
sso_session = corp
sso_account_id = $OTHER
sso_role_name = Denied
[sso-session corp]
sso_start_url = https://corp.awsapps.example/start
sso_region = eu-west-1
sso_registration_scopes = sso:account:access
[profile process]
region = eu-west-1
credential_process = "$WORK/bin/my keys" --give
[profile process-fails]
region = eu-west-1
credential_process = "$WORK/bin/fails"
[profile console]
region = eu-west-1
login_session = arn:aws:iam::441290129012:user/oncall
END
cat >"$WORK/.aws/credentials" <<END
[static]
aws_access_key_id = $KEY
aws_secret_access_key = $SECRET
END
chmod 600 "$WORK/.aws/credentials"
echo "eyJhbGciOiJSUzI1NiJ9.e30.web-token-secret" >"$WORK/web-token"
cat >"$WORK/bin/my keys" <<END
#!/bin/sh
[ "\$1" = --give ] && [ -z "\${AWS_SECRET_ACCESS_KEY:-}" ] || exit 3
echo '{"Version": 1, "AccessKeyId": "$KEY", "SecretAccessKey": "$SECRET"}'
END
cat >"$WORK/bin/fails" <<'END'
#!/bin/sh
echo "corp-login: run 'corp-login renew' first" >&2
exit 1
END
chmod +x "$WORK/bin/my keys" "$WORK/bin/fails"

CACHE="$WORK/.aws/sso/cache/$(hash_of sha1 corp).json"

# who NAME SOURCE ACCOUNT [ARGS]: whoami tells that source and account
who() {
  name=$1 source=$2 account=$3
  shift 3
  gt whoami -o json "$@"
  is "whoami by $name" 0 "$STATUS"
  json "$name: the account is $account, the source says $source" "d['account'] == '$account' and '$source' in d['source']"
}

sso_token() { # EXPIRES_IN [TOKEN]
  cat >"$CACHE" <<END
{"startUrl": "https://corp.awsapps.example/start", "region": "eu-west-1", "accessToken": "${2:-gluesim-sso-access-token}",
 "expiresAt": "$(soon "$1")", "clientId": "gluesim-sso-client", "clientSecret": "gluesim-sso-client-secret",
 "registrationExpiresAt": "$(soon 864000)", "refreshToken": "gluesim-sso-refresh-token", "kept": "as it was"}
END
}

# --- one source after the other ---

who "the environment" environment 441290129012
unset AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_REGION
who "static keys" static 441290129012 --profile static
who "a role" etl-ops $OTHER --profile role
json "role: the session has the profile's name" 'd["arn"].endswith(":assumed-role/etl-ops/tester")'
who "a chain of roles" External-top 333333333333 --profile chain
gt whoami --profile denied
is "a role that refuses" 3 "$STATUS"
has "and says which" "$WORK/err" "role/Denied"
gt whoami --profile loop-a
is "a loop of profiles" 3 "$STATUS"
has "the loop is named" "$WORK/err" "loop-b"
who "web identity" web $OTHER --profile web

sso_token 7200
who "SSO" sso $OTHER --profile sso
gt whoami --profile sso-denied
is "SSO role that is not ours" 3 "$STATUS"
has "account and role are named" "$WORK/err" "sso_role_name"
sso_token 7200 not-a-token
who "SSO whose token was taken back, and is renewed" sso $OTHER --profile sso
sso_token 7200 not-a-token
sed -i 's/gluesim-sso-refresh-token/no-good-either/' "$CACHE"
gt whoami --profile sso
is "SSO token that is not good" 3 "$STATUS"
has "and how to log in" "$WORK/err" "aws sso login"
sso_token 300 old-token
who "SSO whose token is renewed" sso $OTHER --profile sso
is "the cache is for its owner alone" 600 "$(stat -c %a "$CACHE")"
has "what else stood in the cache stays" "$CACHE" '"as it was"'
if grep -q old-token "$CACHE"; then bad "the renewed token is written back"; else ok "the renewed token is written back"; fi

who "credential_process" process 441290129012 --profile process
export AWS_ACCESS_KEY_ID=AKIANOTFORCHILDREN01 AWS_SECRET_ACCESS_KEY=not-for-children
who "credential_process, which does not see the environment's keys" process 441290129012 --profile process
unset AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY
gt whoami --profile process-fails
is "credential_process that fails" 3 "$STATUS"
has "its own words are told" "$WORK/err" "corp-login renew"

AWS_CONTAINER_CREDENTIALS_FULL_URI=$URL/v2/credentials/task AWS_CONTAINER_AUTHORIZATION_TOKEN=gluesim-container-token
export AWS_CONTAINER_CREDENTIALS_FULL_URI AWS_CONTAINER_AUTHORIZATION_TOKEN
who "a container" container 441290129012
AWS_CONTAINER_AUTHORIZATION_TOKEN=wrong
gt whoami
is "a container with a wrong token" 3 "$STATUS"
printf gluesim-container-token >"$WORK/container-token"
export AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE="$WORK/container-token"
who "a container with a token file" container 441290129012
unset AWS_CONTAINER_CREDENTIALS_FULL_URI AWS_CONTAINER_AUTHORIZATION_TOKEN AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE

mv "$WORK/.aws/config" "$WORK/kept-config"
export AWS_EC2_METADATA_DISABLED=false AWS_EC2_METADATA_SERVICE_ENDPOINT="$URL"
who "the instance" instance 441290129012
json "instance: its Region too" 'd["region"] == "eu-west-1" and d["region_source"] == "instance metadata"'
export AWS_EC2_METADATA_SERVICE_ENDPOINT=http://127.0.0.1:9
gt whoami
is "an instance that does not answer" 3 "$STATUS"
export AWS_EC2_METADATA_DISABLED=true
unset AWS_EC2_METADATA_SERVICE_ENDPOINT
mv "$WORK/kept-config" "$WORK/.aws/config"

PEM=$(openssl ecparam -name prime256v1 -genkey -noout 2>/dev/null | awk '{printf "%s\\n", $0}')
if [ -n "$PEM" ]; then
  cat >"$WORK/.aws/login/cache/$(hash_of sha256 arn:aws:iam::441290129012:user/oncall).json" <<END
{"accessToken": {"accessKeyId": "ASIAOLDOLDOLDOLDOLD1", "secretAccessKey": "console-secret", "sessionToken": "console-token",
 "accountId": "441290129012", "expiresAt": "$(soon 60)"}, "refreshToken": "gluesim-signin-refresh-token",
 "clientId": "arn:aws:signin:::devtools/same-device", "tokenType": "urn:aws:params:oauth:token-type:access_token_sigv4",
 "dpopKey": "$PEM"}
END
  who "a console login that is renewed" console 441290129012 --profile console
fi

# --- several at once ---

sso_token 7200
gt jobs -o json --context static --context role@eu-west-1 --context denied
is "one account of three fails" 3 "$STATUS"
json "three contexts" '[c["profile"] for c in d["contexts"]] == ["static", "role", "denied"]'
json "each row says whose it is, and the empty account has none" 'd["jobs"] and {j["context"] for j in d["jobs"]} == {0}'
json "the failure is that one's, and the answer is not whole" 'd["complete"] is False and {p["context"] for p in d["problems"]} == {2}'
gt jobs -o json --context static --context chain
is "two accounts" 0 "$STATUS"
json "rows of both" '{j["context"] for j in d["jobs"]} == {0, 1} and d["complete"]'
gt runs -o json --since all --context static --context chain
json "no run of one stands under the other" 'not ({r["id"] for r in d["runs"] if r["context"] == 0} & {r["id"] for r in d["runs"] if r["context"] == 1})'

# --- gluetop's own list ---

mkdir -p "$WORK/config/gluetop"
cat >"$WORK/config/gluetop/config" <<END
[context PROD]
profile = chain
region = eu-west-1
colour = red
read_only = yes
open = yes
[context test]
profile = static
END
gt jobs -o json
json "contexts that are open by themselves" '[c["profile"] for c in d["contexts"]] == ["chain"]'
gt jobs -o json --context test
json "a context by its name" '[c["profile"] for c in d["contexts"]] == ["static"]'
gt start orders-silver --yes --context PROD
is "a read-only context refuses a change" 4 "$STATUS"
has "and says why" "$WORK/out" "PROD is read-only; nothing was sent"
is "gluesim saw no start" 0 "$(curl -s "$URL/_sim/stats" | grep -c StartJobRun)"
rm -r "$WORK/config/gluetop"

# --- secrets ---

for profile in static role chain web sso process; do
  gt whoami -vv --profile $profile --log-file "$WORK/log-$profile"
  cp "$WORK/err" "$WORK/err-$profile"
done
gt jobs -vv --profile sso --log-file "$WORK/log-jobs"
if [ -s "$WORK/log-sso" ]; then ok "there is a log"; else bad "there is a log"; fi
cat "$WORK"/log-* "$WORK"/err-* >"$WORK/all-logs"
find "$WORK/state" -type f -exec cat {} + >>"$WORK/all-logs" 2>/dev/null
for secret in "$SECRET" gluesim-sso-access-token gluesim-sso-refresh-token gluesim-sso-client-secret web-token-secret \
  issued/ session-token- ticket- "Signature=" console-secret; do
  if grep -qF -- "$secret" "$WORK/all-logs"; then
    bad "no log holds $secret" "$(grep -F -m1 -- "$secret" "$WORK/all-logs" | head -c 200)"
  else
    ok "no log holds $secret"
  fi
done

# --- no core dump while keys are held ---

if [ -r /proc/self/limits ]; then
  curl -s -d 'GetCallerIdentity:hang' "$URL/_sim/faults"
  before=$(curl -s "$URL/_sim/stats" | grep -o '"faulted":[1-9]' | wc -l)
  "$BUILD/gluetop" --endpoint-url "$URL" whoami --profile static >/dev/null 2>&1 </dev/null &
  held=$!
  tries=0
  while [ "$(curl -s "$URL/_sim/stats" | grep -o '"faulted":[1-9]' | wc -l)" -le "$before" ] && [ $tries -lt 2000 ]; do
    tries=$((tries + 1))
  done
  is "no core file may be written" "0 0" "$(awk '/^Max core/ {print $5, $6}' /proc/$held/limits)"
  kill $held
  wait $held 2>/dev/null
fi

verdict
