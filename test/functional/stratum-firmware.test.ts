// Tests miners with different firmware. Each profile connects in its own order, writes its shares in its own way, and
// mines a block that pays its address. The profiles follow what these programs send.
import t from 'tap';
import { Daemon } from '../framework/daemon.js';
import { freePort } from '../framework/ports.js';
import { type ServerLine, type ShareForm, StratumClient } from '../framework/stratum-client.js';
import { until } from '../framework/until.js';

interface Profile {
  readonly firmware: string;
  /** Sends the firmware's opening requests until the miner has its first job. */
  readonly connect: (miner: StratumClient, name: string) => Promise<void>;
  readonly share?: ShareForm;
  readonly submitId?: unknown;
}

const agent = (miner: StratumClient, id: unknown, ...params: unknown[]): void => miner.send({ id, method: 'mining.subscribe', params });
const authorize = (miner: StratumClient, id: unknown, name: string): void =>
  miner.send({ id, method: 'mining.authorize', params: [name, 'x'] });
const suggest = (miner: StratumClient, id: unknown, difficulty: number | string): void =>
  miner.send({ id, method: 'mining.suggest_difficulty', params: [difficulty] });
const configure = (miner: StratumClient, id: unknown, ...params: unknown[]): void => miner.send({ id, method: 'mining.configure', params });

function expectResult({ result, error }: ServerLine, wanted: unknown): void {
  if (JSON.stringify(result) !== JSON.stringify(wanted) || error !== null) throw new Error(JSON.stringify({ result, error }));
}

const ROLLING = { 'version-rolling': true, 'version-rolling.mask': '1fffe000' };
const littleEndian = (count: number): string => {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32LE(count);
  return bytes.toString('hex');
};

/** Checks that the very next line is the reply, as simple miners expect. */
async function nextIsReply(miner: StratumClient, id: unknown): Promise<ServerLine> {
  const line = await miner.next();
  if (line.id !== id || line.method !== undefined) throw new Error(`expected the reply ${id}, got ${JSON.stringify(line)}`);
  return line;
}

