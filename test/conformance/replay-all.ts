// Replays the recorded conversations of this folder (Bitcoin Core 0.21.1, with -compat=0.21.1) and of conformance-31
// (Core's master, with -compat=31) against the built daemon. expected.json of each names every recording with its
// number of calls and those that do not match: which calls match is pinned and may only grow. `npm run replay --
// [--set=0.21.1|31] [--verbose] [--first] [--count] [--update] [NAME...]`.
//   --set      just the recordings of this version     --count    list the commonest differences: method, member, how many calls
//   --verbose  show every call that differs     --first  stop a file at its first difference and show both replies
//   --update   write what matches now and did not before, and new recordings, into expected.json      NAME  just these files, e.g. mining-reorg
// A call matches when status and bytes are the same; where the recording marks a call as `value`, `shape` or `none`, or
// drops members by `ignore`, that much is asked. Where Core's error repeats a private key of the request, adit says
// `(private key)`: such a call matches when all else is the same, and is counted apart as well. A recording fails also
// when the daemon ends with another code than 0, prints anything, or logs an error. Closing line: `N passed, N failed`,
// a file each.
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import zlib from 'node:zlib';
import { type HttpReply, httpRequest } from '../framework/http-request.js';
import { freePort } from '../framework/ports.js';
import { PATIENCE_MS } from '../framework/until.js';
import { errorLines, grown, hidesKeys, judge, type Pinned } from './expected.js';

const root = path.resolve(import.meta.dirname, '../../..');
/** A folder of recordings and the version that they are of. */
interface RecordingSet {
  readonly compat: string;
  readonly folder: string;
}

const SETS: readonly RecordingSet[] = [
  { compat: '0.21.1', folder: path.join(root, 'test', 'conformance') },
  { compat: '31', folder: path.join(root, 'test', 'conformance-31') },
];
const daemon = path.join(root, 'build', 'bundle', 'src', 'bin', 'aditd.cjs');

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
  /** Lists of which the order means nothing; named by `ignore` as well. */
  unordered?: string[];
}
interface Node {
  child: ChildProcess;
  port: number;
  auth: string;
  dir: string;
  agent: http.Agent;
  /** How the process ended, undefined while it runs. */
  exit: () => { code: number | null; signal: string | null } | undefined;
}

function request(
  node: Pick<Node, 'port' | 'agent'>,
  auth: string | undefined,
  what: { path?: string; method?: string; body?: string; headers?: Record<string, string> },
): Promise<HttpReply> {
  const headers = { 'content-type': 'text/plain;', ...what.headers };
  return httpRequest({ port: node.port, agent: node.agent, timeoutMs: PATIENCE_MS, ...what, auth, headers });
}

async function start(args: string[], port: number): Promise<Node> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-replay-'));
  const out = fs.openSync(path.join(dir, 'stdout.log'), 'a');
  const options = [
    '-regtest',
    `-datadir=${dir}`,
    '-server',
    `-rpcport=${port}`,
    ...'-listen=0 -connect=0 -dnsseed=0 -fallbackfee=0.0002 -printtoconsole=0 -fronts=1 -checktemplates=1'.split(' '),
    // Takes seconds of all cores behind each first template.
    '-rehearse=0',
  ];
  const child = spawn(process.execPath, [daemon, ...options, ...args], { stdio: ['ignore', out, out] });
  fs.closeSync(out);
  let exit: ReturnType<Node['exit']>;
  child.on('exit', (code, signal) => {
    exit = { code, signal };
  });
  const node = { child, port, dir, auth: '', agent: new http.Agent({ keepAlive: true }), exit: () => exit };
  const cookie = path.join(dir, 'regtest', '.cookie');
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(20)) {
    if (exit) throw new Error(`the daemon ended: ${fs.readFileSync(path.join(dir, 'stdout.log'), 'utf8').slice(-800)}`);
    if (!fs.existsSync(cookie)) continue;
    node.auth = fs.readFileSync(cookie, 'utf8').trim();
    const up = await request(node, node.auth, { body: '{"id":0,"method":"getindexinfo","params":[]}' }).catch(() => undefined);
    // Indexes are made in the background: the first calls would find them, or not.
    if (up?.status === 200 && !up.body.includes('"synced":false')) return node;
  }
  child.kill('SIGKILL');
  throw new Error('the daemon did not answer in time');
}

