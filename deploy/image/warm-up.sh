#!/bin/sh
# Usage: warm-up.sh PREFIX, where PREFIX is the prefix of the service's settings. Runs the service in the working
# directory to fill its compile cache. Fails unless the service is healthy within 60 s and exits 0 after SIGTERM.
set -eu
node main.mjs &
timeout 60 sh -ec 'until node healthcheck.mjs "$1"; do kill -0 "$2"; sleep 0.2; done' sh "$1" "$!"
kill "$!"
wait "$!"
