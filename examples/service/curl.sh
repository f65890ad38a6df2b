#!/usr/bin/env bash
# The whole life of an experiment with curl: curl.sh [URL…], against a running `armature serve DIR`,
# or several nodes of one service. With tokens: ARMATURE_TOKEN=armature_… curl.sh https://decisions.example
set -euo pipefail
here=$(dirname "$0")
urls=("${@:-http://127.0.0.1:8600}")

ask() { # METHOD PATH [BODY] [HEADER…]
  local method=$1 path=$2 body=${3:-}
  shift $(($# < 3 ? $# : 3))
  local extra=()
  for header in "$@"; do extra+=(-H "$header"); done
  [ -z "${ARMATURE_TOKEN:-}" ] || extra+=(-H "Authorization: Bearer $ARMATURE_TOKEN")
  [ -z "$body" ] || extra+=(--data "$body")
  # Nothing is lost by asking again: an answer that did not come is the same when it comes.
  # A node that does not answer at all is another one's chance.
  extra+=(--silent --show-error --fail-with-body --retry 5)
  [ ${#urls[@]} -gt 1 ] || extra+=(--retry-connrefused)
  local url status
  for url in "${urls[@]}"; do
    status=0
    curl -X "$method" "${extra[@]}" "$url$path" || status=$?
    case $status in 0 | 22) return $status ;; esac # 22: the answer was no
  done
  return "$status"
}
field() { sed -E "s/.*\"$1\": ?\"([^\"]*)\".*/\1/"; }

ask POST /v1/experiments "$(cat "$here/mail.json")"
echo
for visitor in $(seq 1 10); do
  decided=$(ask POST /v1/experiments/mail/decide '{}' "Idempotency-Key: visitor-$visitor")
  decision=$(field decision <<<"$decided")
  echo "visitor $visitor gets $(field action <<<"$decided") ($decision)"
  # What was seen, and later what came of it; both at once would do as well.
  ask POST "/v1/experiments/mail/decisions/$decision/outcome" '{"context": "opened"}' >/dev/null
  ask POST "/v1/experiments/mail/decisions/$decision/outcome" "{\"reward\": $((visitor % 2))}"
  echo
done
ask GET "/v1/experiments/mail/log?format=csv"
