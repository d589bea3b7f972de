# docker build -t adit .   then   docker run -v adit:/data -p 127.0.0.1:8332:8332 adit -rpcbind=0.0.0.0 -rpcallowip=172.17.0.0/16
FROM node:20-bookworm-slim AS build
WORKDIR /adit
COPY package.json package-lock.json ./
RUN npm install --include=dev --no-audit --no-fund
COPY tsconfig.json tsconfig.pure.json ./
COPY src src
COPY workers workers
COPY bench bench
COPY test test
RUN node node_modules/typescript/bin/tsc -p tsconfig.json && rm -rf build/test build/bench && npm prune --omit=dev

FROM node:20-bookworm-slim
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
