#!/bin/sh
set -e
test "$(./words 'a b c')" = 3
