#!/bin/sh
# Copies package sources from /context to /sources. dependencies.sh determines which packages are copied.
set -eu
while read -r package; do
  mkdir -p "/sources/$package"
  cp -R "/context/$package/." "/sources/$package/"
done </image/packages
cp /context/deploy/image/healthcheck.mjs /sources/
