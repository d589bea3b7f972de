// Several nodes on loopback, real processes: they sync from zero, are flooded with signed transactions at different
// ends, fall apart into two halves that both mine, and find together again over a reorganisation. At each step tips,
// mempools and coins must agree.
import { setTimeout as sleep } from 'node:timers/promises';
import { Daemon } from '../framework/daemon.js';
import { testKey } from '../framework/keys.js';
import { mine, type Template } from '../framework/miner.js';
import { MiniWallet, type Spendable } from '../framework/mini-wallet.js';
import { freePort } from '../framework/ports.js';
import { PATIENCE_MS } from '../framework/until.js';

export interface MeshOptions {
  readonly nodes: number;
  /** Blocks the newcomers sync from zero. */
  readonly blocks: number;
  /** Signed transactions, entered at all nodes in turn. */
  readonly transactions: number;
  /** Blocks that one half gives up. */
  readonly reorg: number;
  readonly tell?: (line: string) => void;
}

/** Seconds of each step, and what the nodes hold at its end. */
export interface MeshReport {
  readonly syncSeconds: number;
  readonly floodSeconds: number;
  readonly reorgSeconds: number;
  readonly height: number;
  /** Transactions left in every mempool when all was over: those the winning half had not mined. */
  readonly left: number;
  /** Disagreements and errors in logs; none when all is well. */
  readonly faults: readonly string[];
}

/** The address of the usual test vector of BIP-0173: nobody spends it. */
const ADDRESS = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
const MATURITY = 100;
const OUTPUTS = 200;
const BATCH = 100;

interface PeerInfo {
  readonly addr: string;
  readonly inbound: boolean;
  readonly synced_headers: number;
  readonly synced_blocks: number;
  readonly inflight: readonly number[];
}

interface Member {
  readonly node: Daemon;
  readonly port: number;
}

class Mesh {
  readonly members: Member[] = [];
  readonly faults: string[] = [];
  /** Who called whom. */
  readonly #edges: (readonly [Member, Member])[] = [];

  async add(): Promise<Member> {
    const port = await freePort();
    // No delays of relay: what is measured is the work, not the dice.
    const options = [`-port=${port}`, '-bind=127.0.0.1', '-whitelist=noban,in,out@127.0.0.1', '-par=1', '-dbcache=16', '-fronts=1'];
    const member = { node: await Daemon.start(...options), port };
    this.members.push(member);
    return member;
  }

  async connect(from: Member, to: Member): Promise<void> {
    if (!this.#edges.some(([a, b]) => a === from && b === to)) this.#edges.push([from, to]);
    await from.node.call('addnode', `127.0.0.1:${to.port}`, 'onetry');
  }

  /** Ends the connections between two parts. @returns those who were connected */
  async part(one: ReadonlySet<Member>): Promise<(readonly [Member, Member])[]> {
    const between = this.#edges.filter(([a, b]) => one.has(a) !== one.has(b));
    for (const [from, to] of between) await from.node.call('disconnectnode', `127.0.0.1:${to.port}`);
    return between;
  }

  async all<T>(call: (node: Daemon) => Promise<T>): Promise<T[]> {
    return Promise.all(this.members.map(({ node }) => call(node)));
  }

  /** Waits until all give the same answer. @returns seconds it took */
  async agree(what: string, call: (node: Daemon) => Promise<unknown>, members: readonly Member[] = this.members): Promise<number> {
    const began = performance.now();
    let answers: string[] = [];
    for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await sleep(50)) {
      answers = (await Promise.all(members.map(({ node }) => call(node)))).map((answer) => JSON.stringify(answer));
      if (new Set(answers).size === 1) return (performance.now() - began) / 1_000;
    }
    const peers = await Promise.all(members.map(({ node }) => peersOf(node)));
    // The next steps rely on it.
    throw new Error(`${what}: ${answers.map((answer, i) => `${answer.slice(0, 100)} with ${peers[i]}`).join(' | ')}`);
  }

  async remove(): Promise<void> {
    await Promise.all(this.members.map(({ node }) => node.remove()));
  }
}

/** Where a node's peers stand, for whoever looks for what got stuck. */
const peersOf = async (node: Daemon): Promise<string> =>
  ((await node.call('getpeerinfo')) as PeerInfo[])
    .map(({ addr, inbound, synced_headers, synced_blocks, inflight }) =>
      [inbound ? 'from' : 'to', addr, synced_headers, synced_blocks, `[${inflight.join(' ')}]`].join(' '),
    )
    .join(', ');
const tipOf = (node: Daemon): Promise<string> => node.call('getbestblockhash');
const poolOf = async (node: Daemon): Promise<string[]> => ((await node.call('getrawmempool')) as string[]).sort();
const coinsOf = async (node: Daemon): Promise<unknown> => {
  const { height, txouts, hash_serialized_3 } = await node.call('gettxoutsetinfo');
  return { height, txouts, hash_serialized_3 };
};

/** Coins with keys, many of them confirmed: a reward or two split up. */
async function makeCoins(node: Daemon, wallet: MiniWallet, count: number): Promise<Spendable[]> {
  const splits = Math.ceil(count / OUTPUTS);
  const rewards: Spendable[] = [];
  for (let i = 0; i < splits; i++) {
    const mined = mine((await node.call('getblocktemplate', { rules: ['segwit'] })) as Template, 'p2wpkh', testKey(7_000 + i));
    const refused = await node.call('submitblock', mined.hex);
    if (refused !== null) throw new Error(`submitblock: ${refused}`);
    rewards.push(mined.coinbase);
  }
  await node.call('generatetoaddress', MATURITY, ADDRESS);
  const coins: Spendable[] = [];
  for (const reward of rewards) {
    const { hex, outputs } = wallet.spend([reward], new Array(OUTPUTS).fill('p2wpkh'), 100_000);
    await node.call('sendrawtransaction', hex);
    coins.push(...outputs);
  }
  await node.call('generatetoaddress', 1, ADDRESS);
  return coins.slice(0, count);
}

