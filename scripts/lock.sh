#!/usr/bin/env bash
# Writes requirements/*.txt: exact versions with hashes, for every platform, nothing younger than a week, no address.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
week_ago=$(python3 -c 'import datetime as d; print((d.datetime.now(d.UTC) - d.timedelta(days=7)).date())')
lock() { # lock NAME ARGUMENTS...
  local name=$1
  shift
  uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --exclude-newer "$week_ago" \
    --custom-compile-command scripts/lock.sh --no-emit-index-url --quiet --output-file "requirements/$name.txt" "$@"
}
lock run
lock dev --extra test --group dev
if grep -nE 'https?://|file:|--(extra-)?index|--find-links' requirements/*.txt; then
  echo "an address slipped into a lock" >&2
  exit 1
fi
