#!/bin/sh
# Leaves in /app, which holds the manifests of the whole workspace, one package with what it needs of the workspace
# and their production dependencies. Usage: dependencies.sh PACKAGE. The store of pnpm is kept in /pnpm.
set -eu
cd /app

# Dozens of connections at once, as many as pnpm would open, overrun some resolvers and proxies: it then takes longer.
pnpm --filter-prod "$1..." install --prod --frozen-lockfile --ignore-scripts --network-concurrency 8 \
  --store-dir /pnpm --package-import-method copy
pnpm --filter-prod "$1..." list --depth -1 --parseable | sed 's#^/app/##' >/image/packages

for manifest in */*/package.json; do
  grep -qx "$(dirname "$manifest")" /image/packages || rm -r "$(dirname "$manifest")"
done
rm -f package.json pnpm-*.yaml node_modules/.modules.yaml node_modules/.pnpm-workspace-state*
find . -type d -empty -delete
# Nothing reads these at run time, and they are more than half of it. Licences stay.
find node_modules -type f ! -iname 'licen[cs]e*' \
  \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.md' \) -delete
