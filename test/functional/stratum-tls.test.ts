// Tests miners over TLS with a certificate made for the test, and TLS options that make the start fail. Skipped if the
// openssl program is not installed.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { Daemon } from '../framework/daemon.js';
import { freePort } from '../framework/ports.js';
import { StratumClient } from '../framework/stratum-client.js';
import { until } from '../framework/until.js';

const missing = spawnSync('openssl', ['version']).status !== 0;
const ADDRESS = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';

t.test('mines a block over TLS, and refuses wrong options', { skip: missing && 'needs the openssl program' }, async (t) => {
  const dir = t.testdir();
  spawnSync(
    'openssl',
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout key.pem -out cert.pem'.split(
      ' ',
    ),
    { cwd: dir },
  );
  const [cert, key] = [path.join(dir, 'cert.pem'), path.join(dir, 'key.pem')];
  const [port, tlsPort] = [await freePort(), await freePort()];
  const lean = ['-disablewallet', '-fronts=1', '-par=1', '-stratum', `-stratumport=${port}`];
  const refusal = async (...options: string[]): Promise<string> => {
    const error = await Daemon.start(...lean, ...options).then(
      (node) => node.remove(),
      (reason: Error) => reason,
    );
    return error instanceof Error ? error.message : 'it started';
  };
  t.match(await refusal(`-stratumtlscert=${cert}`), '-stratumtlscert and -stratumtlskey have to be given together');
  t.match(await refusal(`-stratumtlscert=${cert}`, `-stratumtlskey=${cert}`), '-stratumtlscert and -stratumtlskey cannot be used');
  t.match(await refusal('-stratumaddress=bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'), '-stratumaddress');
  t.match(await refusal('-stratumfee=50'), '-stratumfee');

  const node = await Daemon.startFor(t, ...lean, `-stratumtlscert=${cert}`, `-stratumtlskey=${key}`, `-stratumtlsport=${tlsPort}`);
  // A TLS handshake on the port without TLS is closed at once.
  await t.rejects(StratumClient.connect(port, fs.readFileSync(cert, 'utf8')));
  const plain = await StratumClient.start(port, `${ADDRESS}.plain`);
  const miner = await StratumClient.connect(tlsPort, fs.readFileSync(cert, 'utf8'));
  await miner.begin(`${ADDRESS}.tls`);
  const share = miner.mine();
  t.match(await miner.submit(`${ADDRESS}.tls`, share), { result: true });
  await plain.onTip(share.hashHex);
  await miner.onTip(share.hashHex);
  await until('calls know the block', async () => (await node.call('getbestblockhash')) === share.hashHex);
  t.not(plain.extranonce1, miner.extranonce1);
  plain.close();
  miner.close();
});
