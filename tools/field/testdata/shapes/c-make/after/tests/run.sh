#!/bin/sh
set -e
test "$(./words 'a b c')" = 3
test "$(./words '')" = 0
test "$(./words ' a  b ')" = 2
