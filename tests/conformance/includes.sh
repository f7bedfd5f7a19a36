#!/bin/sh
# Who may include what, enforced: every #include of our .c and .h files is held against the table below. First the
# script proves on made-up files that it can tell right from wrong, so that a pass means something.
#
# usage: includes.sh [DIRECTORY]     exit 0: all in order; 1: a violation, or the proof failed
set -u
set -f # patterns are for case, never for file names
LC_ALL=C
export LC_ALL

root=${1:-${GLUETOP_SRCDIR:-.}}

# The C library, POSIX, and the few headers of single systems that we name. Everybody may have these.
SYSTEM='assert.h ctype.h errno.h float.h inttypes.h limits.h locale.h math.h setjmp.h signal.h stdalign.h stdarg.h
  stdatomic.h stdbool.h stddef.h stdint.h stdio.h stdlib.h string.h time.h wchar.h wctype.h
  arpa/inet.h dirent.h fcntl.h fnmatch.h getopt.h langinfo.h libgen.h netdb.h netinet/*.h poll.h pthread.h pwd.h
  regex.h spawn.h strings.h sys/*.h termios.h unistd.h'
CURSES='curses.h ncurses.h term.h panel.h ncursesw/*.h'

# allowed FILE: prints what FILE may include beside the system's headers and its own folder; "-" before a pattern
# forbids what the rest allows. This is the table.
allowed() {
  case $1 in
  sigv4/*) echo 'openssl/*.h' ;;
  src/base/json*.c) echo 'uthash.h cjson/cJSON.h' ;;
  src/base/xalloc.c) echo 'malloc.h' ;; # glibc's malloc_trim
  src/base/text.c) echo 'uthash.h utf8proc.h' ;;
  src/base/secret.c) echo 'openssl/*.h' ;;
  src/base/*) echo 'uthash.h' ;;
  # The time comes in as a parameter.
  src/model/*) echo '-time.h -sys/time.h -base/clock.h base/* uthash.h' ;;
  src/aws/digest.c) echo 'base/* openssl/*.h' ;;
  src/aws/*) echo 'base/* sigv4/sigv4.h model/* curl/*.h cjson/cJSON.h expat.h uthash.h' ;;
  src/sync/store*.c) echo 'base/* model/* sqlite3.h uthash.h' ;;
  src/sync/*) echo 'base/* model/* uthash.h' ;;
  src/app/*) echo 'base/* model/* aws/* sync/* uthash.h' ;;
  src/report/*) echo 'base/* model/*' ;;
  src/cli/*) echo 'base/* model/* report/* app/*' ;;
  # Credentials are not for the screen: no secret, and of the app only what asks for things to be done.
  # The front end's face to the loop is struct front_ops, which stands in app.h; no view sees it.
  views/front.[ch]) echo "-base/secret.h base/* model/* report/* app/app.h app/intent.h" ;;
  views/*) echo "-base/secret.h base/* model/* report/* app/intent.h uthash.h $CURSES" ;;
  # It checks signatures with code of its own, and shares none with the client's.
  sim/*) echo 'base/* model/worker.h model/cron.h microhttpd.h openssl/*.h cjson/cJSON.h uthash.h' ;;
  src/*/*) echo '' ;; # a room that the table does not know
  src/*) echo '*' ;; # main.c and what it wires: everything
  *) echo '' ;;
  esac
}

# permits NAME PATTERNS: is NAME among the patterns, and not forbidden by one?
permits() {
  for pattern in $2; do
    case $pattern in
    -*)
      # shellcheck disable=SC2254
      case $1 in
      ${pattern#-}) return 1 ;;
      esac
      ;;
    esac
  done
  for pattern in $2; do
    # shellcheck disable=SC2254
    case $1 in
    $pattern) return 0 ;;
    esac
  done
  return 1
}

# The rules of the last file asked about: a file's includes come in a row.
rules_file=
rules=

# may_include FILE NAME
may_include() {
  [ "$2" = config.h ] && return 0
  folder=${1%/*}
  folder=${folder#src/}
  # What is only for its own folder is called private.
  case $2 in
  private.h | */private.h | *_private.h)
    [ "${2%/*}" = "$folder" ]
    return
    ;;
  esac
  if [ "$1" != "$rules_file" ]; then
    rules_file=$1
    rules="$(allowed "$1") $SYSTEM"
    [ "$folder" = src ] || rules="$rules $folder/*"
  fi
  permits "$2" "$rules"
}

