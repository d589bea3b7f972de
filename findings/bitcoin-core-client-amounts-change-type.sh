#!/usr/bin/env bash
# bitcoin-core 5.0.0, the npm client for Bitcoin Core's RPC. Core prints every amount with eight decimals. One expects all
# amounts as numbers, or all as strings. In fact the type depends on the number of digits: amounts below 1,000,000 BTC
# are numbers and larger ones are strings, so that `balance + 1` of a large wallet is a concatenation. The replies come from
# a small HTTP server here.
#
# Output seen:
#   0.10000000: number, plus 1 is 1.1
#   999999.00000000: number, plus 1 is 1000000
#   1000000.00000000: string, plus 1 is 1000000.000000001
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
npm init -y >/dev/null; npm install --silent --no-audit --no-fund --ignore-scripts bitcoin-core@5.0.0 >/dev/null
cat > run.mjs <<'JS'
import http from 'node:http';
import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);

const Client = require('bitcoin-core');
let amount = '';
const server = http.createServer((request, response) => {
  request.resume().on('end', () => response.setHeader('content-type', 'application/json').end(`{"result":${amount},"error":null,"id":1}`));
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const client = new (Client.default ?? Client)({ host: `http://127.0.0.1:${server.address().port}`, username: 'u', password: 'p' });
for (amount of ['0.10000000', '999999.00000000', '1000000.00000000']) {
  const balance = await client.getBalance();
  console.log(`${amount}: ${typeof balance}, plus 1 is ${balance + 1}`);
}
server.close();
JS
node run.mjs | tee seen
diff seen - <<'TXT'
0.10000000: number, plus 1 is 1.1
999999.00000000: number, plus 1 is 1000000
1000000.00000000: string, plus 1 is 1000000.000000001
TXT
