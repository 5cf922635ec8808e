# Builds the service from a checkout. It runs on the Node of the base image, and not on the one that npm ci brings.
# Without tables by default: `docker build --build-arg TABLES=yes .` adds DuckDB, which scores CSV and Parquet files.
# The digest is that of the index of the base image, for x64 and arm64, with Node 24.21.0. To renew it, as for each release: write what
# `docker buildx imagetools inspect node:24-bookworm-slim` prints as its digest into both lines.
FROM node:24-bookworm-slim@sha256:d6aa754f16b3197301076f047b5def2f02ea1dbbc2ca920407d46d7ec7f87b20 AS build
WORKDIR /opt/patient-risk
COPY package.json package-lock.json ./
COPY clients/typescript/package.json clients/typescript/
COPY packages/catalog/package.json packages/catalog/
COPY packages/data/package.json packages/data/
COPY packages/engine/package.json packages/engine/
COPY packages/monitor/package.json packages/monitor/
COPY packages/patient-risk/package.json packages/patient-risk/
COPY packages/runtime/package.json packages/runtime/
COPY packages/server/package.json packages/server/
COPY packages/statistics/package.json packages/statistics/
COPY packages/workbench/package.json packages/workbench/
RUN npm ci
COPY . .
RUN npm run build:workbench
ARG TABLES=no
RUN if [ "$TABLES" = yes ]; then npm prune --omit=dev; else npm prune --omit=dev --omit=optional; fi
RUN rm -rf node_modules/node node_modules/.bin/node

FROM node:24-bookworm-slim@sha256:d6aa754f16b3197301076f047b5def2f02ea1dbbc2ca920407d46d7ec7f87b20
RUN useradd --system --uid 10001 --home-dir /var/lib/patient-risk --create-home patient-risk
COPY --from=build /opt/patient-risk /opt/patient-risk
WORKDIR /opt/patient-risk
ENV HOST=0.0.0.0 PORT=8080 DATA_DIR=/var/lib/patient-risk
USER 10001
VOLUME /var/lib/patient-risk
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=2s CMD ["node", "-e", "fetch('http://127.0.0.1:8080/health/ready').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "bin/patient-risk.js"]
CMD ["serve"]
