// Measures the download of a chain with the shape of the main chain at 500,000 blocks and 60,000,000 coins
// (harness/old-chain.ts), or of a part of it. The node downloads it from one local peer below an assumed-valid block,
// with a -dbcache that holds a tenth of the coins. Figures: time, memory, bytes read and written, and how long a miner
// and a client with small calls wait meanwhile. The same chain is then downloaded with -prune=550, and rebuilt by
// -reindex-chainstate and -reindex. The processor time of the peer is shown separately. With two scales, the figures of
// the whole chain are extrapolated along the line through both.
//
//   node build/bench/mainnet.js [--json]      SCALES=0.002,0.01 (1: the whole, 110 GB of blocks, twice that on the disk)
//   RUNS=download,chainstate,reindex,prune    FOLDER=/path for chains and nodes; OPTIONS="more options of adit"
//
// Without a download before it, -reindex gets the chain as files that another node left behind.

import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileName } from '../src/storage/block-records.js';
import { Daemon } from '../test/framework/daemon.js';
import { type BenchCase, runBench } from './harness/bench.js';
import { OLD_CHAIN, type OldChain, oldShape, writeChain } from './harness/old-chain.js';
import {
  highestMemory,
  nodeThreadMilliseconds,
  processIo,
  processorSeconds,
  residentMemory,
  threadIo,
  threadMilliseconds,
  threadsSince,
} from './harness/process-figures.js';
import { percentile } from './harness/samples.js';
import { serveBlocks } from './harness/serve-blocks.js';
import { TEMPLATE_CALL } from './http-load/filled-node.js';
import { type Child, postRequest, startBare, startLoad, startPolling } from './http-load/load.js';

type RunName = 'download' | 'chainstate' | 'reindex' | 'prune';

const scales = (process.env.SCALES ?? '0.002,0.01').split(',').map(Number);
const wanted = (process.env.RUNS ?? 'download,chainstate,reindex,prune').split(',') as RunName[];
const folder = process.env.FOLDER ?? os.tmpdir();
const more = process.env.OPTIONS?.split(' ') ?? [];
/** -dbcache in megabytes at scale 1. */
const DBCACHE = 450;
const LEAST_DBCACHE = 4;
const PRUNE_MB = 550;
/** Largest size of a block file, as in Core. */
const BLOCK_FILE_BYTES = 0x800_0000;
/** Size of the head of a P2P message. */
const MESSAGE_HEAD = 24;
const LOOK_MS = 250;
const PAUSE_MS = 200;
const SMALL_CALL = '{"method":"getblockcount","params":[],"id":1}';

/** Cost of one run of a node. */
interface Figures {
  readonly seconds: number;
  /** Processor seconds of each thread by its name, the node thread first; processor seconds of the peer. */
  readonly threads: readonly (readonly [name: string, seconds: number])[];
  readonly peer: number;
  readonly idleMb: number;
  readonly highestMb: number;
  /** Resident memory in megabytes after each tenth of the changes of coins. */
  readonly memory: readonly number[];
  /** Bytes of tables that RocksDB's threads wrote and read, and bytes that all other threads read and wrote. */
  readonly tablesWritten: number;
  readonly tablesMerged: number;
  readonly othersRead: number;
  readonly othersWritten: number;
  readonly diskRead: number;
  readonly diskWritten: number;
  readonly coinsBytes: number;
  readonly blocksBytes: number;
  readonly templates: readonly number[];
  readonly small: readonly number[];
  readonly bare: readonly number[];
}

