// Tests two nodes that connect to each other through I2P. The I2P router is a simulation (framework/sam-bridge.ts).
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { Daemon } from '../framework/daemon.js';
import { SamBridge } from '../framework/sam-bridge.js';
import { until } from '../framework/until.js';

interface NetworkInfo {
  readonly networks: readonly { readonly name: string }[];
  readonly localaddresses: readonly { readonly address: string; readonly port: number; readonly score: number }[];
}

t.test('connects to another node by its I2P address', async (t) => {
  const bridge = await SamBridge.open();
  t.teardown(() => bridge.close());
  const sam = `-i2psam=127.0.0.1:${bridge.port}`;
  const [called, caller] = await Promise.all([
    Daemon.start(sam, '-i2pacceptincoming', '-connect=0', '-debug=i2p'),
    Daemon.start(sam, '-onlynet=i2p', '-connect=0', '-debug=i2p'),
  ]);
  t.teardown(() => Promise.all([called.remove(), caller.remove()]));
  const info = async (node: Daemon) => (await node.call('getnetworkinfo')) as NetworkInfo;
  await until('the address', async () => (await info(called)).localaddresses.length > 0);
  const [own] = (await info(called)).localaddresses;
  t.match(own, { address: /^[a-z2-7]{52}\.b32\.i2p$/, port: 0, score: 4 });
  t.equal(fs.statSync(path.join(called.networkDir, 'i2p_private_key')).mode & 0o777, 0o600);
  const shown = (await info(caller)).networks.map((network) => ({ ...network }));
  const proxy = `127.0.0.1:${bridge.port}`;
  t.match(shown[3], { name: 'i2p', limited: false, reachable: true, proxy, proxy_randomize_credentials: false });
  t.match(shown[0], { name: 'ipv4', limited: true, reachable: false });

  await called.call('generatetoaddress', 1, 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080');
  await caller.call('addnode', own?.address, 'onetry');
  await until('the block', async () => (await caller.call('getblockcount')) === 1);
  const [peer] = (await caller.call('getpeerinfo')) as Record<string, unknown>[];
  t.match(peer, { addr: own?.address, network: 'i2p', addrbind: /^[a-z2-7]{52}\.b32\.i2p:0$/, inbound: false });
  const [from] = (await called.call('getpeerinfo')) as Record<string, unknown>[];
  t.match(from, { addr: peer?.addrbind, network: 'i2p', addrbind: `${own?.address}:0`, inbound: true });
  t.equal(fs.existsSync(path.join(caller.networkDir, 'i2p_private_key')), false, 'who listens nowhere has no lasting address');
});
