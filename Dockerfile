# Both services, each as a target: `docker build --target policy .`
ARG NODE_IMAGE=node:26-bookworm-slim
ARG VERSION=0.1.0
ARG REVISION=unknown

# What decides which dependencies there are. While it stays the same, they are not installed again.
FROM ${NODE_IMAGE} AS manifests
COPY . /app
RUN find /app -type f ! -name package.json ! -name 'pnpm-*.yaml' -delete && find /app -type d -empty -delete

FROM ${NODE_IMAGE} AS build
ARG PNPM_VERSION=12
RUN npm install --global --no-fund --no-audit --no-update-notifier pnpm@${PNPM_VERSION}
WORKDIR /app
COPY --from=manifests /app ./
# Dozens of connections at once, as many as pnpm would open, overrun some resolvers and proxies.
RUN --mount=type=cache,id=gatehouse-pnpm,target=/pnpm \
    pnpm --filter @gatehouse/policy-service... --filter @gatehouse/executor-service... install --frozen-lockfile --ignore-scripts \
      --network-concurrency 8 --store-dir /pnpm --package-import-method copy
COPY . ./
RUN set -e; for service in policy executor; do (cd services/$service && node_modules/.bin/rolldown -c ../../rolldown.config.ts); done

# INVARIANT: the bundle is warmed up by the user that runs it; Node keeps a compile cache for each.
FROM ${NODE_IMAGE} AS service
WORKDIR /app
RUN install -d -o node -g node cache
COPY deploy/image/healthcheck.mjs LICENSE ./
ENV NODE_ENV=production
USER node
# The services handle SIGTERM and SIGINT themselves, also as process 1, and start no processes that would need reaping.
STOPSIGNAL SIGTERM
CMD ["node", "main.mjs"]
LABEL org.opencontainers.image.licenses="MIT"

FROM service AS policy
COPY --from=build /app/services/policy/dist ./
ENV POLICY_BIND_ADDR=0.0.0.0:8081
RUN --mount=type=bind,source=deploy/image/warm-up.sh,target=/warm-up.sh sh /warm-up.sh POLICY
# Last, so that a new revision repeats no step.
ARG VERSION
ARG REVISION
LABEL org.opencontainers.image.title="gatehouse-policy" \
      org.opencontainers.image.description="Answers what an AI planner wants to do with one decision per guardrail." \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
EXPOSE 8081
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s --retries=3 CMD ["node", "healthcheck.mjs", "POLICY"]

FROM service AS executor
COPY --from=build /app/services/executor/dist ./
# Garbage, compilers and ended threads take 30 MiB less (docs/performance.md).
ENV HTTP_EXECUTOR_BIND_ADDR=0.0.0.0:8092 NODE_OPTIONS=--max-semi-space-size=16 MALLOC_ARENA_MAX=2
RUN --mount=type=bind,source=deploy/image/warm-up.sh,target=/warm-up.sh sh /warm-up.sh HTTP_EXECUTOR
ARG VERSION
ARG REVISION
LABEL org.opencontainers.image.title="gatehouse-executor" \
      org.opencontainers.image.description="Performs the outbound JSON requests of an AI planner inside a sandbox." \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
EXPOSE 8092
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s --retries=3 CMD ["node", "healthcheck.mjs", "HTTP_EXECUTOR"]
