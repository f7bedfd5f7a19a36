#!/bin/sh
# gluesim as a program: how it says where it listens, how it ends, what it refuses.
set -u

say() { echo "test_gluesim: $*"; }
gluesim=${GLUETOP_BUILDDIR:-.}/gluesim
[ -x "$gluesim" ] || { say "no gluesim in ${GLUETOP_BUILDDIR:-.}"; exit 77; }

room=$(mktemp -d) || exit 1
trap 'rm -rf "$room"' EXIT
mkfifo "$room/said" "$room/fd"
failed=0

check() { # NAME GOT WANTED
  if [ "$2" = "$3" ]; then
    say "ok: $1"
  else
    say "FAILED: $1: got '$2', wanted '$3'"
    failed=1
  fi
}

# begin ARGS: starts it, waits for its line, sets server and line
begin() {
  "$gluesim" "$@" > "$room/said" 2> "$room/err" &
  server=$!
  read -r line < "$room/said" || line=
}

for signal in TERM INT HUP; do
  begin --account empty
  case $line in
  "listening on http://127.0.0.1:"[1-9]*) ;;
  *) check "says where it listens" "$line" "listening on http://127.0.0.1:PORT" ;;
  esac
  # A shell without job control starts its background jobs deaf to SIGINT; gluesim listens again.
  kill -$signal "$server"
  wait "$server"
  check "ends well on SIG$signal" $? 0
done

# The far end of the inherited pipe is held by this script alone.
"$gluesim" --account empty --parent-fd 5 5< "$room/fd" > "$room/said" &
server=$!
exec 9> "$room/fd"
read -r line < "$room/said"
kill -0 "$server"
check "lives while its parent does" $? 0
exec 9>&-
wait "$server"
check "ends with its parent" $? 0

# The port of another.
begin --account empty
port=${line##*:}
"$gluesim" --account empty --port "$port" > /dev/null 2> "$room/err"
check "a port that is taken" $? 1
kill "$server"
wait "$server"

refused() {
  "$gluesim" "$@" > "$room/out" 2> "$room/err"
  check "refused: $*" $? 2
  [ -s "$room/err" ] || check "and says why: $*" "nothing" "a reason"
  [ -s "$room/out" ] && check "nothing on standard output: $*" "$(cat "$room/out")" ""
}
refused --port 70000
refused --port x
refused --now yesterday
refused --fault boom
refused --account "$room/none.json"
refused --secret before-its-key
refused --account-id 12
refused --jobs 5 --runs 99999999999
refused surplus
echo '{"Jobs":[' > "$room/bad.json"
refused --account "$room/bad.json"

"$gluesim" --help > "$room/out"
check "help" "$?:$(head -c 6 "$room/out")" "0:Usage:"
"$gluesim" --version > "$room/out"
check "version" "$?:$(cut -d' ' -f1 "$room/out")" "0:gluesim"

exit $failed
