// The server of Stratum V1 miners without its thread: either over pipes in memory with a clock that the test sets, or
// over real sockets.
import type net from 'node:net';
import type { Test } from 'tap';
import { regtestParams } from '../../../../src/consensus/params/regtest.js';
import { createNativeHashes } from '../../../../src/crypto/native/hashes.js';
import type { ServedTemplate } from '../../../../src/mining/messages.js';
import { StratumCounters } from '../../../../src/stratum/serve/counters.js';
import type { FromStratum, StratumOptions } from '../../../../src/stratum/serve/messages.js';
import { StratumServer } from '../../../../src/stratum/serve/server.js';
import { createWork } from '../../../../src/stratum/serve/work-options.js';
import { Extranonces } from '../../../../src/stratum/work/extranonces.js';
import { pipe } from '../../../framework/pipe.js';
import { StratumClient } from '../../../framework/stratum-client.js';

export const ADDRESS = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
const START_MS = 1_700_000_000_000;
const EASY = 2n ** 255n - 1n;
const NONE = new Int32Array(0);
let serials = 0;

export const template = (kind: ServedTemplate['kind'] = 'full'): ServedTemplate => ({
  ...{ serial: ++serials, kind, height: 5, version: 0x2000_0000, value: 5_000_000_000 },
  commitment: Buffer.from(`6a24aa21a9ed${'00'.repeat(32)}`, 'hex'),
  branch: [],
  transactions: { segments: [], segmentOf: NONE, offsets: NONE, lengths: NONE },
});

export interface World {
  readonly server: StratumServer;
  readonly posted: FromStratum[];
  readonly counters: StratumCounters;
  readonly dir: string;
  readonly extranonces: Extranonces;
  /** Milliseconds of the clock. */
  nowMs: number;
  lines(): string[];
  /** Announces a new tip with an easy target. */
  newTip(): void;
  /** Opens a connection from this address and returns the client's end. */
  connect(address?: string): StratumClient;
  /** Connects a miner and waits until it has a job. */
  miner(address?: string): Promise<StratumClient>;
  /** Advances the clock second by second. */
  seconds(count: number): Promise<void>;
}

export function createWorld(t: Test, given: Partial<StratumOptions> = {}): World {
  const posted: FromStratum[] = [];
  const counters = new StratumCounters();
  const hashes = createNativeHashes();
  const { base58, bech32Hrp } = regtestParams();
  const work = {
    ...{ payoutAddress: undefined, fee: undefined, tag: 'adit', startDifficulty: 1024, leastDifficulty: 1, mostDifficulty: 2 ** 40 },
    ...{ sharesPerMinute: 8, versionMask: '1fffe000' },
  };
  const dir = t.testdir();
  const options = {
    ...{ binds: [{ host: '127.0.0.1', port: 0, tls: false }], tls: null, most: 1_000, perAddress: 256, sharesPerSecond: 50 },
    ...{ reserve: { weight: 8_000, sigops: 400 }, solutionsDir: dir, mostWorkers: 100, workerRows: [] },
    ...given,
  };
  const extranonces = new Extranonces(0, 1);
  const world = { nowMs: START_MS, posted, counters, dir, extranonces } as unknown as World & { server: StratumServer };
  world.server = new StratumServer({
    ...{ options, counters },
    stream: null,
    context: createWork({ work, network: { name: 'regtest', base58, bech32Hrp }, otherNetworks: [] }, hashes, START_MS / 1000),
    extranonces,
    nowMs: () => world.nowMs,
    post: (message) => posted.push(message),
  });
  t.teardown(() => world.server.close());
  world.lines = () => posted.flatMap((one) => (one.kind === 'log' ? [one.text] : []));
  let tips = 0;
  world.newTip = () => {
    const first = template('empty');
    const prevHash = new Uint8Array(32).fill(++tips);
    const seconds = Math.floor(world.nowMs / 1000);
    const times = { headerTimestamp: seconds, minTime: seconds - 600, acceptedMs: null };
    world.server.receive({
      kind: 'tip',
      tip: { prevHash, height: 5, bits: 0x207fffff, target: EASY, ...times },
      activate: first.serial,
      template: first,
    });
  };
  world.newTip();
  world.connect = (address = '127.0.0.1') => {
    const [theirs, ours] = pipe(address);
    world.server.accept(ours as unknown as net.Socket);
    return StratumClient.over(theirs as unknown as net.Socket);
  };
  world.miner = async (address) => {
    const miner = world.connect(address);
    await miner.begin(`${ADDRESS}.rig`);
    return miner;
  };
  world.seconds = async (count) => {
    for (let i = 0; i < count; i++) {
      world.nowMs += 1_000;
      world.server.tick();
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return world;
}
