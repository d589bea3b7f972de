// Measures what pool operators notice while peers flood the node: getblocktemplate in mode `live`, a small call of the
// node thread, long polls that empty blocks wake, and the pings of an honest peer. Each kind of flood comes from few
// and from many peers. After each flood the same bytes go at the same rate to a bare TCP server instead: the losses of
// that run are caused by the generator, not by the node. Also measures the node thread's time for a flood, for a byte
// and for a message, unencrypted and encrypted (BIP-0324).
//
//   node build/bench/peer-flood.js [--json]      PEERS=8,100 SECONDS=5 TXS=1000 LANES=inv,headers,…
import { setTimeout as sleep } from 'node:timers/promises';
import { MiniWallet } from '../test/framework/mini-wallet.js';
import { framed, invPayload, P2pClient, versionPayload } from '../test/framework/p2p-client.js';
import { freePort } from '../test/framework/ports.js';
import { type BenchCase, runBench } from './harness/bench.js';
import { nodeThreadMilliseconds } from './harness/process-figures.js';
import { percentile } from './harness/samples.js';
import { FilledNode, TEMPLATE_CALL } from './http-load/filled-node.js';
import { postRequest, startLoad, startPolling } from './http-load/load.js';
import { type Lane, startFlooder, startSink } from './peer-load/flood.js';

const PEERS = (process.env.PEERS ?? '8,100').split(',').map(Number);
const SECONDS = Number(process.env.SECONDS ?? 5);
const TXS = Number(process.env.TXS ?? 1_000);
const POLLERS = 4;
const PAUSE_MS = 20;
/** Number of long polls that wait for a block, and the milliseconds before the block comes. */
const PARKED = 4;
const BLOCK_MS = 250;
/** Megabytes per second from which the table shows a cost per megabyte. */
const LEAST_MEGABYTES = 1;
/** Time after which the node's queues of each peer are full. */
const FILLING_MS = 1_500;
const MSG_WITNESS_BLOCK = 0x40000002;
/** Size of the longest message (MAX_PROTOCOL_MESSAGE_LENGTH). */
const LONGEST = 4_000_000;
/** Number of messages from which the cost of a single message is computed. */
const COSTED = { long: 12, short: 20_000 };

/** Milliseconds that clients waited, and processor milliseconds of the node thread per second. */
interface Waits {
  readonly template: readonly number[];
  readonly small: readonly number[];
  readonly woken: readonly number[];
  /** Round trips of an honest peer's pings. */
  readonly pings: readonly number[];
  readonly share: number;
}

interface Flood {
  readonly port: number;
  readonly lane: Lane;
  readonly peers: number;
  readonly bytesPerSecond: number | null;
}

const GREETING = Buffer.concat([framed('version', versionPayload({})), framed('wtxidrelay'), framed('verack')]);

/** Returns valid headers that the node already has. */
async function knownHeaders({ daemon }: FilledNode): Promise<Buffer> {
  const rows: Buffer[] = [];
  for (let height = await daemon.call('getblockcount'); height > 0 && rows.length < 2_000; height--) {
    const header = await daemon.call('getblockheader', await daemon.call('getblockhash', height), false);
    rows.unshift(Buffer.from(`${header}00`, 'hex'));
  }
  const count = Buffer.from([0xfd, rows.length & 0xff, rows.length >> 8]);
  return framed('headers', Buffer.concat([rows.length < 0xfd ? Buffer.from([rows.length]) : count, ...rows]));
}