/** Returns the bytes of all files below a folder. */
function bytesBelow(dir: string): number {
  let bytes = 0;
  for (const entry of fs.readdirSync(dir, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) bytes += fs.statSync(path.join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0;
  }
  return bytes;
}

/** Writes the chain in a process of its own, so that its memory is free afterwards. */
async function generate(file: string, scale: number): Promise<OldChain> {
  const args = [import.meta.filename, '--write', file, String(scale)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  for await (const piece of child.stdout) text += piece;
  return JSON.parse(text) as OldChain;
}

/** Writes block files that follow the one of a new node: from each `block` message the magic, the length and the block. */
function writeBlockFiles(file: string, dir: string): void {
  const from = fs.openSync(file, 'r');
  const head = Buffer.alloc(MESSAGE_HEAD);
  let number = 0;
  let to = -1;
  let room = 0;
  while (fs.readSync(from, head) === MESSAGE_HEAD) {
    const block = Buffer.allocUnsafe(head.readUInt32LE(16));
    fs.readSync(from, block);
    if (block.length + 8 > room) {
      if (to >= 0) fs.closeSync(to);
      to = fs.openSync(path.join(dir, fileName('blk', ++number)), 'wx');
      room = BLOCK_FILE_BYTES;
    }
    room -= fs.writevSync(to, [head.subarray(0, 4), head.subarray(16, 20), block]);
  }
  fs.closeSync(from);
  if (to >= 0) fs.closeSync(to);
}

/** Clients that call for templates, clients with small calls, and clients of a bare server on the equally busy machine. */
class Callers {
  readonly #polls: { stop(): Promise<readonly number[]> }[] = [];
  readonly #children: { end(): void }[] = [];

  async start(node: Daemon): Promise<void> {
    const bare = await startBare(Buffer.from('{"result":0,"error":null,"id":1}'));
    this.#children.push(bare);
    for (const [port, call] of [
      [node.port, TEMPLATE_CALL],
      [node.port, SMALL_CALL],
      [bare.port, SMALL_CALL],
    ] as const) {
      const load: Child = await startLoad();
      this.#children.push(load);
      this.#polls.push(startPolling(load, { port, request: postRequest(node.auth, call), connections: 1, pauseMs: PAUSE_MS }));
    }
  }

  async stop(): Promise<(readonly number[])[]> {
    const times: (readonly number[])[] = [];
    for (const poll of this.#polls) times.push(await poll.stop());
    for (const child of this.#children) child.end();
    return times;
  }
}

/** Waits until a running node has the whole chain, and returns its figures. */
async function follow(node: Daemon, chain: OldChain, begin: number, peer?: ChildProcess): Promise<Figures> {
  const pid = node.child!.pid!;
  const [before, mainBefore] = [threadMilliseconds(pid), nodeThreadMilliseconds(pid).main];
  const peerBefore = peer === undefined ? 0 : processorSeconds(peer.pid!);
  const idleMb = residentMemory(pid);
  const callers = new Callers();
  await callers.start(node);
  const memory: number[] = [];
  // The number of payments of a block grows with the cube of the height, so the work up to a height grows with its
  // fourth power.
  const marks = Array.from({ length: 10 }, (_, i) => Math.round(chain.blocks * ((i + 1) / 10) ** 0.25));
  for (;;) {
    const height = await node.call('getblockcount');
    while (memory.length < marks.length && height >= marks[memory.length]!) memory.push(Math.round(residentMemory(pid)));
    if (height >= chain.height) break;
    if (node.exit !== undefined) throw new Error(`the daemon ended: ${node.output().slice(-500)}`);
    await sleep(LOOK_MS);
  }
  const seconds = (performance.now() - begin) / 1000;
  const [templates, small, bare] = await callers.stop();
  const main = (nodeThreadMilliseconds(pid).main - mainBefore) / 1000;
  // The worker threads have the same name as the node thread, so subtract the node thread's time.
  const others = threadsSince(pid, before).map(([name, ms]): [string, number] => [name, ms / 1000 - (name === 'node' ? main : 0)]);
  const threads = [
    ['node thread', main] as const,
    ...others.map(([name, seconds]) => [name === 'node' ? 'workers' : name, seconds] as const),
  ];
  const io = processIo(pid);
  const tables = threadIo(pid, 'rocksdb');
  return {
    seconds,
    threads,
    peer: peer === undefined ? 0 : processorSeconds(peer.pid!) - peerBefore,
    idleMb,
    highestMb: highestMemory(pid),
    memory,
    tablesWritten: tables.writtenBytes,
    tablesMerged: tables.readBytes,
    othersRead: io.readBytes - tables.readBytes,
    othersWritten: io.writtenBytes - tables.writtenBytes,
    diskRead: io.diskReadBytes,
    diskWritten: io.diskWrittenBytes,
    coinsBytes: bytesBelow(path.join(node.networkDir, 'chainstate')),
    blocksBytes: bytesBelow(path.join(node.networkDir, 'blocks')),
    templates: templates!,
    small: small!,
    bare: bare!,
  };
}

/** All runs at one scale. */
class Scaled {
  readonly notes: string[] = [];
  readonly figures = new Map<RunName, Figures>();
  readonly #dbcache: number;

  constructor(readonly scale: number) {
    this.#dbcache = Math.max(LEAST_DBCACHE, Math.round(DBCACHE * scale));
  }

  async run(): Promise<void> {
    const file = path.join(folder, `adit-bench-old-chain-${process.pid}.dat`);
    try {
      const begin = performance.now();
      const chain = await generate(file, this.scale);
      this.notes.push(
        `scale ${this.scale}: ${chain.blocks} blocks (and ${chain.height - chain.blocks} without payments), ${chain.txs} transactions, ${chain.inputs} inputs, ${chain.outputs} outputs, ${chain.coins} coins left, ${(chain.bytes / 1e6).toFixed(0)} MB, made in ${((performance.now() - begin) / 1000).toFixed(0)} s; -dbcache=${this.#dbcache}`,
      );
      const { child, port } = await serveBlocks(file);
      try {
        if (wanted.includes('download')) await this.#downloadAndRebuild(chain, child, port);
        else if (wanted.includes('reindex')) await this.#rebuildFiles(chain, file);
        if (wanted.includes('prune')) {
          const node = await this.#download('prune', chain, child, port, `-prune=${PRUNE_MB}`);
          await this.#end(node, chain);
        }
      } finally {
        child.kill();
      }
    } finally {
      fs.rmSync(file, { force: true });
    }
  }

  async #downloadAndRebuild(chain: OldChain, peer: ChildProcess, port: number): Promise<void> {
    const node = await this.#download('download', chain, peer, port);
    try {
      for (const name of ['chainstate', 'reindex'] as const) {
        if (!wanted.includes(name)) continue;
        await node.stop();
        await this.#rebuild(name, node, chain);
      }
    } finally {
      await this.#end(node, chain);
    }
  }

  async #rebuildFiles(chain: OldChain, file: string): Promise<void> {
    const node = await this.#start(chain);
    try {
      await node.stop();
      writeBlockFiles(file, path.join(node.networkDir, 'blocks'));
      await this.#rebuild('reindex', node, chain);
    } finally {
      await this.#end(node, chain);
    }
  }

  async #rebuild(name: 'chainstate' | 'reindex', node: Daemon, chain: OldChain): Promise<void> {
    const begin = performance.now();
    await node.up('-networkactive=0', name === 'reindex' ? '-reindex' : '-reindex-chainstate');
    this.#keep(name, await follow(node, chain, begin));
  }

  #start(chain: OldChain, ...options: string[]): Promise<Daemon> {
    return Daemon.start(
      '-disablewallet',
      '-checktemplates=0',
      `-dbcache=${this.#dbcache}`,
      `-assumevalid=${chain.tipHex}`,
      ...options,
      ...more,
    );
  }

  /** Returns a node that has downloaded the chain into a new folder. */
  async #download(name: RunName, chain: OldChain, peer: ChildProcess, port: number, ...options: string[]): Promise<Daemon> {
    const node = await this.#start(chain, `-connect=127.0.0.1:${port}`, ...options);
    try {
      this.#keep(name, await follow(node, chain, performance.now(), peer));
    } catch (error) {
      await node.remove();
      throw error;
    }
    return node;
  }

  /** Checks whether the node has every coin, and removes it. */
  async #end(node: Daemon, chain: OldChain): Promise<void> {
    try {
      const begin = performance.now();
      const { txouts, bestblock } = await node.call('gettxoutsetinfo');
      if (txouts !== chain.coins || bestblock !== chain.tipHex) throw new Error(`${txouts} coins instead of ${chain.coins}`);
      this.notes.push(`  all coins counted in ${((performance.now() - begin) / 1000).toFixed(1)} s`);
      await node.stop();
    } finally {
      await node.remove();
    }
  }

  #keep(name: RunName, figures: Figures): void {
    this.figures.set(name, figures);
    const mb = (bytes: number): string => (bytes / 1e6).toFixed(0);
    const { threads, peer } = figures;
    this.notes.push(
      `  ${name}: ${figures.seconds.toFixed(0)} s; processor s: ${threads.map(([thread, seconds]) => `${thread} ${seconds.toFixed(1)}`).join(', ')}; peer ${peer.toFixed(1)}`,
      `    resident MB: ${figures.idleMb.toFixed(0)} idle, at tenths of the way ${figures.memory.join(' ')}, most ${figures.highestMb.toFixed(0)}`,
      `    MB: coins on disk ${mb(figures.coinsBytes)}, blocks ${mb(figures.blocksBytes)}; tables written ${mb(figures.tablesWritten)}, read to merge them ${mb(figures.tablesMerged)}; all else read ${mb(figures.othersRead)}, written ${mb(figures.othersWritten)}; of the disk read ${mb(figures.diskRead)}, written ${mb(figures.diskWritten)}`,
      `    slowest ms: template ${Math.max(...figures.templates).toFixed(0)}, small call ${Math.max(...figures.small).toFixed(0)}, bare server ${Math.max(...figures.bare).toFixed(0)}`,
    );
    if (process.env.DETAIL) process.stderr.write(`${this.notes.join('\n')}\n`);
  }
}