/** Ends the daemon and removes its folder. @returns what was wrong with its end, its output or its log */
async function stop(node: Node): Promise<string[]> {
  const wrong: string[] = [];
  node.agent.destroy();
  if (!node.exit()) {
    await request({ port: node.port, agent: new http.Agent() }, node.auth, { body: '{"id":0,"method":"stop","params":[]}' }).catch(
      (error: Error) => wrong.push(`stop: ${error.message}`),
    );
    for (const deadline = Date.now() + PATIENCE_MS; !node.exit() && Date.now() < deadline; ) await sleep(20);
  }
  const exit = node.exit();
  if (!exit) node.child.kill('SIGKILL');
  if (exit?.code !== 0) wrong.push(`the daemon ended with ${exit ? (exit.code ?? exit.signal) : 'a kill, since it did not stop'}`);
  const printed = fs.readFileSync(path.join(node.dir, 'stdout.log'), 'utf8').trim();
  if (printed !== '') wrong.push(`the daemon printed: ${printed.slice(-800)}`);
  const log = path.join(node.dir, 'regtest', 'debug.log');
  wrong.push(...errorLines(fs.existsSync(log) ? fs.readFileSync(log, 'utf8') : ''));
  fs.rmSync(node.dir, { recursive: true, force: true });
  return wrong;
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

/** The members of objects by name, for comparing. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).map(([key, member]): [string, unknown] => [key, sorted(member)]);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Puts a list named by a path like `result[].txids` into an order of its own. */
function order(value: unknown, parts: string[]): void {
  if (value === null || typeof value !== 'object') return;
  const [head, ...rest] = parts as [string, ...string[]];
  const record = value as Record<string, unknown>;
  if (head.endsWith('[]')) {
    const list = record[head.slice(0, -2)];
    if (Array.isArray(list)) for (const item of list) order(item, rest);
  } else if (rest.length > 0) order(record[head], rest);
  else if (Array.isArray(record[head])) {
    const keyed = record[head].map((item): [string, unknown] => [JSON.stringify(sorted(item)), item]);
    record[head] = keyed.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, item]) => item);
  }
}

/** Where two values differ first, as a path, with what is wrong there. */
function firstDifference(want: unknown, got: unknown, at = ''): string | undefined {
  const kind = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value);
  if (kind(want) !== kind(got)) return `${at} ${kind(got)}, want ${kind(want)}`;
  if (Array.isArray(want) && Array.isArray(got)) {
    for (let i = 0; i < Math.min(want.length, got.length); i++) {
      const inside = firstDifference(want[i], got[i], `${at}[]`);
      if (inside !== undefined) return inside;
    }
    return want.length === got.length ? undefined : `${at} length`;
  }
  if (want === null || typeof want !== 'object') {
    if (want === got) return undefined;
    return at.endsWith('message') ? `${at}: ${JSON.stringify(got)}, want ${JSON.stringify(want)}` : `${at} value`;
  }
  const wanted = want as Record<string, unknown>;
  const given = got as Record<string, unknown>;
  if (at === '' && wanted.error && !given.error) return `no error, want ${JSON.stringify(wanted.error)}`;
  if (at === '' && !wanted.error && given.error) return `error ${JSON.stringify(given.error)}`;
  for (const key of Object.keys(wanted)) if (!(key in given)) return `${at}.${key} missing`;
  for (const key of Object.keys(given)) if (!(key in wanted)) return `${at}.${key} too much`;
  for (const key of Object.keys(wanted)) {
    const inside = firstDifference(wanted[key], given[key], `${at}.${key}`);
    if (inside !== undefined) return inside;
  }
  return Object.keys(wanted).join() === Object.keys(given).join() ? undefined : `${at} order`;
}

/** How often each difference was seen, for --count. */
const seen = new Map<string, { calls: number; example: string }>();

function count(name: string, line: Line, reply: HttpReply, verdict: string): void {
  let where: string | undefined;
  try {
    where = firstDifference(JSON.parse(line.reply), JSON.parse(reply.body));
  } catch {
    // Not JSON: the verdict says enough.
  }
  const key = `${line.method ?? 'http'}: ${(where ?? verdict).slice(0, 230)}`;
  const entry = seen.get(key) ?? { calls: 0, example: `${name} #${line.n}` };
  entry.calls++;
  seen.set(key, entry);
}