# judge: reads FILE:NUMBER:LINE of include lines and tells what is wrong with them.
judge() {
  while IFS= read -r found; do
    file=${found%%:*}
    line=${found#*:*:}
    number=${found#*:}
    number=${number%%:*}
    name=${line#*[<\"]}
    if [ "$name" = "$line" ]; then
      echo "$file:$number: cannot tell what this includes: $line"
      continue
    fi
    name=${name%%[>\"]*}
    may_include "$file" "$name" || echo "$file:$number: may not include $name"
  done
}

self_test() {
  failed=0
  while read -r want file include; do
    said=$(printf '%s\n' "$file:7:$include" | judge)
    if [ "$want" = yes ] && [ -n "$said" ]; then
      echo "self-test: refused what is allowed: $said"
      failed=1
    elif [ "$want" = no ] && [ "${said#"$file":7: }" = "$said" ]; then
      echo "self-test: let through in $file: $include"
      failed=1
    fi
  done <<'CASES'
yes sigv4/sign.c #include <openssl/hmac.h>
yes sigv4/sign.c #include "sigv4/sigv4.h"
yes sigv4/sign.c #include "sigv4/private.h"
no sigv4/sign.c #include "base/buf.h"
no sigv4/sign.c #include "private.h"
yes src/base/json.c #include <cjson/cJSON.h>
no src/base/log.c #include <cjson/cJSON.h>
yes src/base/text.c #include <utf8proc.h>
no src/base/log.c #include <utf8proc.h>
no src/base/text.c #include <curl/curl.h>
no src/base/log.c #include "model/model.h"
yes src/base/log.c #include "base/private.h"
yes src/base/log.c #include <sys/stat.h>
yes src/model/cost.c #include "base/when.h"
no src/model/cost.c #include "base/clock.h"
no src/model/cost.c #include <time.h>
no src/model/cost.c #include <sqlite3.h>
no src/model/cost.c #  include	"aws/glue.h"
no src/model/cost.c #include "base/private.h"
no src/model/cost.c #include <cjson/cJSON.h>
yes src/aws/glue.c #include <curl/curl.h>
no src/aws/glue.c #include <openssl/sha.h>
yes src/aws/digest.c #include <openssl/sha.h>
no src/aws/glue.c #include <ncurses.h>
no src/aws/glue.c #include "app/app.h"
yes src/sync/store.c #include <sqlite3.h>
no src/sync/poller.c #include <sqlite3.h>
no src/sync/poller.c #include <curl/curl.h>
no src/sync/poller.c #include "aws/glue.h"
yes src/app/app.c #include "aws/glue.h"
no src/app/app.c #include <curses.h>
no src/app/app.c #include "views/view.h"
no src/report/runs.c #include "app/app.h"
yes src/cli/runs.c #include "app/app.h"
no src/cli/runs.c #include "views/view.h"
no src/cli/runs.c #include "aws/glue.h"
yes views/runs.c #include <curses.h>
yes views/runs.c #include "views/view.h"
yes views/runs.c #include "app/intent.h"
no views/runs.c #include "app/app.h"
yes views/front.c #include "app/app.h"
no views/front.c #include "aws/glue.h"
no views/runs.c #include "aws/credentials.h"
no views/runs.c #include "base/secret.h"
no views/runs.c #include <cjson/cJSON.h>
no sim/main.c #include "sigv4/sigv4.h"
no sim/main.c #include "aws/glue.h"
no sim/main.c #include "model/model.h"
yes sim/main.c #include "model/worker.h"
yes sim/main.c #include <microhttpd.h>
yes src/main.c #include "views/view.h"
no src/main.c #include "aws/private.h"
no src/newroom/x.c #include "base/buf.h"
no src/app/app.c #include SOME_HEADER
CASES
  return "$failed"
}

if ! self_test; then
  echo "includes: this check cannot be trusted"
  exit 1
fi
cd "$root" || exit 1
found=$(find . \( -path './src/*' -o -path './sigv4/*' -o -path './views/*' -o -path './sim/*' \) -name '*.[ch]' -exec grep -nE '^[[:blank:]]*#[[:blank:]]*include' /dev/null {} + | sed 's,^\./,,')
if [ -z "$found" ]; then
  echo "includes: no sources found in $root"
  exit 1
fi
violations=$(printf '%s\n' "$found" | judge)
if [ -n "$violations" ]; then
  printf '%s\n' "$violations"
  echo "includes: the table of rooms (doc/architecture.md) does not allow these"
  exit 1
fi
echo "includes: $(printf '%s\n' "$found" | wc -l) include lines, all as the table of rooms has them"
