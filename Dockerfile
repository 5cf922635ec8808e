# Builds the service from a checkout. The Node that it runs on comes with its packages.
# Without tables by default: `docker build --build-arg TABLES=yes .` adds DuckDB, which scores CSV and Parquet files.
# The digest is that of the image index, so it holds for x64 and arm64. It is renewed with each release.
FROM debian:bookworm-slim@sha256:3783cc01769c7b2b1b83a5c5ad96c815348e28ed7da68e2e3687004faa906251 AS build
RUN apt-get update && apt-get install --yes --no-install-recommends ca-certificates nodejs npm && rm -rf /var/lib/apt/lists/*
WORKDIR /opt/patient-risk
COPY package.json package-lock.json ./
RUN npm ci
COPY . .
RUN npm run build:workbench
ARG TABLES=no
RUN if [ "$TABLES" = yes ]; then npm prune --omit=dev; else npm prune --omit=dev --omit=optional; fi

FROM debian:bookworm-slim@sha256:3783cc01769c7b2b1b83a5c5ad96c815348e28ed7da68e2e3687004faa906251
RUN useradd --system --uid 10001 --home-dir /var/lib/patient-risk --create-home patient-risk
COPY --from=build /opt/patient-risk /opt/patient-risk
WORKDIR /opt/patient-risk
ENV HOST=0.0.0.0 PORT=8080 DATA_DIR=/var/lib/patient-risk
USER 10001
VOLUME /var/lib/patient-risk
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=2s CMD ["/opt/patient-risk/node_modules/.bin/node", "-e", "fetch('http://127.0.0.1:8080/health/ready').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/opt/patient-risk/node_modules/.bin/node", "bin/patient-risk.js"]
CMD ["serve"]