function shapeOf(value: unknown): unknown {
  if (value === null) return 'null';
  if (Array.isArray(value)) return [value.length > 0 ? shapeOf(value[0]) : 'empty'];
  if (typeof value === 'object') return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shapeOf(member)]));
  return typeof value;
}

/**
 * A recorded line as adit answers it: private keys that the request brought are not repeated. Null when it repeats
 * none.
 */
function withHiddenKeys(line: Line): Line | null {
  const reply = hidesKeys(line.reply, JSON.stringify(line.params ?? ''));
  return reply === null ? null : { ...line, reply };
}

/** @returns undefined for a match, otherwise what differs */
function difference(line: Line, reply: HttpReply): string | undefined {
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
  for (const member of line.unordered ?? []) {
    order(want, member.split('.'));
    order(got, member.split('.'));
  }
  for (const member of line.ignore ?? []) {
    if (line.unordered?.includes(member)) continue;
    drop(want, member.split('.'));
    drop(got, member.split('.'));
  }
  if (line.check === 'shape') return isDeepStrictEqual(shapeOf(want), shapeOf(got)) ? undefined : 'another shape';
  if (!isDeepStrictEqual(want, got)) return 'another value';
  if (line.check === 'value') return undefined;
  if (line.ignore && JSON.stringify(want) === JSON.stringify(got)) return undefined;
  return 'same value, other bytes';
}

interface Result {
  readonly name: string;
  /** Numbers of the calls that do not match, of all calls that were made. */
  readonly differ: number[];
  readonly hidden: number;
  readonly calls: number;
  readonly trouble: string[];
}

async function replay({ folder, compat }: RecordingSet, file: string, port: number): Promise<Result> {
  const [header, ...lines] = zlib
    .gunzipSync(fs.readFileSync(path.join(folder, file)))
    .toString()
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text) as unknown) as [Header, ...Line[]];
  const name = file.replace('.jsonl.gz', '');
  const calls = lines.filter(({ section }) => section === undefined);
  let node: Node;
  try {
    node = await start([`-compat=${compat}`, ...header.args], port);
  } catch (error) {
    return { name, differ: calls.map(({ n }) => n), hidden: 0, calls: calls.length, trouble: [(error as Error).message] };
  }
  const differ: number[] = [];
  const trouble: string[] = [];
  let hidden = 0;
  for (const line of calls) {
    let reply: HttpReply = { status: 0, headers: {}, body: '' };
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
    if (verdict === undefined) continue;
    differ.push(line.n);
    if (show.count) count(name, line, reply, verdict);
    if (show.verbose || show.first) {
      const asked = `${line.method ?? `${line.http?.method} ${line.http?.path}`} ${JSON.stringify(line.params ?? line.http?.body ?? '').slice(0, 300)}`;
      console.log(
        `${name} #${line.n} ${asked}\n  ${verdict}\n  want ${line.reply.trim().slice(0, 1500)}\n  got  ${reply.body.trim().slice(0, 1500)}`,
      );
    }
    if (show.first) break;
    if (node.exit()) {
      // The rest was not asked.
      differ.push(...calls.filter(({ n }) => n > line.n).map(({ n }) => n));
      break;
    }
  }
  trouble.push(...(await stop(node)));
  return { name, differ, hidden, calls: calls.length, trouble };
}

const args = process.argv.slice(2);
const show = { verbose: args.includes('--verbose'), first: args.includes('--first'), count: args.includes('--count') };
const wanted = args.filter((arg) => !arg.startsWith('--')).map((arg) => path.basename(arg).replace(/\.jsonl(\.gz)?$/, ''));
const onlySet = args.find((arg) => arg.startsWith('--set='))?.slice('--set='.length);

/** Names that no recording begins with. */
const unknown = new Set(wanted);

/** A set of recordings, those of it that are replayed, and how they went. */
interface SetRun {
  readonly set: RecordingSet;
  readonly expectedFile: string;
  readonly pinned: Record<string, Pinned>;
  readonly present: readonly string[];
  readonly names: readonly string[];
  readonly results: Result[];
  readonly faults: Map<string, string[]>;
}

