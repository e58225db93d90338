# The API and the worker: one image, two commands (`api/server.ts`, `worker/server.ts`), built for arm64 by the CDK.
FROM node:24-bookworm-slim AS build
WORKDIR /source
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN node scripts/build-console.ts && node scripts/assemble-image.ts /image
# RDS' own certificate authorities; the database is reached by TLS with its name checked.
ADD --chmod=444 https://truststore.pki.rds.amazonaws.com/global/global-bundle.pem /image/rds-authorities.pem

# No shell, no package manager, not root.
FROM gcr.io/distroless/nodejs24-debian12:nonroot
WORKDIR /app
COPY --from=build --chown=root:root /image /app
ENV NODE_ENV=production NODE_EXTRA_CA_CERTS=/app/rds-authorities.pem
USER 65532:65532
STOPSIGNAL SIGTERM
EXPOSE 3000
# Exec form: Node itself hears SIGTERM.
ENTRYPOINT ["/nodejs/bin/node"]
CMD ["api/server.ts"]
