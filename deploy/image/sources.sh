#!/bin/sh
# Copies the sources of the packages that dependencies.sh has found from /context to /sources.
set -eu
while read -r package; do
  mkdir -p "/sources/$package"
  cp -R "/context/$package/." "/sources/$package/"
done </image/packages
cp /context/deploy/image/healthcheck.mjs /sources/