async function lanesOf(node: FilledNode): Promise<Map<string, Lane>> {
  const tip = Buffer.from(await node.daemon.call('getbestblockhash'), 'hex').reverse();
  const pings = Buffer.concat(new Array(1_000).fill(framed('ping', Buffer.alloc(8, 1))));
  const { hex, tx } = new MiniWallet().spend([node.spare], ['p2wpkh'], 100_000);
  const value = Buffer.alloc(8);
  value.writeBigUInt64LE(BigInt(tx.outs[0]!.value));
  const bytes = Buffer.from(hex, 'hex');
  const all: [string, Lane][] = [
    ['inv', { kind: 'inv' }],
    ['headers', { kind: 'bytes', bytes: await knownHeaders(node) }],
    ['junk', { kind: 'bytes', bytes: framed('junk', Buffer.alloc(LONGEST, 7)) }],
    ['pings', { kind: 'bytes', bytes: pings }],
    ['getdata', { kind: 'bytes', bytes: framed('getdata', invPayload(new Array(50).fill([MSG_WITNESS_BLOCK, tip]))) }],
    ['transactions', { kind: 'transactions', tx: bytes, valueAt: bytes.indexOf(value) }],
    ['handshakes', { kind: 'handshakes' }],
  ];
  const wanted = process.env.LANES?.split(',');
  return new Map(all.filter(([name]) => wanted === undefined || wanted.includes(name)));
}

/** Returns the processor microseconds of the node thread for one message. */
async function cost(node: FilledNode, port: number, encrypted: boolean, command: string, size: number, count: number): Promise<number> {
  const peer = encrypted ? (await P2pClient.openV2(port)).client : await P2pClient.open(port);
  await peer.greet();
  await peer.sync();
  const payload = Buffer.alloc(size, 3);
  const bytes = Buffer.concat(Array.from({ length: count }, () => peer.codec.encode(command, payload)));
  const pid = node.daemon.child!.pid!;
  const before = nodeThreadMilliseconds(pid).main;
  peer.raw(bytes);
  await peer.sync();
  const spent = nodeThreadMilliseconds(pid).main - before;
  peer.close();
  return (spent * 1_000) / count;
}

const ms = (times: readonly number[], at: number): string => percentile(times, at).toFixed(1);
const pair = (name: string, times: readonly number[]): string => `${name} ${ms(times, 0.5)} / ${ms(times, 0.99)}`;
const received = ({ template, small, woken, pings, share }: Waits): string =>
  `${pair('template', template)}, ${pair('small call', small)}, ${pair('long poll', woken)}, ${pair('ping', pings)}, node thread ${(share / 10).toFixed(0)} %`;

