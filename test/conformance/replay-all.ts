// Replays the recorded conversations of this folder against the built daemon and holds the number of matching calls per file against
// counts.json: it may only rise. `npm run replay -- [--verbose] [--first] [--update] [NAME...]`.
//   --verbose  show every call that differs     --first  stop a file at its first difference and show both replies
//   --update   write the counts that rose into counts.json      NAME  just these files, e.g. mining-reorg
// A call matches when status and bytes are the same; where the recording marks a call as `value`, `shape` or `none`, or drops members by
// `ignore`, that much is asked. Where Core's error repeats a private key of the request, adit says `(private key)`: such a call matches
// when all else is the same, and is counted apart as well. Closing line: `N passed, N failed`, a file each.
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import zlib from 'node:zlib';

const root = path.resolve(import.meta.dirname, '../../..');
const folder = path.join(root, 'test', 'conformance');
const countsFile = path.join(folder, 'counts.json');
const daemon = path.join(root, 'build', 'src', 'aditd.js');
const startMs = 60_000;
const replyMs = 120_000;

interface Header {
  transcript: string;
  args: string[];
  calls: number;
}
interface Line {
  n: number;
  section?: string;
  method?: string;
  params?: unknown;
  wallet?: string;
  http?: { method: string; path: string; headers?: Record<string, string>; body?: string; auth?: string };
  status: number;
  headers?: Record<string, string>;
  reply: string;
  check?: 'exact' | 'value' | 'shape' | 'none';
  ignore?: string[];
}
interface Reply {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: string;
}

interface Node {
  child: ChildProcess;
  port: number;
  auth: string;
  dir: string;
  agent: http.Agent;
  ended: () => boolean;
}

function request(
  node: Pick<Node, 'port' | 'agent'>,
  auth: string | undefined,
  what: { path?: string; method?: string; body?: string; headers?: Record<string, string> },
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const headers: Record<string, string | number> = { 'content-type': 'text/plain;', ...what.headers };
    if (what.body !== undefined) headers['content-length'] = Buffer.byteLength(what.body);
    if (auth) headers.authorization = `Basic ${Buffer.from(auth).toString('base64')}`;
    const sent = http.request(
      {
        host: '127.0.0.1',
        port: node.port,
        path: what.path ?? '/',
        method: what.method ?? 'POST',
        headers,
        agent: node.agent,
        timeout: replyMs,
      },
      (reply) => {
        const chunks: Buffer[] = [];
        reply.on('data', (chunk: Buffer) => chunks.push(chunk));
        reply.on('error', reject);
        reply.on('end', () => resolve({ status: reply.statusCode ?? 0, headers: reply.headers, body: Buffer.concat(chunks).toString() }));
      },
    );
    sent.on('error', reject);
    sent.on('timeout', () => sent.destroy(new Error('no reply in time')));
    sent.end(what.body);
  });
}

async function start(args: string[], port: number): Promise<Node> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-replay-'));
  const out = fs.openSync(path.join(dir, 'stdout.log'), 'a');
  const options = [
    '-regtest',
    `-datadir=${dir}`,
    '-server',
    `-rpcport=${port}`,
    `-port=${port + 1}`,
    '-listen=0',
    '-connect=0',
    '-dnsseed=0',
    '-fallbackfee=0.0002',
    '-printtoconsole=0',
    '-fronts=2',
    '-checktemplates=1',
  ];
  const child = spawn(process.execPath, [daemon, ...options, ...args], { stdio: ['ignore', out, out] });
  fs.closeSync(out);
  let over = false;
  child.on('exit', () => (over = true));
  const node = { child, port, dir, auth: '', agent: new http.Agent({ keepAlive: true }), ended: () => over };
  const cookie = path.join(dir, 'regtest', '.cookie');
  for (const deadline = Date.now() + startMs; Date.now() < deadline; await sleep(20)) {
    if (over) throw new Error(`the daemon ended: ${fs.readFileSync(path.join(dir, 'stdout.log'), 'utf8').slice(-800)}`);
    if (!fs.existsSync(cookie)) continue;
    node.auth = fs.readFileSync(cookie, 'utf8').trim();
    const up = await request(node, node.auth, { body: '{"id":0,"method":"getblockcount","params":[]}' }).catch(() => undefined);
    if (up?.status === 200) return node;
  }
  child.kill('SIGKILL');
  throw new Error('the daemon did not answer in time');
}

