#!/bin/sh
echo "cmocka is not here: the unit tests were not built"
exit 77
