# docker build -t adit .
# docker run -v adit:/data -p 127.0.0.1:8332:8332 adit -rpcbind=0.0.0.0 -rpcallowip=172.16.0.0/12
# For a reproducible image name the base by digest: --build-arg BASE=node:22-bookworm-slim@sha256:...
ARG BASE=node:22-bookworm-slim
FROM ${BASE} AS build
WORKDIR /adit
COPY package.json package-lock.json ./
# Installs the packages of the lock file without their scripts: they contain their binaries. `npm ci` would refuse a lock file that lacks
# optional binaries of other platforms.
RUN npm install --no-save --include=dev --ignore-scripts --no-audit --no-fund
COPY . .
RUN node node_modules/typescript/bin/tsc -p tsconfig.json && node src/bundle.mjs && npm pack --ignore-scripts
# Unpacks the package as npm would install it, with the packages of the lock file.
RUN mkdir /package && tar -xzf adit-*.tgz -C /package --strip-components=1 && cp package-lock.json /package/
RUN cd /package && npm install --no-save --omit=dev --ignore-scripts --no-audit --no-fund

FROM ${BASE}
# Checks Taproot signatures at full speed.
RUN apt-get update && apt-get install -y --no-install-recommends libsecp256k1-1 && rm -rf /var/lib/apt/lists/*
WORKDIR /adit
COPY --from=build /package ./
# Puts adit-cli on the PATH: docker exec CONTAINER adit-cli getblockchaininfo
RUN printf '#!/bin/sh\nexec node /adit/build/bundle/src/bin/adit-cli.cjs -datadir=/data "$@"\n' > /usr/local/bin/adit-cli && chmod 755 /usr/local/bin/adit-cli
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8332 8333 9332
# Finds the network by its cookie, which only a running node has. If the RPC port is not the network's default, it must be in /data/bitcoin.conf.
HEALTHCHECK --interval=30s --timeout=20s --start-period=15m CMD \
  for chain in main test testnet4 signet regtest; do adit-cli -chain=$chain uptime && exit 0; done; exit 1
# `docker stop` sends SIGTERM, which stops the node cleanly. Give it time: docker stop -t 600
ENTRYPOINT ["node", "build/bundle/src/bin/aditd.cjs", "-datadir=/data"]
