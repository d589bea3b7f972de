# docker build -t adit .   then   docker run -v adit:/data -p 127.0.0.1:8332:8332 adit -rpcbind=0.0.0.0 -rpcallowip=172.17.0.0/16
# For an image that can be made again, name the base by digest: --build-arg BASE=node:22-bookworm-slim@sha256:...
ARG BASE=node:22-bookworm-slim
FROM ${BASE} AS build
WORKDIR /adit
COPY package.json package-lock.json ./
# Exactly what the lock file names, and none of the packages' scripts: native parts come ready in them.
RUN npm ci --include=dev --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.pure.json ./
COPY src src
COPY workers workers
COPY bench bench
COPY test test
RUN node node_modules/typescript/bin/tsc -p tsconfig.json && rm -rf build/test build/bench && npm prune --omit=dev --ignore-scripts

FROM ${BASE}
# Taproot checks at full speed.
RUN apt-get update && apt-get install -y --no-install-recommends libsecp256k1-1 && rm -rf /var/lib/apt/lists/*
WORKDIR /adit
COPY --from=build /adit/package.json ./
COPY --from=build /adit/node_modules node_modules
COPY --from=build /adit/build build
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8332 8333 9332
# docker stop sends SIGTERM, which is a clean stop; give it time: docker stop -t 600
ENTRYPOINT ["node", "build/src/aditd.js", "-datadir=/data"]