async function post(node: Daemon, hexes: readonly string[]): Promise<void> {
  for (let at = 0; at < hexes.length; at += BATCH) {
    const calls = hexes.slice(at, at + BATCH).map((hex, id) => ({ id, method: 'sendrawtransaction', params: [hex] }));
    const { body } = await node.post(JSON.stringify(calls));
    const refused = (JSON.parse(body) as { error: { message: string } | null }[]).find(({ error }) => error !== null);
    if (refused !== undefined) throw new Error(`a transaction was refused: ${refused.error?.message}`);
  }
}

async function generate(node: Daemon, count: number, first: readonly string[]): Promise<void> {
  for (let i = 0; i < count; i++) await node.call('generateblock', ADDRESS, i === 0 ? first : []);
}

/** Runs all steps. The nodes are removed whatever happens. */
export async function runMesh(options: MeshOptions): Promise<MeshReport> {
  const tell = options.tell ?? (() => {});
  const mesh = new Mesh();
  try {
    const first = await mesh.add();
    const wallet = new MiniWallet();
    const coins = await makeCoins(first.node, wallet, options.transactions);
    const height = (await first.node.call('getblockcount')) as number;
    if (height < options.blocks) await first.node.call('generatetoaddress', options.blocks - height, ADDRESS);

    // Each newcomer calls the one before it and one half as far: a net, not a star. One after the other: a node in initial
    // download asks its first peer for headers and no other, and waits for news if that one has none yet.
    for (let i = 1; i < options.nodes; i++) await mesh.add();
    let syncSeconds = 0;
    for (const [i, member] of mesh.members.entries()) {
      if (i === 0) continue;
      await mesh.connect(member, mesh.members[i - 1] as Member);
      if (i >= 2) await mesh.connect(member, mesh.members[i >> 1] as Member);
      syncSeconds += await mesh.agree('tips after the sync', tipOf, mesh.members.slice(0, i + 1));
    }
    tell(`${options.nodes} nodes synced ${options.blocks} blocks in ${syncSeconds.toFixed(1)} s`);

    const hexes = coins.map((coin) => wallet.spend([coin], ['p2wpkh'], 1_000 + Math.floor(Math.random() * 5_000)).hex);
    const began = performance.now();
    await Promise.all(
      mesh.members.map(({ node }, i) =>
        post(
          node,
          hexes.filter((_, n) => n % options.nodes === i),
        ),
      ),
    );
    tell(`${hexes.length} signed transactions entered in ${((performance.now() - began) / 1_000).toFixed(1)} s`);
    await mesh.agree('mempools after the flood', async (node) => ((await node.call('getrawmempool')) as string[]).length);
    await mesh.agree('mempools after the flood', poolOf);
    const floodSeconds = (performance.now() - began) / 1_000;
    const pool = await poolOf(first.node);
    if (pool.length !== hexes.length) mesh.faults.push(`${pool.length} of ${hexes.length} transactions arrived`);
    tell(`all of them in every mempool after ${floodSeconds.toFixed(1)} s`);

    // Two halves: one mines everything, the other half of it, and one block more.
    const halfway = Math.ceil(options.nodes / 2);
    const ours = mesh.members.slice(0, halfway);
    const theirs = mesh.members.slice(halfway);
    const between = await mesh.part(new Set(ours));
    await generate((ours[0] as Member).node, options.reorg, pool);
    await generate((theirs[0] as Member).node, options.reorg + 1, pool.slice(0, pool.length >> 1));
    await mesh.agree('tips of one half', tipOf, ours);
    await mesh.agree('tips of the other', tipOf, theirs);
    const winner = await tipOf((theirs[0] as Member).node);
    if ((await tipOf((ours[0] as Member).node)) === winner) mesh.faults.push('there was no partition');
    for (const [from, to] of between) await mesh.connect(from, to);
    const reorgSeconds = await mesh.agree('tips after healing', tipOf);
    tell(`a reorganisation of ${options.reorg} blocks took ${reorgSeconds.toFixed(1)} s`);
    if ((await tipOf(first.node)) !== winner) mesh.faults.push('the longer chain did not win');
    await mesh.agree('mempools after the reorganisation', poolOf);
    await mesh.agree('coins', coinsOf);
    const left = (await poolOf(first.node)).length;

    // And a block of what is left, found at the far end.
    await (mesh.members.at(-1) as Member).node.call('generatetoaddress', 1, ADDRESS);
    await mesh.agree('tips at the end', tipOf);
    await mesh.agree('mempools at the end', poolOf);
    await mesh.agree('coins at the end', coinsOf);
    const ends = await mesh.all(async (node) => ({ height: await node.call('getblockcount'), exit: node.exit, output: node.output() }));
    for (const { exit, output } of ends) if (exit !== undefined || output !== '') mesh.faults.push(`a node said: ${output.slice(-500)}`);
    return { syncSeconds, floodSeconds, reorgSeconds, height: ends[0]?.height, left, faults: mesh.faults };
  } finally {
    await mesh.remove();
  }
}