async function stop(node: Node): Promise<void> {
  node.agent.destroy();
  await request({ port: node.port, agent: new http.Agent() }, node.auth, { body: '{"id":0,"method":"stop","params":[]}' }).catch(
    () => undefined,
  );
  for (let i = 0; i < 750 && !node.ended(); i++) await sleep(20);
  if (!node.ended()) node.child.kill('SIGKILL');
  fs.rmSync(node.dir, { recursive: true, force: true });
}

/** Removes a member named by a path like `result[].time`. */
function drop(value: unknown, parts: string[]): void {
  if (value === null || typeof value !== 'object') return;
  const [head, ...rest] = parts as [string, ...string[]];
  if (head.endsWith('[]')) {
    const list = head === '[]' ? value : (value as Record<string, unknown>)[head.slice(0, -2)];
    if (Array.isArray(list)) for (const item of list) drop(item, rest);
  } else if (rest.length === 0) delete (value as Record<string, unknown>)[head];
  else drop((value as Record<string, unknown>)[head], rest);
}

function shapeOf(value: unknown): unknown {
  if (value === null) return 'null';
  if (Array.isArray(value)) return [value.length > 0 ? shapeOf(value[0]) : 'empty'];
  if (typeof value === 'object') return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shapeOf(member)]));
  return typeof value;
}

const KEY_TEXT = /[1-9A-HJ-NP-Za-km-z]{51,111}/g;

/** A recorded line as adit answers it: keys that the request brought are not repeated. Null when it repeats none. */
function withHiddenKeys(line: Line): Line | null {
  const asked = JSON.stringify(line.params ?? '');
  const reply = line.reply.replace(KEY_TEXT, (text) => (asked.includes(text) ? '(private key)' : text));
  return reply.includes('"message"') && reply !== line.reply ? { ...line, reply } : null;
}

/** @returns undefined for a match, otherwise what differs */
function difference(line: Line, reply: Reply): string | undefined {
  if (line.check === 'none') return undefined;
  if (line.status !== reply.status) return `HTTP ${reply.status}, want ${line.status}`;
  for (const [name, value] of Object.entries(line.headers ?? {}))
    if (reply.headers[name] !== value) return `header ${name}: ${reply.headers[name]}, want ${value}`;
  if (line.reply === reply.body) return undefined;
  let want: unknown;
  let got: unknown;
  try {
    want = JSON.parse(line.reply);
    got = JSON.parse(reply.body);
  } catch {
    return 'another body';
  }
  for (const member of line.ignore ?? []) {
    drop(want, member.split('.'));
    drop(got, member.split('.'));
  }
  if (line.check === 'shape') return isDeepStrictEqual(shapeOf(want), shapeOf(got)) ? undefined : 'another shape';
  if (!isDeepStrictEqual(want, got)) return 'another value';
  if (line.check === 'value') return undefined;
  if (line.ignore && JSON.stringify(want) === JSON.stringify(got)) return undefined;
  return 'same value, other bytes';
}

