#!/bin/sh
set -e
# What is compiled is copied to where the tests find it.
rm -rf made out
tsc -p tsconfig.json
cp -r made out
