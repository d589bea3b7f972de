#!/usr/bin/env bash
# rpc-bitcoin 2.0.0, an npm client for Bitcoin Core's RPC. JSON-RPC 2.0 and Core's documents write the member "jsonrpc" as a
# string, "1.0" or "2.0". One expects that of a client. In fact it sends the number 1, and no option changes this. Core up to
# 27 ignores the member. Core 28 and later read it, and answer every such request with code -32600, "jsonrpc field must be a
# string". So no call of this client works there.
#
# Output seen:
#   {"method":"getblockcount","params":{},"jsonrpc":1,"id":"rpc-bitcoin"}
#   {"method":"getblock","params":{"blockhash":"00","verbosity":1},"jsonrpc":1,"id":"rpc-bitcoin"}
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
npm init -y >/dev/null; npm install --silent --no-audit --no-fund --ignore-scripts rpc-bitcoin@2.0.0 >/dev/null
cat > run.mjs <<'JS'
import http from 'node:http';
import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);

const { RPCClient } = require('rpc-bitcoin');
const server = http.createServer((request, response) => {
  let body = '';
  request.on('data', (piece) => (body += piece)).on('end', () => {
    console.log(body);
    response.setHeader('content-type', 'application/json').end('{"result":0,"error":null,"id":"rpc-bitcoin"}');
  });
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const client = new RPCClient({ url: 'http://127.0.0.1', port: server.address().port, user: 'u', pass: 'p', timeout: 5000 });
await client.getblockcount();
await client.getblock({ blockhash: '00' });
server.close();
JS
node run.mjs | tee seen
diff seen - <<'TXT'
{"method":"getblockcount","params":{},"jsonrpc":1,"id":"rpc-bitcoin"}
{"method":"getblock","params":{"blockhash":"00","verbosity":1},"jsonrpc":1,"id":"rpc-bitcoin"}
TXT
