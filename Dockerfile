# Builds the service from a checkout. The Node that it runs on comes with its packages.
FROM debian:bookworm-slim AS build
RUN apt-get update && apt-get install --yes --no-install-recommends ca-certificates nodejs npm && rm -rf /var/lib/apt/lists/*
WORKDIR /opt/patient-risk
COPY package.json package-lock.json ./
RUN npm ci --omit=dev
COPY . .

FROM debian:bookworm-slim
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