const processor = ({ threads }: Figures): number => threads.reduce((sum, [, seconds]) => sum + seconds, 0);

/** Columns of the table, one row for each run. */
const COLUMNS: readonly (readonly [name: string, unit: string, of: (figures: Figures) => number])[] = [
  ['time', 's', ({ seconds }) => seconds],
  ['processor time', 's', processor],
  ['highest memory', 'MB', ({ highestMb }) => highestMb],
  ['coins on disk', 'MB', ({ coinsBytes }) => coinsBytes / 1e6],
  ['all files', 'MB', ({ coinsBytes, blocksBytes }) => (coinsBytes + blocksBytes) / 1e6],
  ['tables written', 'MB', ({ tablesWritten }) => tablesWritten / 1e6],
  ['read beside merging', 'MB', ({ othersRead }) => othersRead / 1e6],
];

function casesOf({ scale, figures }: Scaled): BenchCase[] {
  return [...figures].flatMap(([name, run]): BenchCase[] => [
    ...COLUMNS.map(([what, unit, of]): BenchCase => ({ name: `${scale} ${name}: ${what}`, unit, better: 'lower', samples: [of(run)] })),
    {
      name: `${scale} ${name}: tables written for each byte of coins left`,
      unit: 'bytes',
      better: 'lower',
      samples: [run.tablesWritten / run.coinsBytes],
    },
    ...(['templates', 'small'] as const).map(
      (what): BenchCase => ({
        name: `${scale} ${name}: ${what === 'templates' ? 'getblocktemplate' : 'getblockcount'} meanwhile`,
        unit: 'ms',
        better: 'lower',
        samples: run[what],
        limit: { name: 'a bare server asked meanwhile', samples: run.bare },
      }),
    ),
    { name: `${scale} ${name}: bare server, p99`, unit: 'ms', better: 'lower', samples: [percentile(run.bare, 0.99)] },
  ]);
}

