#!/bin/sh
# Runs the service in the working directory until it is healthy, so that its compile cache is filled. Fails unless it
# is healthy within 60 s and ends with 0 after SIGTERM. Usage: warm-up.sh PREFIX, that of its settings.
set -eu
node main.mjs &
timeout 60 sh -ec 'until node healthcheck.mjs "$1"; do kill -0 "$2"; sleep 0.2; done' sh "$1" "$!"
kill "$!"
wait "$!"
