// Measures the initial download below an assumed-valid block, where no scripts run, from one local peer: full blocks with
// the shape of the main chain (harness/old-chain.ts), served from prepared bytes by another process. Prints time, processor
// time of the node thread and of each other thread, and memory; the time of a clean stop afterwards, which writes the coins
// that are only in memory; and, with REINDEX=1, the time of -reindex. The figures contain the empty blocks on top of the
// chain, because the download engine moves the tip at its checkpoints only. The bare limit is a process that reads the same bytes
// from the peer and hashes them as often as a node must. The bench fails if a node ends with a wrong number of coins.
//
//   node build/bench/download.js [--json]      INPUTS=2000000 BLOCK=4000 (inputs of a block) COINS=600000 (at the end)
//   ENGINE=1 (0: without the download engine, 0,1: both), REINDEX=1, ROUNDS=n, OPTIONS="more options of adit",
//   COMMON="more options of all", FOLDER=/path for the chain. COMPARE=/path/bitcoind: Core in turns with adit.
//   BEFORE=/path/aditd.cjs: another build, likewise.
//
// If payments cannot make as many coins as COINS, the first blocks make them. Each node gets these blocks beforehand, stops,
// and starts again, and only the rest of the chain is measured. To compare nodes whose memory holds only a part of the coins, add
// -maxmempool=5 to COMMON, because Core keeps coins in the unused memory of the mempool, too.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { GENESIS } from '../test/framework/chain-builder.js';
import { framed, invPayload, locatorPayload, versionPayload } from '../test/framework/p2p-client.js';
import { type BenchCase, runBench } from './harness/bench.js';
import { type Contender, type Contestant, contestants } from './harness/contender.js';
import { fullShape, type OldChain, writeChain } from './harness/old-chain.js';
import { busyThreads, highestMemory, processorSeconds, threadMilliseconds, threadsSince, threadTimes } from './harness/process-figures.js';
import { serveBlocks } from './harness/serve-blocks.js';

const inputs = Number(process.env.INPUTS ?? 2_000_000);
const perBlock = Number(process.env.BLOCK ?? 4_000);
const coins = Number(process.env.COINS ?? 600_000);
const rounds = Number(process.env.ROUNDS ?? 1);
const engines = (process.env.ENGINE ?? '1').split(',');
const reindex = process.env.REINDEX === '1';
const words = (text: string | undefined): string[] => text?.split(' ').filter((word) => word !== '') ?? [];
const common = words(process.env.COMMON);
const threads = os.availableParallelism();
const LOOK_MS = 20;
/** Blocks that the bare reader asks for at a time. */
const ASKED = 16;
/** Blocks of 64 bytes that a node hashes for each transaction besides its bytes: second hashes of two ids, and two nodes of merkle trees. */
const TX_BLOCKS = 2 + 2 * 3;

interface Run {
  readonly seconds: number;
  /** Processor seconds of the node thread, and of all threads. */
  readonly main: number;
  readonly all: number;
  readonly megabytes: number;
}

interface Runs {
  readonly download: Run[];
  readonly reindex: Run[];
  readonly stopSeconds: number[];
}

/** Returns the chain, from the folder or written now by a process whose memory is freed afterwards. */
async function chainFile(): Promise<{ readonly file: string; readonly chain: OldChain }> {
  const file = path.join(process.env.FOLDER ?? os.tmpdir(), `adit-bench-download-${inputs}-${perBlock}-${coins}.dat`);
  const facts = `${file}.json`;
  if (!fs.existsSync(facts)) {
    const child = spawn(process.execPath, [import.meta.filename, '--write', file], { stdio: 'inherit' });
    const code = await new Promise((resolve) => child.on('exit', resolve));
    if (code !== 0) throw new Error('the chain could not be written');
  }
  return { file, chain: JSON.parse(fs.readFileSync(facts, 'utf8')) };
}

/** Runs a piece of work of a node, and reads what it took. */
async function measure(node: Contender, notes: string[], label: string, work: () => Promise<void>): Promise<Run> {
  const [before, namesBefore, allBefore] = [threadTimes(node.pid), threadMilliseconds(node.pid), processorSeconds(node.pid)];
  const begin = performance.now();
  await work();
  const seconds = (performance.now() - begin) / 1000;
  const each = busyThreads(node.pid, before);
  const others = each.filter(({ tid }) => tid !== node.pid).map(({ ms }) => (ms / 1000).toFixed(2));
  const main = each.filter(({ tid }) => tid === node.pid).reduce((sum, { ms }) => sum + ms / 1000, 0);
  const names = threadsSince(node.pid, namesBefore).map(([name, ms]) => `${name} ${(ms / 1000).toFixed(2)}`);
  notes.push(
    `${label}: ${node.single ? `node thread ${main.toFixed(2)}, ` : ''}busiest others ${others.slice(0, 7).join(', ')} processor s; by name: ${names.slice(0, 6).join(', ')}`,
  );
  // Includes threads that have ended, as those of adit's engine.
  return { seconds, main, all: processorSeconds(node.pid) - allBefore, megabytes: highestMemory(node.pid) };
}