/** Returns the figures of the whole chain, on the line through the two largest scales. */
function extended(all: readonly Scaled[]): BenchCase[] {
  const [small, large] = all.toSorted((a, b) => a.scale - b.scale).slice(-2);
  if (small === undefined || large === undefined) return [];
  return [...large.figures].flatMap(([name, run]) => {
    const first = small.figures.get(name);
    if (first === undefined) return [];
    return COLUMNS.map(([what, unit, of]): BenchCase => {
      const slope = (of(run) - of(first)) / (large.scale - small.scale);
      return { name: `1 ${name}: ${what}, extended`, unit, better: 'lower', samples: [of(run) + slope * (1 - large.scale)] };
    });
  });
}

if (process.argv[2] === '--write') {
  process.stdout.write(JSON.stringify(writeChain(process.argv[3]!, oldShape(Number(process.argv[4])))));
} else {
  await runBench({
    name: 'mainnet',
    protects: `the first day of a node: ${OLD_CHAIN.blocks.toLocaleString('en-US')} blocks and ${OLD_CHAIN.coins.toLocaleString('en-US')} coins`,
    run: async () => {
      const all: Scaled[] = [];
      for (const scale of scales) {
        const scaled = new Scaled(scale);
        await scaled.run();
        all.push(scaled);
      }
      return { cases: [...all.flatMap(casesOf), ...extended(all)], notes: all.flatMap(({ notes }) => notes) };
    },
  });
}
