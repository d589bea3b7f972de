// Tests HTTP clients that misbehave towards a real process: they never read, never finish a request, or never stop
// guessing passwords. The memory held for them is limited, and other clients are served meanwhile. HTTP_ABUSE=long uses
// the full numbers; otherwise they are small enough for every run.
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { Daemon } from '../framework/daemon.js';
import { freePort } from '../framework/ports.js';
import { residentMb } from '../framework/resident.js';
import { figure, scrape } from '../framework/scrape.js';
import { PATIENCE_MS, until } from '../framework/until.js';

// Every part has its own daemon and mostly waits.
t.jobs = 3;
const long = process.env.HTTP_ABUSE === 'long';
const address = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';

const basic = (auth: string): string => `Authorization: Basic ${Buffer.from(auth).toString('base64')}\r\n`;

function request(auth: string, body: string): string {
  return `POST / HTTP/1.1\r\nHost: x\r\n${basic(auth)}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

const residentOf = (node: Daemon): number => residentMb(node.child?.pid as number);

/**
 * Counts the port's sockets in the kernel that the daemon has not closed. A client that reads nothing does not notice
 * that its connection ended.
 */
function openAtServer(port: number): number {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return fs
    .readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[1]?.endsWith(local) && fields[3] === '01').length;
}

/** A socket that sends and never reads. */
function mute(port: number, bytes: string): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1');
    socket.pause();
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.removeAllListeners('error');
      socket.on('error', () => {});
      socket.write(bytes);
      resolve(socket);
    });
  });
}

/** Opens many in small groups, so that the listening queue does not overflow. */
async function mutes(count: number, port: number, bytes: string): Promise<net.Socket[]> {
  const sockets: net.Socket[] = [];
  while (sockets.length < count) {
    const group = Math.min(50, count - sockets.length);
    sockets.push(...(await Promise.all(Array.from({ length: group }, () => mute(port, bytes)))));
  }
  return sockets;
}

/** Everything a socket gets until it is closed, or until `enough` says so. */
function read(
  port: number,
  bytes: string,
  enough: (text: string) => boolean,
  sent: () => void = () => {},
): Promise<{ text: string; closed: boolean; ms: number }> {
  return new Promise((resolve) => {
    const began = performance.now();
    let text = '';
    const socket = net.connect(port, '127.0.0.1', () => socket.write(bytes, sent));
    const done = (closed: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ text, closed, ms: performance.now() - began });
    };
    const timer = setTimeout(() => done(false), PATIENCE_MS);
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (enough(text)) done(false);
    });
    socket.on('error', () => done(true));
    socket.on('close', () => done(true));
  });
}

/** Most memory for unread replies of one front thread, fan-out.ts: MOST_HELD_BYTES and the newest reply. */
const HELD_MB = 256;

t.test('bounds memory for clients that never read', { skip: process.platform !== 'linux' && 'needs /proc' }, async (t) => {
  const clients = long ? 600 : 45;
  for (const [what, entries, pipelined, boundMb] of [
    // 7.6 MB each: more in all than may be held.
    ['one large reply each', 1200, 1, HELD_MB + 8],
    ['many replies each, asked for in one go', 4, 50, 4],
  ] as const) {
    const metrics = await freePort();
    const node = await Daemon.startFor(t, '-rpcworkqueue=4000', '-fronts=1', '-rpcservertimeout=5', `-metricsport=${metrics}`);
    await node.call('generatetoaddress', 1, address);
    const body = `[${Array(entries).fill('{"method":"help","params":["getblocktemplate"],"id":1}').join(',')}]`;
    const replyMb = (await node.post(body)).body.length / 2 ** 20;
    const before = residentOf(node);
    const sockets = await mutes(clients, node.port, request(node.auth, body).repeat(pipelined));
    let [held, resident, left] = [0, 0, Number.POSITIVE_INFINITY];
    const began = performance.now();
    while (performance.now() - began < PATIENCE_MS) {
      held = Math.max(held, figure(await scrape(metrics), 'adit_http_held_bytes') / 2 ** 20);
      resident = Math.max(resident, residentOf(node) - before);
      left = openAtServer(node.port);
      // The agents of this test keep some connections of their own.
      if (left <= 10) break;
      await sleep(100);
    }
    t.comment(
      `${what}: ${clients} clients ask for ${(clients * replyMb * pipelined).toFixed(0)} MB, ${held.toFixed(0)} MB held at most, ` +
        `${resident.toFixed(0)} MB more resident, all closed within ${((performance.now() - began) / 1000).toFixed(0)} s`,
    );
    t.ok(held <= boundMb, `${what}: ${held.toFixed(1)} MB held`);
    // A heap grows to the work it is given: only what is far from the bound says something.
    if (long) t.ok(resident < 3 * HELD_MB, `${what}: ${resident.toFixed(0)} MB resident`);
    t.ok(left <= 10, `${what}: closed`);
    t.equal(await node.call('getblockcount'), 1, 'others are served');
    for (const socket of sockets) socket.destroy();
    await node.remove();
  }
});

t.test('closes slow uploads, partial requests and idle sockets', async (t) => {
  const node = await Daemon.startFor(t, '-rpcservertimeout=3');
  const body = '{"method":"getblockcount","id":1}';
  const whole = request(node.auth, body);
  const half = [
    ['half a request line', 'POST / HT'],
    ['half a head', whole.slice(0, 40)],
    ['a head without its body', whole.slice(0, -body.length)],
    ['half a body', whole.slice(0, -5)],
  ] as const;
  const ends = await Promise.all(half.map(async ([what, bytes]) => ({ what, ...(await read(node.port, bytes, () => false)) })));
  for (const { what, closed, text } of ends) {
    t.ok(closed, `${what}: closed`);
    t.equal(text, '', `${what}: without an answer`);
  }
  const slow = Array.from({ length: 20 }, () => {
    const socket = net.connect(node.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write(whole.slice(0, -body.length));
    return socket;
  });
  // On a connection of its own: the usual one has been quiet for as long as those that were just closed.
  t.match((await read(node.port, whole, (text) => text.endsWith('}\n'))).text, /"result":0/, 'others are served');
  // A body that arrives byte by byte is accepted as long as bytes arrive.
  const patient = net.connect(node.port, '127.0.0.1');
  let reply = '';
  patient.on('data', (chunk) => {
    reply += chunk.toString();
  });
  for (const byte of whole) {
    patient.write(byte);
    if (patient.bytesWritten % 16 === 0) await sleep(1);
  }
  await until('a reply to the patient', () => /"result":0/.test(reply));
  patient.destroy();
  for (const socket of slow) socket.destroy();
});

t.test('holds many idle connections with little memory', async (t) => {
  // The test's process and the daemon have a limit of descriptors each; what it allows is used.
  const soft = Number(
    /Max open files\s+(\d+)/.exec(fs.existsSync('/proc/self/limits') ? fs.readFileSync('/proc/self/limits', 'utf8') : '')?.[1] ?? 1024,
  );
  const wanted = long ? 10_000 : 2_000;
  const count = Math.min(wanted, soft - 200);
  if (count < wanted) t.comment(`the limit of ${soft} descriptors allows ${count} instead of ${wanted}`);
  const node = await Daemon.startFor(t);
  const before = fs.existsSync('/proc') ? residentOf(node) : 0;
  const sockets = await mutes(count, node.port, '');
  const began = performance.now();
  t.equal(await node.call('getblockcount'), 0, `served beside ${count} idle connections`);
  t.comment(
    `${count} idle: a call in ${(performance.now() - began).toFixed(0)} ms, ${((fs.existsSync('/proc') ? residentOf(node) : 0) - before).toFixed(0)} MB more`,
  );
  for (const socket of sockets) socket.destroy();
  t.equal((await node.call('generatetoaddress', 1, address)).length, 1);
});

t.test('delays only the clients with wrong passwords', async (t) => {
  const node = await Daemon.startFor(t);
  const body = '{"method":"getblockcount","id":1}';
  const guesses = Array.from({ length: 200 }, (_, i) =>
    read(node.port, request(`__cookie__:${i}`, body), (text) => text.includes('\r\n\r\n')),
  );
  const times: number[] = [];
  for (let i = 0; i < 20; i++) {
    const began = performance.now();
    await node.call('getblockcount');
    times.push(performance.now() - began);
  }
  times.sort((a, b) => a - b);
  const replies = await Promise.all(guesses);
  const answered = replies.filter(({ text }) => text !== '');
  t.ok(answered.length >= 4, 'four of an address wait, the others are cut off');
  t.ok(
    answered.every(({ text }) => text.startsWith('HTTP/1.1 401 Unauthorized')),
    'all refused',
  );
  t.ok(
    answered.every(({ ms }) => ms >= 245),
    'none sooner than a quarter of a second',
  );
  const later = await read(node.port, request('__cookie__:again', body), (text) => text.includes('\r\n\r\n'));
  t.match(later.text, /^HTTP\/1\.1 401/, 'the next one waits and is answered again');
  t.comment(`right passwords meanwhile: median ${times[10]!.toFixed(1)} ms`);
  const missing = await read(node.port, `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}`, (text) => text.includes('\r\n\r\n'));
  t.match(missing.text, /^HTTP\/1\.1 401/);
  const log = fs.readFileSync(`${node.networkDir}/debug.log`, 'utf8');
  t.match(log, /ThreadRPCServer incorrect password attempt from 127\.0\.0\.1/);
});

t.test('refuses calls past -rpcworkqueue', async (t) => {
  const node = await Daemon.startFor(t, '-rpcworkqueue=1', '-fronts=1');
  // A process that was stopped finds all of them at once when it continues.
  node.child?.kill('SIGSTOP');
  let sent = 0;
  const reading = Promise.all(
    Array.from({ length: 60 }, () => {
      const enough = (text: string): boolean => text.includes('}\n') || text.endsWith('exceeded');
      return read(node.port, request(node.auth, '{"method":"getrawmempool","id":1}'), enough, () => sent++);
    }),
  );
  await until('all are sent', () => sent === 60);
  node.child?.kill('SIGCONT');
  const replies = await reading;
  const full = replies.filter(({ text }) => text.includes('Work queue depth exceeded'));
  t.ok(full.length > 0, `${full.length} of 60 refused`);
  t.ok(
    full.every(
      ({ text }) => text.startsWith('HTTP/1.1 503 Service Unavailable') && text.includes('Content-Type: text/html; charset=ISO-8859-1'),
    ),
    "with libevent's shape",
  );
  t.ok(replies.length - full.length > 0, 'the others answered');
});

t.test('keeps file descriptors for files when clients open too many sockets', async (t) => {
  const node = await Daemon.startThrough(['sh', '-c', 'ulimit -n 600 && exec "$@"', 'sh']);
  t.teardown(() => node.remove());
  const sockets: net.Socket[] = [];
  let refused = 0;
  for (let i = 0; i < 700; i++) {
    const socket = net.connect(node.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.on('close', () => refused++);
    sockets.push(socket);
    // Another request's head begins, and does not end: the transport closes quiet sockets.
    socket.write('POST / HTTP/1.1\r\n');
  }
  await until('those to be refused for which there is no room', () => refused >= 350);
  const held = fs.readdirSync(`/proc/${node.child?.pid}/fd`).length;
  t.ok(held < 500, `${held} files and sockets open`);
  t.match(node.output() + fs.readFileSync(path.join(node.networkDir, 'debug.log'), 'utf8'), /there are 300 HTTP connections at one front/);
  for (const socket of sockets) socket.destroy();
  await until('a client to be served again', () =>
    node.call('getblockcount').then(
      () => true,
      () => false,
    ),
  );
});