async function reach(node: Contender, height: number): Promise<void> {
  while ((await node.call('getblockcount')) < height) await sleep(LOOK_MS);
}

/** Gives a node the blocks that only make coins. It stops at the last one, and is started again. */
async function makeCoins(node: Contender, port: number, chain: OldChain): Promise<void> {
  if (chain.fanBlocks === 0) return;
  await node.stop();
  await node.up(`-stopatheight=${chain.fanBlocks}`);
  await node.call('addnode', `127.0.0.1:${port}`, 'onetry');
  await reach(node, chain.fanBlocks).catch(() => undefined);
  await node.ended();
  await node.up();
}

async function checkCoins(node: Contender, chain: OldChain): Promise<void> {
  await reach(node, chain.height);
  const { txouts, bestblock } = await node.call('gettxoutsetinfo', 'none');
  if (txouts !== chain.coins || bestblock !== chain.tipHex) throw new Error(`${node.name} has ${txouts} coins instead of ${chain.coins}`);
}

async function runNode(contestant: Contestant, port: number, chain: OldChain, runs: Runs, notes: string[]): Promise<void> {
  // The serving peer speaks version 1 only. A node that tries version 2 first waits a minute for an answer.
  const node = await contestant.start('-v2transport=0', `-assumevalid=${chain.tipHex}`, ...common);
  try {
    await makeCoins(node, port, chain);
    const { name } = contestant;
    runs.download.push(
      await measure(node, notes, `download, ${name}`, async () => {
        await node.call('addnode', `127.0.0.1:${port}`, 'onetry');
        await reach(node, chain.height);
      }),
    );
    const begin = performance.now();
    await node.stop();
    runs.stopSeconds.push((performance.now() - begin) / 1000);
    if (reindex) {
      await node.up('-reindex');
      runs.reindex.push(await measure(node, notes, `-reindex, ${name}`, () => reach(node, chain.height)));
    } else await node.up();
    await checkCoins(node, chain);
  } finally {
    await node.close();
  }
}

