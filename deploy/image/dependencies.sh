#!/bin/sh
# Usage: dependencies.sh PACKAGE. At the start, /app contains the manifests of the whole workspace. At the end, it
# contains only the package, the workspace packages it needs, and their production dependencies. pnpm's store is /pnpm.
set -eu
cd /app

# By default, pnpm opens dozens of connections, which overload some resolvers and proxies and slow down the download.
pnpm --filter-prod "$1..." install --prod --frozen-lockfile --ignore-scripts --network-concurrency 8 \
  --store-dir /pnpm --package-import-method copy
pnpm --filter-prod "$1..." list --depth -1 --parseable | sed 's#^/app/##' >/image/packages

for manifest in */*/package.json; do
  grep -qx "$(dirname "$manifest")" /image/packages || rm -r "$(dirname "$manifest")"
done
rm -f package.json pnpm-*.yaml node_modules/.modules.yaml node_modules/.pnpm-workspace-state*
find . -type d -empty -delete
# Remove files that are not read at run time, except licences. These files account for more than half of the image size.
find node_modules -type f ! -iname 'licen[cs]e*' \
  \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.md' \) -delete
