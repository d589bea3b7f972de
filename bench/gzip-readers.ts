// Measures getblocktemplate with gzip over sockets that are not loopback, where adit never compresses: many clients
// that read slowly, as pools with slow connections do. Figures: how many clients are disconnected (none may be), when
// the last client has its template, how long a small call waits meanwhile, and the processor time of a reply. Runs in a
// network namespace of its own (Linux, unshare from util-linux, ip from iproute2) in which sockets buffer 64 kB,
// because larger buffers would hide that clients are slow.
//
//   node build/bench/gzip-readers.js [--json]      CLIENTS=100 ROUNDS=n TXS=n KBPS=2000 for each client
import { spawnSync } from 'node:child_process';
import net from 'node:net';
import zlib from 'node:zlib';
import { type BenchCase, runBench } from './harness/bench.js';
import { nodeThreadMilliseconds } from './harness/process-figures.js';
import { percentile, timeMs } from './harness/samples.js';
import { FilledNode, TEMPLATE_CALL } from './http-load/filled-node.js';
import { postRequest } from './http-load/load.js';

const CLIENTS = Number(process.env.CLIENTS ?? 100);
const ROUNDS = Number(process.env.ROUNDS ?? 5);
const TXS = Number(process.env.TXS ?? 4_407);
const KBPS = Number(process.env.KBPS ?? 2_000);
/** An address of the namespace that is not loopback. */
const ADDRESS = '10.9.9.1';
const INSIDE = 'ADIT_BENCH_NAMESPACE';
const STEP_MS = 10;
const SMALL_CALL = '{"method":"getblockcount","id":1}';

/** Bytes that a client received, and when its last byte arrived. */
interface Got {
  readonly bytes: Buffer;
  readonly at: number;
}

/**
 * Sends a request on a new connection and reads the reply at a limited rate. @returns null if the server closed the
 * connection before the end of the reply
 */
function readSlowly(port: number, request: string): Promise<Got | null> {
  return new Promise((resolve) => {
    const socket = net.connect({ host: ADDRESS, port });
    const chunks: Buffer[] = [];
    let size = 0;
    let wanted = Number.POSITIVE_INFINITY;
    let began = 0;
    const done = (result: Got | null): void => {
      socket.destroy();
      resolve(result);
    };
    socket.on('error', () => done(null));
    socket.on('close', () => done(null));
    socket.on('data', (chunk) => {
      if (size === 0) began = performance.now();
      chunks.push(chunk);
      size += chunk.length;
      if (wanted === Number.POSITIVE_INFINITY) wanted = lengthOf(Buffer.concat(chunks));
      if (size >= wanted) return done({ bytes: Buffer.concat(chunks), at: performance.now() });
      const early = size / KBPS - (performance.now() - began);
      if (early < STEP_MS) return;
      socket.pause();
      setTimeout(() => socket.resume(), early);
    });
    socket.write(request);
  });
}

/** Returns the size of the whole reply according to its head; infinite while the head is incomplete. */
function lengthOf(bytes: Buffer): number {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return Number.POSITIVE_INFINITY;
  return end + 4 + Number(/content-length: *(\d+)/i.exec(bytes.toString('latin1', 0, end))![1]);
}

function templateOf({ bytes }: Got, gzip: boolean): { transactions: unknown[] } {
  const head = bytes.indexOf('\r\n\r\n');
  if (/content-encoding: *gzip/i.test(bytes.toString('latin1', 0, head)) !== gzip) throw new Error('a reply has the wrong encoding');
  const body = bytes.subarray(head + 4);
  return JSON.parse((gzip ? zlib.gunzipSync(body) : body).toString()).result;
}

interface Round {
  readonly cut: number;
  readonly median: number;
  readonly last: number;
  readonly small: number;
  /** Processor milliseconds of all threads except the node thread, for each reply. */
  readonly front: number;
  readonly bytes: number;
}

async function round(node: FilledNode, gzip: boolean): Promise<Round> {
  const { daemon } = node;
  const plain = postRequest(daemon.auth, TEMPLATE_CALL);
  const request = gzip ? plain.replace('\r\n\r\n', '\r\nAccept-Encoding: gzip\r\n\r\n') : plain;
  const before = nodeThreadMilliseconds(daemon.child!.pid!);
  const began = performance.now();
  let over = false;
  const replies = Promise.all(Array.from({ length: CLIENTS }, () => readSlowly(daemon.port, request))).finally(() => {
    over = true;
  });
  let small = 0;
  while (!over) {
    small = Math.max(small, await timeMs(() => node.post(SMALL_CALL)));
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
  }
  const got = (await replies).filter((one) => one !== null);
  const after = nodeThreadMilliseconds(daemon.child!.pid!);
  if (got.length > 0 && templateOf(got[0]!, gzip).transactions.length !== TXS) throw new Error('a template is not the whole one');
  const times = got.map(({ at }) => at - began);
  return {
    cut: CLIENTS - got.length,
    median: percentile(times, 0.5),
    last: Math.max(...times),
    small,
    front: (after.others - before.others) / got.length,
    bytes: got[0]?.bytes.length ?? 0,
  };
}

/** Runs this bench again within a namespace. */
function within(): never {
  const setup = `ip link set lo up && ip addr add ${ADDRESS}/32 dev lo && sysctl -qw net.ipv4.tcp_rmem='4096 65536 65536'`;
  const args = ['-rn', 'sh', '-c', `${setup} && exec "$0" "$@"`, process.execPath, ...process.argv.slice(1)];
  const { status, error } = spawnSync('unshare', args, { stdio: 'inherit', env: { ...process.env, [INSIDE]: '1' } });
  if (error !== undefined) console.error(`skipped: no network namespace: ${error.message}`);
  process.exit(status ?? 1);
}

if (process.env[INSIDE] === undefined) within();

await runBench({
  name: 'http/front/gzip',
  protects: 'clients that read slowly from being cut off, and what a compressed template costs',
  async run() {
    const node = await FilledNode.start(TXS, '-fronts=1', '-checktemplates=0', '-rpcbind=0.0.0.0', `-rpcallowip=${ADDRESS}`);
    const cases: BenchCase[] = [];
    const notes: string[] = [];
    try {
      await node.fullTemplate(TXS);
      for (const gzip of [true, false]) {
        const rounds: Round[] = [];
        for (let i = -1; i < ROUNDS; i++) {
          const one = await round(node, gzip);
          if (i >= 0) rounds.push(one);
        }
        const name = gzip ? 'gzip' : 'plain';
        const line = (what: string, unit: string, read: (of: Round) => number): BenchCase => ({
          ...{ name: `${name}: ${what}`, unit, better: 'lower', samples: rounds.map(read) },
        });
        cases.push(
          { ...line('clients cut off', 'clients', ({ cut }) => cut), goal: { text: 'none', reached: (p50) => p50 === 0 } },
          line('the median client has its template', 'ms', ({ median }) => median),
          line('the last one', 'ms', ({ last }) => last),
          line('slowest small call meanwhile', 'ms', ({ small }) => small),
          line('threads beside the node thread, a reply', 'processor ms', ({ front }) => front),
        );
        const bytes = rounds[0]!.bytes;
        notes.push(`${name}: ${bytes.toLocaleString('en-US')} bytes a reply, which take ${Math.round(bytes / KBPS)} ms at ${KBPS} kB/s`);
      }
    } finally {
      await node.end();
    }
    return { cases, notes: [`${CLIENTS} clients at once`, ...notes] };
  },
});
