#!/bin/sh
# A test that no list names never runs and never fails: every scenario and script of the tree stands in Makefile.am.
set -u
cd "${GLUETOP_SRCDIR:-.}" || exit 1
passed=0 failed=0
for file in tests/scenarios/*.sh tests/screens/scripts/*.drive tests/unit/test_*.c tests/conformance/test_*.c; do
  [ "$file" != tests/scenarios/lib.sh ] || continue
  if grep -qF "$file" Makefile.am; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "NOT OK: $file is not in Makefile.am"
  fi
done
echo "[  PASSED  ] $passed test(s)."
if [ $failed -gt 0 ]; then
  echo "[  FAILED  ] lists: $failed test(s), listed above"
  exit 1
fi