async function replay(
  file: string,
  port: number,
  show: { verbose: boolean; first: boolean },
): Promise<{ name: string; matched: number; hidden: number; calls: number; trouble?: string }> {
  const [header, ...lines] = zlib
    .gunzipSync(fs.readFileSync(path.join(folder, file)))
    .toString()
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text) as unknown) as [Header, ...Line[]];
  const name = file.replace('.jsonl.gz', '');
  let node: Node;
  try {
    node = await start(header.args, port);
  } catch (error) {
    return { name, matched: 0, hidden: 0, calls: header.calls, trouble: (error as Error).message };
  }
  let matched = 0;
  let hidden = 0;
  try {
    for (const line of lines) {
      if (line.section !== undefined) continue;
      let reply: Reply = { status: 0, headers: {}, body: '' };
      let verdict: string | undefined;
      try {
        reply = line.http
          ? await request(node, line.http.auth === 'cookie' ? node.auth : line.http.auth, line.http)
          : await request(node, node.auth, {
              path: line.wallet === undefined ? '/' : `/wallet/${encodeURIComponent(line.wallet)}`,
              body: JSON.stringify({ jsonrpc: '1.0', id: 1, method: line.method, params: line.params }),
            });
        verdict = difference(line, reply);
        const other = verdict === undefined ? null : withHiddenKeys(line);
        if (other !== null && difference(other, reply) === undefined) {
          verdict = undefined;
          hidden++;
        }
      } catch (error) {
        verdict = (error as Error).message;
      }
      if (verdict === undefined) {
        matched++;
        continue;
      }
      if (show.verbose || show.first) {
        const asked = `${line.method ?? `${line.http?.method} ${line.http?.path}`} ${JSON.stringify(line.params ?? line.http?.body ?? '').slice(0, 300)}`;
        console.log(
          `${name} #${line.n} ${asked}\n  ${verdict}\n  want ${line.reply.trim().slice(0, 1500)}\n  got  ${reply.body.trim().slice(0, 1500)}`,
        );
      }
      if (show.first) break;
      if (node.ended())
        return {
          name,
          matched,
          hidden,
          calls: header.calls,
          trouble: `the daemon ended: ${fs.readFileSync(path.join(node.dir, 'stdout.log'), 'utf8').slice(-800)}`,
        };
    }
  } finally {
    await stop(node);
  }
  return { name, matched, hidden, calls: header.calls };
}

const args = process.argv.slice(2);
const show = { verbose: args.includes('--verbose'), first: args.includes('--first') };
const wanted = args.filter((arg) => !arg.startsWith('--')).map((arg) => path.basename(arg).replace(/\.jsonl(\.gz)?$/, ''));
const counts = (fs.existsSync(countsFile) ? JSON.parse(fs.readFileSync(countsFile, 'utf8')) : {}) as Record<string, number>;
const files = fs
  .readdirSync(folder)
  .filter((file) => file.endsWith('.jsonl.gz') && (wanted.length === 0 || wanted.some((name) => file.startsWith(name))))
  .sort();
const queue = files.map((file, index) => ({ file, port: 13000 + (process.pid % 400) * 40 + (index % 20) * 2 }));
const results: Awaited<ReturnType<typeof replay>>[] = [];
const lanes = show.verbose || show.first ? 1 : 2;
await Promise.all(
  Array.from({ length: lanes }, async () => {
    for (let job = queue.shift(); job; job = queue.shift()) {
      const result = await replay(job.file, job.port, show);
      results.push(result);
      const kept = counts[result.name];
      console.log(
        `${result.name}: ${result.matched} of ${result.calls}${result.hidden > 0 ? `, ${result.hidden} of them but for a private key that is not repeated` : ''}${kept !== undefined && result.matched < kept ? `, FELL from ${kept}` : ''}${result.trouble ? ` (${result.trouble})` : ''}`,
      );
    }
  }),
);
const fell = results.filter((result) => result.matched < (counts[result.name] ?? 0));
if (args.includes('--update')) {
  for (const result of results) counts[result.name] = Math.max(result.matched, counts[result.name] ?? 0);
  fs.writeFileSync(countsFile, `${JSON.stringify(Object.fromEntries(Object.entries(counts).sort()), null, 2)}\n`);
}
const sum = (of: (result: (typeof results)[number]) => number): number => results.reduce((total, result) => total + of(result), 0);
console.log(
  `${sum((r) => r.matched)} of ${sum((r) => r.calls)} calls match, ${sum((r) => r.hidden)} of them but for a private key that is not repeated`,
);
console.log(`${results.length - fell.length} passed, ${fell.length} failed`);
process.exit(fell.length > 0 && !show.first ? 1 : 0);