const PROFILES: readonly Profile[] = [
  {
    firmware: 'Bitaxe before 2.13: everything at once',
    connect: async (miner, name) => {
      configure(miner, 1, ['version-rolling'], { 'version-rolling.mask': 'ffffffff' });
      agent(miner, 2, 'bitaxe/BM1366/v2.8.0');
      authorize(miner, 3, name);
      suggest(miner, 4, 1000);
      expectResult(await nextIsReply(miner, 1), ROLLING);
      miner.subscribed(await nextIsReply(miner, 2));
      expectResult(await nextIsReply(miner, 3), true);
    },
    share: { versionBits: 0x00a4_2000, extranonce2: littleEndian },
    submitId: 5,
  },
  {
    firmware: 'Bitaxe since 2.15: difficulty and extranonce after authorization',
    connect: async (miner, name) => {
      configure(miner, 1, ['version-rolling'], { 'version-rolling.mask': 'ffffffff' });
      agent(miner, 2, 'bitaxe/BM1370/v2.15.0');
      authorize(miner, 3, name);
      expectResult(await miner.reply(1), ROLLING);
      miner.subscribed(await miner.reply(2));
      expectResult(await miner.reply(3), true);
      suggest(miner, 4, 1000);
      miner.send({ id: 5, method: 'mining.extranonce.subscribe', params: [] });
      expectResult(await miner.reply(5), true);
    },
    share: { versionBits: 0x1fff_e000, extranonce2: littleEndian },
    submitId: 6,
  },
  {
    firmware: 'NerdQAxe: subscribes before it configures',
    connect: async (miner, name) => {
      agent(miner, 1, 'NerdQAxe++/v1.0.35');
      miner.subscribed(await miner.reply(1));
      configure(miner, 2, ['version-rolling'], { 'version-rolling.mask': '1fffe000' });
      expectResult(await miner.reply(2), ROLLING);
      authorize(miner, 3, name);
      expectResult(await miner.reply(3), true);
      suggest(miner, 4, 2048);
    },
    share: { versionBits: 0x0000_2000 },
  },
  {
    firmware: 'NerdMiner: one line is the reply, nonces without leading zeros',
    connect: async (miner, name) => {
      agent(miner, 1, 'NerdMinerV2/1.8.3');
      miner.subscribed(await nextIsReply(miner, 1));
      authorize(miner, 2, name);
      expectResult(await nextIsReply(miner, 2), true);
      suggest(miner, 3, 0.00015);
    },
    share: { extranonce2: () => '0000000000000001', nonce: (nonce) => nonce.toString(16) },
  },
  {
    firmware: 'cgminer and Whatsminer: waits for each reply, ids go on from an earlier connection',
    connect: async (miner, name) => {
      configure(miner, 196, ['version-rolling'], { 'version-rolling.mask': 'ffffffff' });
      expectResult(await nextIsReply(miner, 196), ROLLING);
      agent(miner, 197, 'cgminer/4.11.1', 'deadbeef');
      miner.subscribed(await nextIsReply(miner, 197));
      authorize(miner, 198, name);
      expectResult(await miner.reply(198), true);
    },
    share: { versionBits: 0x0aaa_a000, extranonce2: littleEndian, rollSeconds: 60 },
    submitId: 199,
  },
  {
    firmware: 'BFGMiner: target before subscription, text ids',
    connect: async (miner, name) => {
      miner.send({ id: null, method: 'mining.suggest_target', params: [`00000000ffff${'0'.repeat(52)}`] });
      agent(miner, 0, 'bfgminer/5.5.0');
      miner.subscribed(await nextIsReply(miner, 0));
      miner.send({ id: 'xnsub', method: 'mining.extranonce.subscribe', params: [] });
      expectResult(await miner.reply('xnsub'), true);
      authorize(miner, 'auth', name);
      expectResult(await miner.reply('auth'), true);
    },
    share: { rollSeconds: 30 },
  },
  {
    firmware: 'cpuminer: each share has id 4',
    connect: async (miner, name) => {
      agent(miner, 1, 'cpuminer/2.5.1');
      miner.subscribed(await nextIsReply(miner, 1));
      authorize(miner, 2, name);
      expectResult(await miner.reply(2), true);
    },
    share: { extranonce2: littleEndian },
    submitId: 4,
  },
  {
    firmware: 'cpuminer-opt: difficulty as a text, with an id that was used',
    connect: async (miner, name) => {
      agent(miner, 1, 'cpuminer-opt/24.8');
      miner.subscribed(await nextIsReply(miner, 1));
      authorize(miner, 2, name);
      expectResult(await miner.reply(2), true);
      miner.send({ id: 3, method: 'mining.extranonce.subscribe', params: [] });
      expectResult(await miner.reply(3), true);
      suggest(miner, 1, '0.001000');
    },
    submitId: 4,
  },
  {
    firmware: 'Braiins OS: asks for a minimum of version bits',
    connect: async (miner, name) => {
      configure(miner, 0, ['version-rolling'], { 'version-rolling.mask': '1fffe000', 'version-rolling.min-bit-count': 16 });
      expectResult(await miner.reply(0), ROLLING);
      agent(miner, 1, 'bosminer-plus-tuner/0.9');
      authorize(miner, 2, name);
      miner.subscribed(await miner.reply(1));
      expectResult(await miner.reply(2), true);
    },
    share: { versionBits: 0x1000_0000 },
  },
  {
    firmware: 'NiceHash: several extensions',
    connect: async (miner, name) => {
      configure(miner, 1, ['version-rolling', 'minimum-difficulty', 'subscribe-extranonce'], {
        'version-rolling.mask': '1fffe000',
        'version-rolling.min-bit-count': 2,
        'minimum-difficulty.value': 500_000,
      });
      expectResult(await miner.reply(1), { ...ROLLING, 'minimum-difficulty': true, 'subscribe-extranonce': true });
      agent(miner, 2, 'NiceHash/1.0.0');
      miner.subscribed(await miner.reply(2));
      miner.send({ id: 3, method: 'mining.extranonce.subscribe', params: [] });
      expectResult(await miner.reply(3), true);
      authorize(miner, 4, name);
      expectResult(await miner.reply(4), true);
    },
    share: { versionBits: 0x0055_4000 },
  },
  {
    firmware: 'MiningRigRentals: authorizes first, rolls the version without configure',
    connect: async (miner, name) => {
      authorize(miner, 1, name);
      expectResult(await miner.reply(1), true);
      agent(miner, 2, 'miningrigrentals/1.0');
      miner.subscribed(await miner.reply(2));
    },
    share: { versionBits: 0x0123_4000 & 0x1fff_e000 },
  },
];

t.test('miners of different firmware mine a block each', async (t) => {
  const port = await freePort();
  const node = await Daemon.startFor(t, '-stratum', `-stratumport=${port}`, '-disablewallet=0');
  await node.call('createwallet', 'w');
  for (const { firmware, connect, share, submitId = 77 } of PROFILES) {
    const address = await node.call('getnewaddress', '', firmware.length % 2 === 0 ? 'bech32' : 'legacy');
    const name = `${address}.worker`;
    const miner = await StratumClient.connect(port);
    await connect(miner, name);
    await miner.until(() => miner.job !== null);
    const early = miner.lines.findIndex(({ method }) => method !== undefined);
    const replied = miner.lines.findIndex(({ result }) => Array.isArray(result));
    t.ok(replied < early, `${firmware}: nothing came unasked before the reply to subscribe`);
    t.ok(miner.difficulty !== null && miner.difficulty > 0 && miner.difficulty < 1e-8, 'a difficulty no higher than that of the network');
    const mined = miner.mine(share);
    t.ok(mined.coinbase.length < 255, `a coinbase of ${mined.coinbase.length} bytes`);
    expectResult(await miner.submit(name, mined, submitId), true);
    await miner.onTip(mined.hashHex);
    // Miners receive a new tip a moment before calls return it.
    await until('calls know the block', async () => (await node.call('getbestblockhash')) === mined.hashHex);
    const { tx } = await node.call('getblock', mined.hashHex, 2);
    t.match(JSON.stringify(tx[0].vout[0].scriptPubKey), address, 'the block pays the address in the user name');
    miner.close();
  }
  t.equal(await node.call('getblockcount'), PROFILES.length);
});
