// Tests listsinceblock while the chain is reorganised: the reply must describe the branch of its `lastblock`. Otherwise
// a client that continues from that block would miss the blocks in between.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import t from 'tap';
import { createNativeCrypto } from '../../../src/crypto/native/index.js';
import { ListenerGuard } from '../../../src/lib/listener-guard.js';
import { silentLogger } from '../../../src/log/logger.js';
import { NodeClientServer } from '../../../src/node/node-client-server.js';
import { encodeJson } from '../../../src/rpc/wire/json-write.js';
import { CLIENT_COUNTER, LinkedNodeClient } from '../../../src/wallet/linked-node-client.js';
import { sameBlock } from '../../../src/wallet/node-client.js';
import { createNode } from '../../framework/growing-node.js';
import { createMemoryWallet } from '../../framework/memory-wallet.js';
import { runMethod } from '../../framework/run-method.js';
import { contextOf, run } from '../../framework/wallet-calls.js';
import { managerIn, PLAIN_WALLET } from '../../framework/wallet-manager.js';

/** Makes a wallet that watches the script that every block pays, and the two ends of its link to the node. */
async function followedNode(t: { teardown(end: () => unknown): unknown }) {
  const node = createNode();
  const { port1, port2 } = new MessageChannel();
  const counters = new Int32Array(new SharedArrayBuffer(4 * CLIENT_COUNTER.COUNT));
  const server = new NodeClientServer(node.client, port1, counters, new ListenerGuard(silentLogger));
  const client = new LinkedNodeClient({ facts: server.facts, port: port2, counters, hashes: createNativeCrypto() });
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-since-block-'));
  const { surroundings } = await createMemoryWallet();
  const manager = managerIn({ dir, surroundings, tip: node.tip, deps: { client } });
  const { wallet } = await manager.createWallet({ ...PLAIN_WALLET, name: 'w', disablePrivateKeys: true });
  await run(wallet, 'importaddress', '51', '', false);
  t.teardown(async () => {
    await manager.close();
    port1.close();
    fs.rmSync(dir, { recursive: true, force: true });
  });
  const context = { ...contextOf(wallet), client };
  const since = async (hashHex: string) => {
    const result = await runMethod('listsinceblock', context, [hashHex, null, true], { user: '', path: '/' });
    return JSON.parse(encodeJson(result)) as { transactions: { blockheight?: number }[]; removed: unknown[]; lastblock: string };
  };
  /**
   * Changes the chain and the wallet between the moment when the node's next answer arrives and the event-loop tick in
   * which the wallet reads it.
   */
  const afterNextAnswer = (change: () => void): unknown =>
    port1.once('message', () => {
      change();
      client.sync();
      // Each call applies the events of one slice.
      while (!sameBlock(wallet.tip, client.tip)) void wallet.events.applyPending();
    });
  return { node, since, afterNextAnswer };
}

t.test('listsinceblock answers for the new branch after a reorganisation during the call', async (t) => {
  const { node, since, afterNextAnswer } = await followedNode(t);
  const [, , known] = Array.from({ length: 4 }, () => node.connect());
  afterNextAnswer(() => {
    for (let i = 0; i < 3; i++) node.disconnect();
    for (let i = 0; i < 4; i++) node.connect();
  });
  node.returning = false;
  const { transactions, removed, lastblock } = await since(known.hashHex);
  t.equal(lastblock, node.tip.hashHex);
  t.same(transactions.flatMap(({ blockheight }) => blockheight ?? []).sort(), [2, 3, 4, 5], 'what joined since the fork');
  t.equal(removed.length, 2, 'what left');
});

t.test('listsinceblock includes a block that is connected during the call', async (t) => {
  const { node, since, afterNextAnswer } = await followedNode(t);
  const [, known] = Array.from({ length: 3 }, () => node.connect());
  afterNextAnswer(() => node.connect());
  const { transactions, removed, lastblock } = await since(known.hashHex);
  t.equal(lastblock, node.tip.hashHex);
  t.same(transactions.map(({ blockheight }) => blockheight).sort(), [3, 4]);
  t.same(removed, []);
});
