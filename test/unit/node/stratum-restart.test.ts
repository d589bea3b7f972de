// The thread that serves Stratum V1 miners or Stratum V2 clients dies at the instant of a found block: the chain gets the
// block from its file, another thread listens at the same ports, and miners and clients that come back are served.
import fs from 'node:fs';
import path from 'node:path';
import t, { type Test } from 'tap';
import { regtestParams } from '../../../src/consensus/params/regtest.js';
import { createNativeHashes } from '../../../src/crypto/native/hashes.js';
import { createKeyMath } from '../../../src/crypto/native/key-math.js';
import { ListenerGuard } from '../../../src/lib/listener-guard.js';
import type { Logger } from '../../../src/log/logger.js';
import { createStratum, type StratumDeps } from '../../../src/node/stratum.js';
import { createSv2, type Sv2Deps } from '../../../src/node/sv2.js';
import { nothingChosen } from '../../../src/template/assembly.js';
import { buildBlock, GENESIS } from '../../framework/chain-builder.js';
import { shown } from '../../framework/messages.js';
import { freePort } from '../../framework/ports.js';
import { StratumClient, shownPrevHash } from '../../framework/stratum-client.js';
import { Sv2Client } from '../../framework/sv2-client.js';
import { until } from '../../framework/until.js';

const NAME = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080.rig';

/** Creates the parts of a node that both servers need, with a tip that the test moves. */
function createNode(t: Test, port: number) {
  const folder = t.testdir({ blocks: {}, sv2: {} });
  const netDir = `${folder}/blocks`;
  const lines: string[] = [];
  const line = (text: string): unknown => lines.push(text);
  const submitted: string[] = [];
  const recorded: unknown[] = [];
  const params = regtestParams();
  const tipOf = (number: number) => {
    const bits = { bits: 0x207fffff, minDifficulty: null, minTime: 1 };
    const facts = { height: number + 1, version: 0x20000000, subsidy: 50, segwitActive: true, ...bits };
    return { tip: { hash: new Uint8Array(32).fill(number), prev: null }, facts, chosen: nothingChosen(4000) };
  };
  let number = 1;
  let at = tipOf(number);
  const moveTip = (): void => {
    at = tipOf(++number);
  };
  const deps = {
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
        sync: async () => {},
      },
    },
    templates: {
      get tip() {
        return at;
      },
      choose: async () => at,
    },
    hashes: createNativeHashes(),
    network: 'regtest',
    longPollDeltaSats: 1_000,
    clock: { nowSeconds: () => 1_700_000_000, nowMs: () => Date.now(), monotonicMs: () => performance.now() },
    log: { info: line, warn: line, error: line, debug: () => {} } as unknown as Logger,
    guard: new ListenerGuard({ error: line }),
    publishShares: null,
    submissions: { record: (one: unknown) => recorded.push(one) },
    wanted: () => true,
    entry: new URL('./mortal-stratum.js', import.meta.url),
  } as unknown as StratumDeps;
  const config = {
    ...{
      binds: [`127.0.0.1:${port}`],
      port,
      tls: null,
      tlsPort: 1,
      most: 10,
      perAddress: 10,
      sharesPerSecond: 50,
      front: undefined,
      blocksFolder: netDir,
    },
    ...{ mostWorkers: 10, workersFolder: `${folder}/workers` },
    work: {
      ...{ payoutAddress: undefined, fee: undefined, tag: 'adit', startDifficulty: 1, leastDifficulty: 1, mostDifficulty: 1_000 },
      ...{ sharesPerMinute: 8, versionMask: '1fffe000' },
    },
  };
  return { deps, config, lines, submitted, recorded, moveTip, folder, netDir, tipNumber: () => number };
}

t.test('serves miners again after its thread died with a found block', async (t) => {
  const port = await freePort();
  const { deps, config, lines, submitted, recorded, moveTip, netDir, tipNumber } = createNode(t, port);
  const stratum = createStratum(config, deps);
  t.teardown(() => stratum.close());
  await stratum.listen();
  // There is no work before the chain is loaded.
  await (await StratumClient.connect(port)).ended();
  await stratum.start();

  for (let life = 1; life <= 2; life++) {
    const miner = await StratumClient.start(port, NAME);
    t.equal(shownPrevHash(miner.job!.prevHash), `0${tipNumber()}`.repeat(32), 'the miner works on the tip');
    t.equal(stratum.measures().serving.minersOpen, 1);
    const { params, hashHex } = miner.mine();
    miner.send({ id: 9, method: 'mining.submit', params: [NAME, ...params] });
    await miner.ended();
    t.notOk(
      miner.lines.some(({ id }) => id === 9),
      'the thread died before its reply',
    );
    await until('the block is submitted', () => submitted.includes(hashHex));
    t.match(recorded.at(-1), { hash: hashHex, outcome: 'accepted' });
    moveTip();
    stratum.onTip();
    await until('another thread listens', () => stratum.addresses.length > 0);
    t.same(stratum.addresses, [`127.0.0.1:${port}`], 'at the same port');
    t.same([stratum.measures().serving.connectionsOpen, stratum.measures().serving.minersOpen], [0, 0]);
  }
  const miner = await StratumClient.start(port, NAME);
  t.equal(shownPrevHash(miner.job!.prevHash), '03'.repeat(32));
  moveTip();
  stratum.onTip();
  await miner.onTip('04'.repeat(32));
  miner.close();
  t.equal(lines.filter((text) => text.startsWith('Stratum V1: ') && text.includes('the thread ended with code 5')).length, 2);
  t.same(fs.readdirSync(netDir), [], 'no file is left');
  // Before the folder of the test is removed.
  await stratum.close();
});