/** Reads all blocks above `from` from the peer and hashes the bytes. @returns processor seconds */
async function bareRead(port: number, from: number, chain: OldChain): Promise<number> {
  const socket = net.connect(port, '127.0.0.1');
  const hash = createHash('sha256');
  const hashes: Buffer[] = [];
  let [asked, received, left, txs] = [from, from, 0, 0];
  let head: Buffer = Buffer.alloc(0);
  let payload: Buffer[] = [];
  let before = process.cpuUsage();
  const ask = (): void => {
    const next = hashes.slice(asked, Math.min(asked + ASKED, chain.blocks));
    asked += next.length;
    if (next.length > 0) socket.write(framed('getdata', invPayload(next.map((id) => [0x4000_0002, id] as const))));
  };
  const askHeaders = (): void => void socket.write(framed('getheaders', locatorPayload([hashes.at(-1) ?? GENESIS.hash])));
  const take = (command: string): void => {
    if (command === 'verack') askHeaders();
    else if (command === 'headers') {
      const bytes = Buffer.concat(payload);
      const double = (data: Buffer): Buffer => createHash('sha256').update(createHash('sha256').update(data).digest()).digest();
      for (let at = bytes[0] === 0xfd ? 3 : 1; at < bytes.length; at += 81) hashes.push(double(bytes.subarray(at, at + 80)));
      if (hashes.length < chain.blocks) askHeaders();
      else {
        before = process.cpuUsage();
        ask();
      }
    } else if (command === 'block' && ++received === asked) ask();
  };
  await new Promise<void>((resolve, reject) => {
    socket.on('error', reject);
    socket.on('connect', () => socket.write(framed('version', versionPayload({ startHeight: 0 }))));
    socket.on('data', (chunk) => {
      for (let at = 0; at < chunk.length; ) {
        if (head.length < 24) {
          const more = chunk.subarray(at, at + 24 - head.length);
          head = Buffer.concat([head, more]);
          at += more.length;
          if (head.length < 24) return;
          left = head.readUInt32LE(16);
          payload = [];
        }
        const part = chunk.subarray(at, at + left);
        const isBlock = head.toString('latin1', 4, 9) === 'block';
        // The checksum of the message, and both ids of every transaction.
        if (isBlock) for (let i = 0; i < 3; i++) hash.update(part);
        else payload.push(part);
        at += part.length;
        left -= part.length;
        if (left > 0) continue;
        take(head.toString('latin1', 4, 16).replace(/\0+$/, ''));
        head = Buffer.alloc(0);
        if (received === chain.blocks) resolve();
      }
    });
  });
  socket.destroy();
  txs = Math.round(chain.txs * ((chain.blocks - from) / chain.blocks));
  const piece = Buffer.alloc(64 * TX_BLOCKS * 1_000);
  for (let i = 0; i < txs; i += 1_000) hash.update(piece);
  hash.digest();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

function casesOf(
  name: string,
  single: boolean,
  measured: number,
  { download, reindex: again, stopSeconds }: Runs,
  bound: number,
): BenchCase[] {
  const limit = (seconds: number) => ({ name: 'the bytes read from the peer and hashed, on all cores', samples: [seconds] });
  const cases = (what: string, runs: readonly Run[]): BenchCase[] => {
    if (runs.length === 0) return [];
    const perInput = (read: (run: Run) => number): number[] => runs.map((run) => (read(run) * 1e6) / measured);
    const times: BenchCase = { name: `${what}: time, ${name}`, unit: 's', better: 'lower', samples: runs.map(({ seconds }) => seconds) };
    return [
      { ...times, limit: limit(bound / threads) },
      { name: `${what}: rate, ${name}`, unit: 'inputs/s', better: 'higher', samples: runs.map(({ seconds }) => measured / seconds) },
      {
        name: `${what}: all threads, ${name}`,
        unit: 'processor us/input',
        better: 'lower',
        samples: perInput(({ all }) => all),
        limit: { ...limit((bound * 1e6) / measured) },
      },
      ...(single
        ? [
            {
              name: `${what}: node thread, ${name}`,
              unit: 'processor us/input',
              better: 'lower',
              samples: perInput(({ main }) => main),
            } as const,
          ]
        : []),
      { name: `${what}: highest memory, ${name}`, unit: 'MB', better: 'lower', samples: runs.map(({ megabytes }) => megabytes) },
    ];
  };
  return [
    ...cases('download', download),
    { name: `clean stop after it, ${name}`, unit: 's', better: 'lower', samples: stopSeconds },
    ...cases('-reindex', again),
  ];
}

if (process.argv[2] === '--write') {
  const file = process.argv[3]!;
  const chain = writeChain(file, fullShape(inputs, perBlock, coins));
  fs.writeFileSync(`${file}.new`, JSON.stringify(chain));
  // The facts are renamed last: a file without them is incomplete.
  fs.renameSync(`${file}.new`, `${file}.json`);
} else {
  await runBench({
    name: 'chain/download',
    protects: 'the time until a new node has the chain, if scripts below the assumed-valid block are skipped',
    run: async () => {
      const { file, chain } = await chainFile();
      const measured = chain.inputs - chain.fanInputs;
      const { fanBlocks, blocks } = chain;
      const notes = [
        `${blocks} blocks, of which ${fanBlocks} only make coins, ${chain.txs} transactions, ${measured} inputs measured, ${chain.outputs} outputs, ${chain.coins} coins at the end, ${(chain.bytes / 1e6).toFixed(0)} MB`,
      ];
      // As on the main chain today, no output can exist twice.
      const options = ['-disablewallet', '-checktemplates=0', '-testactivationheight=bip34@1', ...words(process.env.OPTIONS)];
      const nodes = engines.flatMap((engine, i) =>
        contestants(...options, `-engine=${engine}`)
          .filter(({ name }) => i === 0 || name === 'adit')
          .map((one) => ({ ...one, name: one.name === 'adit' && engine === '0' ? 'adit without engine' : one.name })),
      );
      const all = nodes.map((): Runs => ({ download: [], reindex: [], stopSeconds: [] }));
      const { child, port } = await serveBlocks(file);
      try {
        const bound = await bareRead(port, fanBlocks, chain);
        for (let round = 0; round < rounds; round++)
          for (const [n, node] of nodes.entries()) await runNode(node, port, chain, all[n]!, notes);
        return { cases: nodes.flatMap(({ name, single }, n) => casesOf(name, single, measured, all[n]!, bound)), notes };
      } finally {
        child.kill();
      }
    },
  });
}
