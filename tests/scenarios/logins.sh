#!/bin/sh
# Every way of logging in, by real HTTP: who hands out the keys is a small server beside gluesim; gluesim checks what is signed with them.
set -u
. "${GLUETOP_SRCDIR:-.}/tests/scenarios/lib.sh"

unset AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY
SECRETS="base/secret/of/gluesim session/secret/of/gluesim SESSIONTOKEN GOODTOKEN NEXTREFRESH FIRSTREFRESH IMDSTOKEN PODTOKEN"
sim --access-key AKIDBASE0000000001 --secret base/secret/of/gluesim/opens/nothing0000 \
  --access-key ASIASESSION00000001 --secret session/secret/of/gluesim/nothing/else00 --session-token SESSIONTOKEN
mkfifo "$WORK/logins.in" "$WORK/logins.out"
python3 "${GLUETOP_SRCDIR:-.}/tests/scenarios/logins.py" "$URL" "$WORK/calls" <"$WORK/logins.in" >"$WORK/logins.out" &
# The server ends when this descriptor does, whatever way we end.
exec 3>"$WORK/logins.in"
read -r line <"$WORK/logins.out"
LOGINS=${line#listening on }

export AWS_ENDPOINT_URL_GLUE="$URL" AWS_ENDPOINT_URL_STS="$LOGINS" AWS_ENDPOINT_URL_SSO="$LOGINS" AWS_ENDPOINT_URL_SSO_OIDC="$LOGINS"
mkdir -p "$HOME/.aws/sso/cache"
cat >"$HOME/.aws/config" <<END
[profile top]
role_arn = arn:aws:iam::123456789012:role/top
source_profile = mid
[profile mid]
role_arn = arn:aws:iam::123456789012:role/mid
source_profile = base
[profile web]
role_arn = arn:aws:iam::123456789012:role/web
web_identity_token_file = ~/web-token
[sso-session corp]
sso_start_url = https://corp.example/start
sso_region = eu-west-1
[profile oncall]
sso_session = corp
sso_account_id = 123456789012
sso_role_name = DataOps
[profile proc]
credential_process = "$HOME/my tools/keys" --json
[profile procbad]
credential_process = sh -c 'echo please log in first >&2; exit 1'
[profile loop]
role_arn = arn:aws:iam::123456789012:role/x
source_profile = loop2
[profile loop2]
role_arn = arn:aws:iam::123456789012:role/x
source_profile = loop
[profile console]
login_session = arn:aws:iam::123456789012:user/alice
[profile mfa]
role_arn = arn:aws:iam::123456789012:role/x
source_profile = base
mfa_serial = arn:aws:iam::123456789012:mfa/phone
END
cat >"$HOME/.aws/credentials" <<END
[base]
aws_access_key_id = AKIDBASE0000000001
aws_secret_access_key = base/secret/of/gluesim/opens/nothing0000
END
chmod 600 "$HOME/.aws/credentials"
echo web.token >"$HOME/web-token"
mkdir "$HOME/my tools"
cat >"$HOME/my tools/keys" <<'END'
#!/bin/sh
[ "$1" = --json ] || exit 7
echo '{"Version":1,"AccessKeyId":"ASIASESSION00000001","SecretAccessKey":"session/secret/of/gluesim/nothing/else00","SessionToken":"SESSIONTOKEN"}'
END
chmod 755 "$HOME/my tools/keys"

# login NAME: whoami with the given options, with the loudest log
login() {
  : >"$WORK/calls"
  STATUS=0
  "$BUILD/gluetop" --no-cache -v --log-file "$WORK/log" "$@" whoami -o json >"$WORK/out" 2>"$WORK/err" </dev/null || STATUS=$?
}
# calls NAME WANTED: what the server was asked, without what went on to gluesim
calls() {
  is "$1" "$2" "$(grep -v forwarded "$WORK/calls" | tr '\n' ';')"
}

login -p base
is "static keys" 0 "$STATUS"
json "static keys: source" 'd["source"] == "profile base" and d["profile"] == "base" and d["expires_at"] is None'

login -p top
is "a chain of roles" 0 "$STATUS"
json "a chain of roles: source" 'd["source"] == "role top via mid" and d["expires_at"] is not None'
calls "a chain of roles: the middle one first" "AssumeRole mid by AKIDBASE0000000001;AssumeRole top by ASIASESSION00000001;"

login -p web
is "web identity" 0 "$STATUS"
calls "web identity is not signed" "AssumeRoleWithWebIdentity web by nobody;"

login -p oncall
is "SSO without a login" 3 "$STATUS"
has "SSO without a login names the command" "$WORK/err" "aws sso login --profile oncall"
SHA=$(printf %s corp | python3 -c 'import hashlib,sys; print(hashlib.sha1(sys.stdin.buffer.read()).hexdigest())')
echo '{"startUrl":"https://corp.example/start","region":"eu-west-1","accessToken":"OLDTOKEN","expiresAt":"2020-01-01T00:00:00Z","clientId":"c","clientSecret":"cs","registrationExpiresAt":"2090-01-01T00:00:00Z","refreshToken":"FIRSTREFRESH"}' >"$HOME/.aws/sso/cache/$SHA.json"
chmod 644 "$HOME/.aws/sso/cache/$SHA.json"
login -p oncall
is "SSO with renewal" 0 "$STATUS"
calls "SSO with renewal" "refresh;GetRoleCredentials with GOODTOKEN;"
json "SSO: source" 'd["source"] == "sso:corp"'
has "SSO: the renewed token is written back" "$HOME/.aws/sso/cache/$SHA.json" NEXTREFRESH
is "SSO: for us alone" "-rw-------" "$(ls -l "$HOME/.aws/sso/cache/$SHA.json" | cut -c1-10)"
login -p oncall
calls "SSO: the token is used again" "GetRoleCredentials with GOODTOKEN;"

login -p proc
is "a process" 0 "$STATUS"
json "a process: source" 'd["source"] == "process of profile proc"'
login -p procbad
is "a process that fails" 3 "$STATUS"
has "a process that fails: its words" "$WORK/err" "please log in first"

login -p loop
is "a loop" 3 "$STATUS"
has "a loop is named" "$WORK/err" "loop -> loop2 -> loop"
login -p console
is "a console login that nobody made" 3 "$STATUS"
has "a console login that nobody made: the command" "$WORK/err" "aws login --profile console"
login -p nosuch
is "no such profile" 3 "$STATUS"
has "no such profile is named" "$WORK/err" nosuch
login -p mfa
is "a code cannot be asked for here" 3 "$STATUS"
has "a code cannot be asked for here: said" "$WORK/err" "mfa/phone"

export AWS_CONTAINER_CREDENTIALS_FULL_URI="$LOGINS/container?x=1" AWS_CONTAINER_AUTHORIZATION_TOKEN=PODTOKEN
login
is "a container" 0 "$STATUS"
json "a container: source" 'd["source"] == "container"'
calls "a container: its token" "container with PODTOKEN;"
unset AWS_CONTAINER_CREDENTIALS_FULL_URI AWS_CONTAINER_AUTHORIZATION_TOKEN

unset AWS_EC2_METADATA_DISABLED AWS_REGION
export AWS_EC2_METADATA_SERVICE_ENDPOINT="$LOGINS"
login
is "an instance" 0 "$STATUS"
json "an instance: source and Region" 'd["source"] == "instance role role-a" and d["region"] == "eu-west-1" and d["region_source"] == "instance metadata"'
export AWS_EC2_METADATA_SERVICE_ENDPOINT=http://127.0.0.1:1
login
is "no instance" 3 "$STATUS"
has "no instance: what to do" "$WORK/err" "aws sso login"

for secret in $SECRETS; do
  if grep -qF -- "$secret" "$WORK/log"; then bad "the log does not hold $secret"; else ok "the log does not hold $secret"; fi
done
has "the log says something" "$WORK/log" "login"
verdict