/** Creates the server for Stratum V2 clients, whose thread dies when it has read a block. */
function createSv2Over(deps: StratumDeps, folder: string, port: number) {
  const sv2Dir = `${folder}/sv2`;
  const mortal = { netDir: sv2Dir, keys: createKeyMath(), entry: new URL('./mortal-serve.js', import.meta.url) };
  const authorityKeyFile = path.join(sv2Dir, 'key');
  const config = { binds: [`127.0.0.1:${port}`], port, authorityKeyFile, intervalSeconds: 5, feeDeltaSats: 1000, perAddress: 64 };
  return { sv2: createSv2(config, { ...deps, ...mortal } as unknown as Sv2Deps), sv2Dir };
}

t.test('serves Stratum V2 clients again after its thread died', async (t) => {
  const port = await freePort();
  const { deps, lines, submitted, moveTip, folder, tipNumber } = createNode(t, port);
  const { sv2, sv2Dir } = createSv2Over(deps, folder, port);
  t.teardown(() => sv2.close());
  await sv2.listen();
  await sv2.start();

  for (let life = 1; life <= 2; life++) {
    const client = await Sv2Client.start(port, sv2.authorityKey);
    const { prevHash } = await client.nextOf('prevhash');
    t.same(prevHash, Buffer.alloc(32, tipNumber()), 'it receives the tip');
    t.equal(sv2.figures().clientsOpen, 1);
    // The thread reads the block and dies before it reports it.
    const found = buildBlock(GENESIS, { time: 1_700_000_000 + life });
    fs.writeFileSync(path.join(sv2Dir, 'sv2-solutions', `${found.hashHex}.blk`), found.bytes);
    t.same(await sv2.clients(), [], 'the thread ends');
    await client.ended();
    await until('its end is noticed', () => sv2.addresses.length === 0);
    await until('the block is submitted', () => submitted.includes(found.hashHex));
    // The thread knows events of the meantime when it is back.
    moveTip();
    sv2.onTip();
    await until('another thread listens', () => sv2.addresses.length > 0);
    t.same(sv2.addresses, [`127.0.0.1:${port}`], 'at the same port');
    t.same([sv2.figures().connectionsOpen, sv2.figures().clientsOpen], [0, 0], 'what was open with it is not counted any more');
  }
  const client = await Sv2Client.start(port, sv2.authorityKey);
  t.same((await client.nextOf('prevhash')).prevHash, Buffer.alloc(32, 3));
  moveTip();
  sv2.onTip();
  await client.onTip('04'.repeat(32));
  t.same(client.wrongs, []);
  client.close();
  const ended = 'Stratum V2: The thread that serves clients ended: the thread ended with code 5. adit restarts it.';
  t.equal(lines.filter((text) => text === ended).length, 2);
  t.equal(lines.filter((text) => text === 'Stratum V2: Clients are served again.').length, 2);
  // Before the folder of the test is removed.
  await sv2.close();
});

t.test('serves miners and Stratum V2 clients again after both threads died at once, with a block each', async (t) => {
  const [port, sv2Port] = [await freePort(), await freePort()];
  const { deps, config, submitted, moveTip, folder } = createNode(t, port);
  const stratum = createStratum(config, deps);
  const { sv2, sv2Dir } = createSv2Over(deps, folder, sv2Port);
  t.teardown(() => Promise.all([stratum.close(), sv2.close()]));
  await Promise.all([stratum.listen(), sv2.listen()]);
  await Promise.all([stratum.start(), sv2.start()]);
  const miner = await StratumClient.start(port, NAME);
  const client = await Sv2Client.start(sv2Port, sv2.authorityKey);
  await client.nextOf('prevhash');
  const { params, hashHex } = miner.mine();
  const other = buildBlock(GENESIS, { time: 1_700_000_001 });
  fs.writeFileSync(path.join(sv2Dir, 'sv2-solutions', `${other.hashHex}.blk`), other.bytes);
  miner.send({ id: 9, method: 'mining.submit', params: [NAME, ...params] });
  await Promise.all([sv2.clients(), miner.ended(), client.ended()]);
  await until('both blocks are submitted', () => submitted.includes(hashHex) && submitted.includes(other.hashHex));
  moveTip();
  stratum.onTip();
  sv2.onTip();
  await until('both listen', () => stratum.addresses.length > 0 && sv2.addresses.length > 0);
  const again = await StratumClient.start(port, NAME);
  const clientAgain = await Sv2Client.start(sv2Port, sv2.authorityKey);
  t.equal(shownPrevHash(again.job!.prevHash), '02'.repeat(32));
  t.same((await clientAgain.nextOf('prevhash')).prevHash, Buffer.alloc(32, 2));
  again.close();
  clientAgain.close();
  // Before the folder of the test is removed.
  await Promise.all([stratum.close(), sv2.close()]);
});
