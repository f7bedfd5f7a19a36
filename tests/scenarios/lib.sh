# Shell helpers of the scenarios: a sealed world, gluesim on a free port, checks that say what they saw.
# Source it; it sets BUILD, WORK, and functions. Exit 77 when something that is needed is not here.
BUILD=${GLUETOP_BUILDDIR:-build}
WORK=$(mktemp -d)
SIM_PID=
FAILED=0
PASSED=0
command -v python3 >/dev/null 2>&1 || { echo "python3 is not here to read JSON"; exit 77; }

export HOME="$WORK" TZ=UTC LC_ALL=C.UTF-8 XDG_STATE_HOME="$WORK/state" XDG_CONFIG_HOME="$WORK/config"
export AWS_ACCESS_KEY_ID=AKIAGLUESIMDEMO00001 AWS_SECRET_ACCESS_KEY=gluesim/demo/secret/opens/nothing/else00
export AWS_REGION=eu-west-1 AWS_EC2_METADATA_DISABLED=true AWS_PAGER=
unset AWS_PROFILE AWS_SESSION_TOKEN AWS_DEFAULT_REGION AWS_ENDPOINT_URL AWS_CONFIG_FILE AWS_SHARED_CREDENTIALS_FILE

finish() {
  sim_stop
  rm -rf "$WORK"
}
trap finish EXIT
trap 'exit 130' INT TERM

sim_stop() {
  if [ -n "$SIM_PID" ]; then
    kill "$SIM_PID" 2>/dev/null || true
    wait "$SIM_PID" 2>/dev/null || true
    SIM_PID=
  fi
}

# sim ARGS: starts gluesim in place of the one before, sets URL.
sim() {
  sim_stop
  rm -f "$WORK/said"
  mkfifo "$WORK/said"
  "$BUILD/gluesim" --port 0 "$@" >"$WORK/said" 2>"$WORK/sim.err" &
  SIM_PID=$!
  read -r line <"$WORK/said" || true
  URL=${line#listening on }
  case $URL in
  http://*) ;;
  *)
    echo "gluesim did not start: $(cat "$WORK/sim.err")"
    exit 1
    ;;
  esac
}

# gt ARGS: gluetop against the running gluesim; standard output to $WORK/out, error to $WORK/err, status in STATUS.
gt() {
  STATUS=0
  "$BUILD/gluetop" --endpoint-url "$URL" "$@" >"$WORK/out" 2>"$WORK/err" </dev/null || STATUS=$?
}

ok() {
  PASSED=$((PASSED + 1))
  echo "ok: $1"
}

bad() {
  FAILED=$((FAILED + 1))
  echo "NOT OK: $1"
  [ $# -lt 2 ] || echo "   $2"
}

# is NAME WANTED SEEN
is() {
  if [ "$2" = "$3" ]; then ok "$1"; else bad "$1" "wanted '$2', saw '$3'; error: $(head -c 400 "$WORK/err" 2>/dev/null)"; fi
}

# json NAME EXPRESSION: the Python expression over d (the answer) is true
json() {
  if out=$(python3 -c 'import json,sys
d=json.load(open(sys.argv[1]))
r=eval(sys.argv[2])
sys.exit(0 if r else "it is not so: "+sys.argv[2])' "$WORK/out" "$2" 2>&1); then ok "$1"; else bad "$1" "$out"; fi
}

# has NAME FILE TEXT
has() {
  if grep -qF -- "$3" "$2"; then ok "$1"; else bad "$1" "no '$3' in: $(head -c 600 "$2")"; fi
}

verdict() {
  echo "[  PASSED  ] $PASSED test(s)."
  if [ "$FAILED" -gt 0 ]; then
    echo "[  FAILED  ] scenarios: $FAILED test(s), listed above"
    exit 1
  fi
  exit 0
}
