#!/bin/sh
# A day and a night with keys that live a quarter of an hour, on the test clock: not one call is refused. Then keys that end in the middle of
# polling although they said otherwise: one renewal, one repetition, nothing on the screen.
set -u
BUILD=${GLUETOP_BUILDDIR:-build}
SOURCE=${GLUETOP_SRCDIR:-.}
[ -x "$BUILD/tests/screens/drive" ] || { echo "there is no drive to play the screen with"; exit 77; }
SCRIPT=$(mktemp -d)
trap 'rm -rf "$SCRIPT"' EXIT

write_script() { # STEPS
  cat <<'END'
sim --seed 1 --now 2026-11-30T12:00:00Z --control --token-lifetime 900
env AWS_CONFIG_FILE=~/aws-config
env AWS_SHARED_CREDENTIALS_FILE=~/aws-credentials
file aws-credentials [home]\naws_access_key_id = AKIAGLUESIMDEMO00001\naws_secret_access_key = gluesim/demo/secret/opens/nothing/else00\n
file aws-config [profile home]\nregion = eu-west-1\n[profile ops]\nregion = eu-west-1\nrole_arn = arn:aws:iam::441290129012:role/ops\nsource_profile = home\n[profile chain]\nregion = eu-west-1\nrole_arn = arn:aws:iam::333333333333:role/ops\nsource_profile = ops\n
unset AWS_ACCESS_KEY_ID
unset AWS_SECRET_ACCESS_KEY
size 140x40
case a day of short keys
start --profile chain --endpoint-url @URL@
settle
expect orders-silver
END
  i=0
  while [ $i -lt "$1" ]; do
    echo "advance 600000"
    i=$((i + 1))
  done
  cat <<'END'
line 0 3333
lacks login needed
shows synced <1m
refused GetCallerIdentity 0
refused GetJobs 0
refused GetJobRuns 0
refused AssumeRole 0
case keys that end too early
fault GetJobRuns:expired,count=1
keys r
settle
advance 60000
lacks login needed
lacks stale
shows synced
keys q
exit 0
END
}

write_script 144 >"$SCRIPT/day.drive"
GLUETOP_SRCDIR=$SOURCE GLUETOP_BUILDDIR=$BUILD "$BUILD/tests/screens/drive" "$SCRIPT/day.drive"
