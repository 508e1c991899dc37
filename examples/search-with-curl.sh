#!/bin/sh
# Nothing but HTTP: an index, two documents, a commit and a search.
set -eu
URL=${FINDLING_URL:-http://127.0.0.1:8000}

request() {
  curl -sS --fail-with-body -H "Authorization: $FINDLING_ADMIN_KEY" -H 'Content-Type: application/json' "$@"
  echo
}

request "$URL/index" -d '{
  "override_if_exists": true,
  "index": {
    "name": "example-notes",
    "fields": { "text": { "type": "text" }, "written": { "type": "datetime" } }
  }
}'
request "$URL/index/example-notes/documents" -d '[
  { "text": "the heron stood in the reeds", "written": "2025-04-01T06:30:00Z" },
  { "text": "two herons over the mill pond", "written": "2025-05-17T19:00:00Z" }
]'
request -X POST "$URL/index/example-notes/commit"
request "$URL/index/example-notes/search" -d '{
  "query": { "exact": { "ctx": "heron* AND written:>=2025-05-01" } },
  "order_by": "written"
}'
request -X DELETE "$URL/index/example-notes"
