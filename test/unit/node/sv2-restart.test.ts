// The thread that serves Stratum V2 clients dies: blocks that it wrote are judged, another thread listens at the same
// port, and clients that come back are served.
import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { regtestParams } from '../../../src/consensus/params/regtest.js';
import { createNativeHashes } from '../../../src/crypto/native/hashes.js';
import { createKeyMath } from '../../../src/crypto/native/key-math.js';
import { ListenerGuard } from '../../../src/lib/listener-guard.js';
import type { Logger } from '../../../src/log/logger.js';
import { createSv2, type Sv2Deps } from '../../../src/node/sv2.js';
import { nothingChosen } from '../../../src/template/assembly.js';
import { buildBlock, GENESIS } from '../../framework/chain-builder.js';
import { shown } from '../../framework/messages.js';
import { freePort } from '../../framework/ports.js';
import { Sv2Client } from '../../framework/sv2-client.js';
import { until } from '../../framework/until.js';

t.test('Stratum V2 serves clients again after its thread was killed', async (t) => {
  const netDir = t.testdir();
  const port = await freePort();
  const lines: string[] = [];
  const line = (text: string): unknown => lines.push(text);
  const submitted: string[] = [];
  const params = regtestParams();
  const tipOf = (number: number) => {
    const bits = { bits: 0x207fffff, minDifficulty: null, minTime: 1 };
    const facts = { height: number + 1, version: 0x20000000, subsidy: 50, segwitActive: true, ...bits };
    return { tip: { hash: new Uint8Array(32).fill(number), prev: null }, facts, chosen: nothingChosen(4000) };
  };
  let number = 1;
  let at = tipOf(number);
  const deps = {
    netDir,
    maxWeight: 3_996_000,
    reservedWeight: 4000,
    chain: {
      view: {
        params,
        known: () => 'unknown',
        withWitnessReserved: (block: unknown) => block,
        node: () => ({}),
        contains: () => true,
      },
      commands: {
        submitBlock: async ({ hash }: { hash: Uint8Array }) => {
          submitted.push(shown(Buffer.from(hash)));
          return { kind: 'connected', reject: null };
        },
      },
    },
    templates: {
      get tip() {
        return at;
      },
      choose: async () => at,
    },
    hashes: createNativeHashes(),
    keys: createKeyMath(),
    clock: { nowSeconds: () => 1_700_000_000, nowMs: () => Date.now(), monotonicMs: () => performance.now() },
    log: { info: line, warn: line, error: line, debug: () => {} } as unknown as Logger,
    guard: new ListenerGuard({ error: line }),
    submissions: { record: () => {} },
    wanted: () => true,
    entry: new URL('./mortal-serve.js', import.meta.url),
  } as unknown as Sv2Deps;
  const authorityKeyFile = path.join(netDir, 'key');
  const config = { binds: [`127.0.0.1:${port}`], port, authorityKeyFile, intervalSeconds: 5, feeDeltaSats: 1000, perAddress: 64 };
  const sv2 = createSv2(config, deps);
  t.teardown(() => sv2.close());
  const block = (): void => {
    at = tipOf(++number);
    sv2.onTip();
  };
  await sv2.listen();
  await sv2.start();

  for (let life = 1; life <= 2; life++) {
    const client = await Sv2Client.start(port, sv2.authorityKey);
    const { prevHash } = await client.nextOf('prevhash');
    t.same(prevHash, Buffer.alloc(32, number), 'it receives the tip');
    t.equal(sv2.figures().clientsOpen, 1);
    // The thread reads the block and dies before it reports it.
    const found = buildBlock(GENESIS, { time: 1_700_000_000 + life });
    fs.writeFileSync(path.join(netDir, 'sv2-solutions', `${found.hashHex}.blk`), found.bytes);
    t.same(await sv2.clients(), [], 'the thread ends');
    await client.ended();
    await until('its end is noticed', () => sv2.addresses.length === 0);
    await until('the block is submitted', () => submitted.includes(found.hashHex));
    // The thread knows events of the meantime when it is back.
    block();
    await until('another thread listens', () => sv2.addresses.length > 0);
    t.same(sv2.addresses, [`127.0.0.1:${port}`], 'at the same port');
    t.same([sv2.figures().connectionsOpen, sv2.figures().clientsOpen], [0, 0], 'what was open with it is not counted any more');
  }
  const client = await Sv2Client.start(port, sv2.authorityKey);
  t.same((await client.nextOf('prevhash')).prevHash, Buffer.alloc(32, 3));
  block();
  await client.onTip('04'.repeat(32));
  t.same(client.wrongs, []);
  client.close();
  const told = 'Stratum V2: The thread that serves clients ended: the thread ended with code 5. adit restarts it.';
  t.equal(lines.filter((text) => text === told).length, 2);
  t.equal(lines.filter((text) => text === 'Stratum V2: Clients are served again.').length, 2);
});