await runBench({
  name: 'net/dispatcher',
  protects: 'pool operators from whatever peers send',
  async run() {
    const p2pPort = await freePort();
    const peers = [`-port=${p2pPort}`, '-bind=127.0.0.1', '-connect=0', '-maxconnections=300'];
    const node = await FilledNode.start(TXS, '-templatemode=live', '-fronts=1', '-checktemplates=0', ...peers);
    const { daemon } = node;
    const pid = daemon.child!.pid!;
    const [templates, calls, polls, flooder, sink] = await Promise.all([
      startLoad(),
      startLoad(),
      startLoad(),
      startFlooder(),
      startSink(),
    ]);

    const honest = await P2pClient.open(p2pPort);
    await honest.greet();

    /** Returns the milliseconds from the submission of an empty block to the answers of the long polls. */
    const wake = async (): Promise<number[]> => {
      const { longpollid } = await daemon.call('getblocktemplate', { rules: ['segwit'] });
      const body = JSON.stringify({ id: 1, method: 'getblocktemplate', params: [{ rules: ['segwit'], longpollid }] });
      polls.send({ kind: 'park', port: daemon.port, request: postRequest(daemon.auth, body), connections: PARKED });
      await polls.next('parked');
      const { hex } = await node.emptyBlock();
      await sleep(BLOCK_MS);
      const at = performance.timeOrigin + performance.now();
      const verdict = await daemon.call('submitblock', hex);
      if (verdict !== null) throw new Error(`refused: ${verdict}`);
      return (await polls.next('woken')).atMs.map((atMs) => atMs - at);
    };

    const waits = async (flood: Flood | null): Promise<Waits & { readonly bytesPerSecond: number; readonly ends: number }> => {
      if (flood !== null) {
        flooder.send({ kind: 'flood', greeting: GREETING, ...flood });
        await sleep(FILLING_MS);
        flooder.send({ kind: 'mark' });
      }
      const poll = (load: typeof calls, call: string) =>
        startPolling(load, { port: daemon.port, request: postRequest(daemon.auth, call), connections: POLLERS, pauseMs: PAUSE_MS });
      const asked = poll(templates, TEMPLATE_CALL);
      const small = poll(calls, '{"id":1,"method":"getconnectioncount","params":[]}');
      const woken: number[] = [];
      const pings: number[] = [];
      const began = performance.now();
      const pinging = (async () => {
        while (performance.now() - began < SECONDS * 1_000) {
          const at = performance.now();
          await honest.sync();
          pings.push(performance.now() - at);
          await sleep(PAUSE_MS);
        }
      })();
      const before = nodeThreadMilliseconds(pid).main;
      while (performance.now() - began < SECONDS * 1_000) woken.push(...(await wake()));
      const share = (nodeThreadMilliseconds(pid).main - before) / ((performance.now() - began) / 1_000);
      await pinging;
      const times = { template: await asked.stop(), small: await small.stop(), woken, pings, share };
      if (flood === null) return { ...times, bytesPerSecond: 0, ends: 0 };
      flooder.send({ kind: 'enough' });
      const { bytes, seconds, ends } = await flooder.next('flooded');
      // The node may still have to process what the flood sent.
      await sleep(500);
      return { ...times, bytesPerSecond: bytes / seconds, ends };
    };

    const cases: BenchCase[] = [];
    const notes: string[] = ['milliseconds, p50 / p99'];
    try {
      await waits(null);
      notes.push(`quiet: ${received(await waits(null))}`);
      for (const count of PEERS) {
        for (const [name, lane] of await lanesOf(node)) {
          const flooded = await waits({ port: p2pPort, lane, peers: count, bytesPerSecond: null });
          const control = await waits({ port: sink.port, lane, peers: count, bytesPerSecond: flooded.bytesPerSecond });
          const label = `${name}, ${count} peers`;
          const taken = flooded.share - control.share;
          const megabytes = flooded.bytesPerSecond / 1e6;
          // Data in full socket buffers can keep the node busy for the whole time, so the cost of few bytes means
          // nothing.
          const each = megabytes < LEAST_MEGABYTES ? '' : `, ${((taken * 1_000) / megabytes).toFixed(0)} us of the node thread a MB`;
          notes.push(
            `${label}: ${megabytes.toFixed(2)} MB/s, hung up ${flooded.ends} times${each}`,
            `  flood: ${received(flooded)}`,
            `  sink:  ${received(control)} at ${(control.bytesPerSecond / 1e6).toFixed(2)} MB/s`,
          );
          for (const [call, which] of [
            ['template', 'template'] as const,
            ['small call', 'small'] as const,
            ['long poll', 'woken'] as const,
            ['ping of an honest peer', 'pings'] as const,
          ]) {
            const limit = { name: 'the same flood into a bare TCP server', samples: control[which] };
            cases.push({ name: `${label}: ${call}`, unit: 'ms', better: 'lower', samples: flooded[which], limit });
          }
        }
      }
      for (const encrypted of [false, true]) {
        const how = encrypted ? 'encrypted' : 'in the clear';
        const long = await cost(node, p2pPort, encrypted, 'junk', LONGEST, COSTED.long);
        const short = await cost(node, p2pPort, encrypted, 'ping', 8, COSTED.short);
        notes.push(
          `${how}: ${((long * 1e6) / LONGEST).toFixed(0)} us of the node thread for a MB in messages of 4 MB, ${short.toFixed(1)} us for a ping and its answer`,
        );
      }
    } finally {
      honest.close();
      for (const child of [templates, calls, polls, flooder, sink]) child.end();
      await node.end();
    }
    return { cases, notes };
  },
});
