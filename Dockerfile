# docker build -t adit .   then   docker run -v adit:/data -p 127.0.0.1:8332:8332 adit -rpcbind=0.0.0.0 -rpcallowip=172.17.0.0/16
# For an image that can be made again, name the base by digest: --build-arg BASE=node:22-bookworm-slim@sha256:...
ARG BASE=node:22-bookworm-slim
FROM ${BASE} AS build
WORKDIR /adit
COPY package.json package-lock.json ./
# What the lock file names, and none of the packages' scripts: native parts come ready in them. Not npm ci: it refuses a lock file that
# lacks other platforms' optional binaries.
RUN npm install --no-save --include=dev --ignore-scripts --no-audit --no-fund
COPY . .
RUN node node_modules/typescript/bin/tsc -p tsconfig.json && node src/bundle.mjs && npm pack --ignore-scripts
# The package as npm would install it, with the packages of the lock file.
RUN mkdir /package && tar -xzf adit-*.tgz -C /package --strip-components=1 && cp package-lock.json /package/
RUN cd /package && npm install --no-save --omit=dev --ignore-scripts --no-audit --no-fund

FROM ${BASE}
# Taproot checks at full speed.
RUN apt-get update && apt-get install -y --no-install-recommends libsecp256k1-1 && rm -rf /var/lib/apt/lists/*
WORKDIR /adit
COPY --from=build /package ./
# docker exec CONTAINER adit-cli getblockchaininfo
RUN printf '#!/bin/sh\nexec node /adit/build/bundle/src/bin/adit-cli.cjs -datadir=/data "$@"\n' > /usr/local/bin/adit-cli && chmod 755 /usr/local/bin/adit-cli
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8332 8333 9332
# Only a node that runs has a cookie. A port other than the network's own has to stand in /data/bitcoin.conf.
HEALTHCHECK --interval=30s --timeout=20s --start-period=15m CMD \
  for chain in main test testnet4 signet regtest; do adit-cli -chain=$chain uptime && exit 0; done; exit 1
# docker stop sends SIGTERM, which is a clean stop; give it time: docker stop -t 600
ENTRYPOINT ["node", "build/bundle/src/bin/aditd.cjs", "-datadir=/data"]