function openSet(set: RecordingSet): SetRun {
  const expectedFile = path.join(set.folder, 'expected.json');
  const pinned = (fs.existsSync(expectedFile) ? JSON.parse(fs.readFileSync(expectedFile, 'utf8')) : {}) as Record<string, Pinned>;
  const present = fs
    .readdirSync(set.folder)
    .filter((file) => file.endsWith('.jsonl.gz'))
    .map((file) => file.replace('.jsonl.gz', ''));
  // A recording that is pinned has to be there.
  const all = [...new Set([...present, ...Object.keys(pinned)])].sort();
  const names = all.filter((one) => wanted.length === 0 || wanted.some((name) => one.startsWith(name)));
  for (const name of wanted) if (all.some((one) => one.startsWith(name))) unknown.delete(name);
  return { set, expectedFile, pinned, present, names, results: [], faults: new Map() };
}

/** Replays one recording and prints how many of its calls match. */
async function replayOne({ set, pinned, present, results, faults }: SetRun, name: string): Promise<void> {
  if (!present.includes(name)) {
    faults.set(name, ['the recording is missing']);
    return;
  }
  const result = await replay(set, `${name}.jsonl.gz`, await freePort());
  results.push(result);
  const { calls, hidden, differ, trouble } = result;
  const wrong = [...(args.includes('--update') && !pinned[name] ? [] : judge(pinned[name], result)), ...trouble];
  if (wrong.length > 0 && !show.first) faults.set(name, wrong);
  const keys = hidden > 0 ? `, ${hidden} of them but for a private key that is not repeated` : '';
  const more = grown(pinned[name], result);
  const news = more.length > 0 && !show.first ? `; call ${more.join(', ')} matches now: pin it with --update` : '';
  if (!show.first) console.log(`${set.compat} ${name}: ${calls - differ.length} of ${calls}${keys}${news}`);
}

/** Prints what was wrong with a set and how many of its calls match. Writes expected.json if that is wanted. */
function closeSet({ set, expectedFile, pinned, results, faults }: SetRun): void {
  for (const [name, wrong] of faults) for (const one of wrong) console.log(`FAILED ${set.compat} ${name}: ${one}`);
  if (args.includes('--update')) {
    for (const { name, calls, differ } of results) {
      const before = pinned[name];
      pinned[name] = { calls, differ: before ? differ.filter((n) => before.differ.includes(n)) : differ };
    }
    const rows = Object.entries(pinned).sort(([a], [b]) => (a < b ? -1 : 1));
    fs.writeFileSync(expectedFile, `{\n${rows.map(([name, row]) => `  ${JSON.stringify(name)}: ${JSON.stringify(row)}`).join(',\n')}\n}\n`);
  }
  const sum = (of: (result: Result) => number): number => results.reduce((total, result) => total + of(result), 0);
  if (results.length === 0) return;
  const hidden = sum((r) => r.hidden);
  const keys = hidden > 0 ? `, ${hidden} of them but for a private key that is not repeated` : '';
  console.log(`-compat=${set.compat}: ${sum((r) => r.calls - r.differ.length)} of ${sum((r) => r.calls)} calls match${keys}`);
}

const runs = SETS.filter(({ compat }) => onlySet === undefined || compat === onlySet).map(openSet);
// The longest first, so that no lane is left alone with one at the end. Daemons often wait for the disk.
const callsOf = ({ run, name }: { run: SetRun; name: string }): number => run.pinned[name]?.calls ?? 0;
const queue = runs.flatMap((run) => run.names.map((name) => ({ run, name }))).sort((a, b) => callsOf(b) - callsOf(a));
await Promise.all(
  Array.from({ length: show.verbose || show.first ? 1 : os.availableParallelism() + 2 }, async () => {
    for (let next = queue.shift(); next; next = queue.shift()) await replayOne(next.run, next.name);
  }),
);
for (const run of runs) closeSet(run);
const passed = runs.reduce((total, { results, faults }) => total + results.filter(({ name }) => !faults.has(name)).length, 0);
let failed = runs.reduce((total, { faults }) => total + faults.size, 0);
for (const name of unknown) console.log(`FAILED ${name}: there is no such recording`);
failed += unknown.size;
const commonest = [...seen].sort(([, a], [, b]) => b.calls - a.calls);
for (const [what, { calls, example }] of commonest.slice(0, 300)) console.log(`${String(calls).padStart(5)}  ${what}   (${example})`);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 || passed === 0 ? 1 : 0);
