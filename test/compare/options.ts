// Gives adit and a bitcoind every option of bitcoind's help, each with several values, and prints where the two differ:
// whether they start, the error if not, and what calls about their state answer.
//
//   npm run compare:options -- --bitcoind=PATH [--only=REGEX] [--minutes=60] [--seed=1] [--words] [--intended]
//
// Both run on regtest over empty folders. An option that adit's parser refuses starts only bitcoind, which should end
// before it opens anything. The other options start both, thirty different ones at a time. If an error names one of
// them, the others are tried again without it. If the two differ in another way, the options are tried again in halves.
// Intended differences are tried with --intended only, because each of them costs ten starts. Differences that exist
// without any option are left out. The words of errors are compared with --words only. The order of the cases is
// random, so that short runs with several seeds cover all of them. Exit status 1 when there was any difference.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ConfigError } from '../../src/config/args.js';
import { loadConfig, parseArgs as parseDaemonArgs } from '../../src/config/load.js';
import { daemonFile } from '../framework/daemon.js';
import { httpRequest } from '../framework/http-request.js';
import { freePort } from '../framework/ports.js';
import { pseudoRandom } from '../framework/pseudo-random.js';
import { bitcoindOf } from './chains.js';
import { canonical, contrast } from './differences.js';

const { values } = parseArgs({
  options: {
    bitcoind: { type: 'string' },
    only: { type: 'string', default: '.' },
    minutes: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    words: { type: 'boolean', default: false },
    intended: { type: 'boolean', default: false },
  },
});
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const bitcoind = bitcoindOf(values);
const START_MS = 120_000;
/** HTTP status codes of a node that will never answer this user. */
const REFUSED: ReadonlySet<number> = new Set([401, 403]);
/** Number of options of one start. */
const TOGETHER = 30;
/** Options that hide what others do. Each of them has a start of its own. */
const HIDING = /^-(no)?(disablewallet|rpc)/;
const OF_ADIT = ['-compat=31', '-fronts=1', '-rehearse=0'];

/** Creates a wallet, because Core parses the options of wallets when a wallet is created or loaded. */
const CREATE = 'createwallet';

/** Calls whose replies show what an option did. */
const QUESTIONS = [
  CREATE,
  'getnetworkinfo',
  'getblockchaininfo',
  'getmempoolinfo',
  'getmininginfo',
  'getindexinfo',
  'getzmqnotifications',
  'getdeploymentinfo',
  'listbanned',
  'logging',
  'listwallets',
  'getwalletinfo',
  'getnewaddress',
  'getrawchangeaddress',
];

/** Options that end the process, look up names, need a service, or decide how this comparison reaches the nodes. */
const LEFT_OUT =
  /^-(help|version|h|daemon|daemonwait|conf|datadir|includeconf|settings|rpcport|rpcbind|rpcallowip|rpcuser|rpcpassword|rpcauth|rpccookiefile|signer|ipcbind|server|chain|testnet|testnet4|signet|regtest|seednode|addnode|connect|bind|whitebind|torcontrol|torpassword|natpmp|dnsseed|forcednsseed|loadblock|listen|stopafterblockimport)$/;

/** Cases whose difference is intended. docs/measurements/2026-11-30-comparison-runs.md has the reasons. */
const INTENDED: readonly RegExp[] = [
  /^-asmap(=[12]?)?$/,
  /^-whitelist=[012]$/,
  /^-(onion|proxy|i2psam)=[12]$/,
  /^-wallet=?$/,
  /^-(externalip|proxy|i2psam)=(abc|0)$/,
  /^-noi2psam$/,
  /^-(no)?cjdnsreachable(=[012]?)?$/,
  /^-zmqpub(hashblock|hashtx|rawblock|rawtx|sequence)(=[\w.:]*)?$/,
];

/** Numeric options of which a large value starts many threads, allocates memory, or makes many keys. */
const COSTLY = /^-(.*threads|.*cachesize|keypool|dbcache)$/;

/** Values that only a few options have and that the help mentions in its text. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  '-addresstype': ['legacy', 'p2sh-segwit', 'bech32', 'bech32m', 'Bech32', 'p2tr'],
  '-changetype': ['legacy', 'p2sh-segwit', 'bech32', 'bech32m', 'unknown'],
  '-blockfilterindex': ['basic', 'Basic', 'extended'],
  '-debug': ['all', 'none', 'net', 'Net', 'mempoolrej', 'txpackages', 'unknown'],
  '-debugexclude': ['all', 'none', 'net', 'unknown'],
  '-loglevel': ['info', 'debug', 'trace', 'net:trace', 'net:info', 'unknown', 'net:unknown', 'unknown:info', 'error', ':'],
  '-onlynet': ['ipv4', 'ipv6', 'onion', 'i2p', 'cjdns', 'IPv4', 'unknown'],
  '-whitelist': [
    '127.0.0.1',
    'noban@127.0.0.1/8',
    'in,out@127.0.0.1',
    'all@::1',
    'unknown@::1',
    '1.2.3.4/33',
    'in@1.2.3.4',
    'noban,in@1.2.3.4',
  ],
  '-rpcwhitelist': ['user:getblockcount', 'user', ':'],
  '-peerbloomfilters': ['yes', 'true'],
  '-uacomment': ['a comment', 'a/b', 'a(b)', 'x'.repeat(300)],
  '-vbparams': ['testdummy:0:1', 'testdummy:0:1:5', 'unknown:0:1', 'testdummy', 'testdummy:a:1', 'taproot:-1:9'],
  '-testactivationheight': ['segwit@5', 'bip34@0', 'dersig@-1', 'unknown@5', 'cltv', 'csv@1', 'segwit@abc'],
  '-minrelaytxfee': ['0.00001', '0', 'abc', '-0.1', '0.000000001'],
  '-dustrelayfee': ['0.00001', 'abc'],
  '-incrementalrelayfee': ['0.00001', 'abc', '10'],
  '-blockmintxfee': ['0.00001', 'abc'],
  '-maxtxfee': ['0.1', '0', '0.00000001', 'abc', '10'],
  '-fallbackfee': ['0.0001', '1', 'abc'],
  '-mintxfee': ['0.0001', '1', 'abc'],
  '-discardfee': ['0.0001', '1', 'abc'],
  '-paytxfee': ['0.0001', 'abc'],
  '-consolidatefeerate': ['0.0001', 'abc'],
  '-maxapsfee': ['0.0001', '1', 'abc', '-1'],
  '-assumevalid': ['0', '00', 'abc', 'ff'.repeat(32), '0x11', 'ff'.repeat(33)],
  '-minimumchainwork': ['0', '0x01', 'abc', 'zz', 'ff'.repeat(33)],
  '-maxuploadtarget': ['5', '5M', '5k', '5x', '1G', '1.5G'],
  '-prune': ['1', '2', '549', '550', '-1', '100000'],
  '-blockmaxweight': ['4000001', '4000', '-1'],
  '-blockreservedweight': ['2000', '1999', '4000001'],
  '-blockversion': ['5', '-1'],
  '-dbcache': ['4', '1', '16', '-1'],
  '-maxmempool': ['5', '4', '0', '-1'],
  '-zmqpubhashblock': ['tcp://127.0.0.1:21690', 'unix:/tmp/x', '127.0.0.1:21690', 'tcp://127.0.0.1'],
};

interface Option {
  readonly name: string;
  readonly placeholder: string;
}

/** Reads the options and their placeholders from the help. */
function optionsOf(help: string): Option[] {
  return [...help.matchAll(/^ {2}(-[a-z0-9-]+)(?:=(\S+))?/gm)].map(([, name, placeholder]) => ({
    name: name!,
    placeholder: placeholder ?? '',
  }));
}

/** Returns the forms in which an option is written. */
function casesOf({ name, placeholder }: Option): string[] {
  if (LEFT_OUT.test(name)) return [];
  const forms = [name, `${name}=0`, `${name}=1`, `${name}=`, `-no${name.slice(1)}`];
  if (/^<(n|amt|port|size|seconds|hours)>$/.test(placeholder))
    forms.push(`${name}=-1`, `${name}=7`, `${name}=abc`, ...(COSTLY.test(name) ? [] : [`${name}=100000`]));
  else forms.push(`${name}=2`, `${name}=abc`);
  return [...new Set([...forms, ...(NAMED[name] ?? []).map((value) => `${name}=${value}`)])];
}

/** Returns an address without what differs from wallet to wallet. */
const kindOfAddress = (address: string): string => address.replace(/^(bcrt1.).*|^[mn].*|^(2).*/, '$1$2');

interface Outcome {
  /** Error of the start; empty if the node answers. */
  readonly error: string;
  readonly replies: unknown;
}

const fixedOptions = (dir: string, port: number): string[] => [
  '-regtest',
  `-datadir=${dir}`,
  `-rpcport=${port}`,
  '-server=1',
  '-printtoconsole=0',
  '-listen=0',
  '-connect=0',
  '-keypool=1',
];

/** Returns the credentials of a node, or nothing. A node that refuses its options deletes the file again. */
function cookieIn(dir: string): string {
  try {
    return fs.readFileSync(path.join(dir, 'regtest', '.cookie'), 'utf8').trim();
  } catch {
    return '';
  }
}

/** Starts a node with an empty folder, makes the calls, and stops it. */
async function outcomeOf(command: string, before: readonly string[], options: readonly string[]): Promise<Outcome> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-compare-option-'));
  const port = await freePort();
  const log = fs.openSync(path.join(dir, 'stderr'), 'w');
  const fixed = fixedOptions(dir, port);
  const child = spawn(command, [...before, ...fixed, ...options], { stdio: ['ignore', log, log], cwd: dir });
  let ended = false;
  const exit = new Promise<void>((resolve) =>
    child.on('exit', () => {
      ended = true;
      resolve();
    }),
  );
  try {
    for (const deadline = Date.now() + START_MS; !ended && Date.now() < deadline; await sleep(50)) {
      const auth = cookieIn(dir);
      if (auth === '') continue;
      const body = JSON.stringify(QUESTIONS.map((method, id) => ({ id, method, params: method === CREATE ? ['w'] : [] })));
      const reply = await httpRequest({ port, agent: false, auth, headers: { 'content-type': 'text/plain' }, body }).catch(() => null);
      // An option can make the node refuse the user, or whole batches.
      if (reply !== null && REFUSED.has(reply.status)) return { error: '', replies: reply.status };
      if (reply === null || !reply.body.startsWith('[')) continue;
      const list = JSON.parse(reply.body) as { id: number; result: unknown; error: { code: number; message: string } | null }[];
      if (list.some(({ error }) => error?.code === -28)) continue;
      const shown = (result: unknown): unknown => (typeof result === 'string' ? kindOfAddress(result) : canonical(result));
      return {
        error: '',
        replies: Object.fromEntries(list.map(({ id, result, error }) => [QUESTIONS[id], error ? error.message : shown(result)])),
      };
    }
    const text = fs.readFileSync(path.join(dir, 'stderr'), 'utf8');
    const line = text.split('\n').find((one) => /^error:/i.test(one)) ?? text.trim().split('\n').at(-1) ?? '';
    return { error: ended ? line || 'ended without a message' : 'no answer in time', replies: null };
  } finally {
    if (!ended) child.kill('SIGKILL');
    await exit;
    fs.closeSync(log);
    fs.rmSync(dir, { recursive: true, force: true });
  }
}

const ofCore = (options: readonly string[]): Promise<Outcome> => outcomeOf(bitcoind, [], options);
const ofBoth = (options: readonly string[]): Promise<[core: Outcome, adit: Outcome]> =>
  Promise.all([ofCore(options), outcomeOf(process.execPath, [daemonFile, ...OF_ADIT], options)]);

const emptyDir = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-compare-option-'));

/** Returns the error of adit's parser for an option, or nothing. */
function refusalOf(option: string): string {
  try {
    loadConfig(parseDaemonArgs([...OF_ADIT, ...fixedOptions(emptyDir, 1), option]));
    return '';
  } catch (error) {
    if (error instanceof ConfigError) return `Error: ${error.message}`;
    throw error;
  }
}

/** Members that differ from start to start, or that count bytes. */
const OWN_AFFAIR =
  /^\/(getnetworkinfo\/(localaddresses|warnings|subversion)|getblockchaininfo\/(size_on_disk|warnings)|getindexinfo\/\w+\/(synced|best_block_height)|getmempoolinfo\/(usage|optimal|loaded)|getmininginfo\/warnings|getwalletinfo\/format)/;
const pathsOf = (core: unknown, adit: unknown): string[] => contrast(core, adit).filter((member) => !OWN_AFFAIR.test(member));

const help = execFileSync(bitcoind, ['-help', '-help-debug'], { encoding: 'utf8' });
const only = new RegExp(values.only);
const random = pseudoRandom(Number(values.seed));
const cases = optionsOf(help)
  .flatMap(casesOf)
  .filter((option) => only.test(option) && (values.intended || !INTENDED.some((one) => one.test(option))))
  .map((option) => ({ option, at: random() }))
  .sort((a, b) => a.at - b.at);

const [core, adit] = await ofBoth(['-listen=0']);
if (core.error !== '' || adit.error !== '') throw new Error(`the nodes do not start: ${core.error} ${adit.error}`);
const usual = new Set(pathsOf(core.replies, adit.replies).map((member) => member.split(':')[0]));
say('| option | bitcoind | adit |\n| --- | --- | --- |');
const deadline = Date.now() + Number(values.minutes) * 60_000;
let [tried, starts] = [0, 0];
const differing = new Set<string>();

/** Returns what differs between two outcomes. */
function rowsOf(core: Outcome, adit: Outcome): [core: string, adit: string][] {
  const atWallet = (core.replies as Readonly<Record<string, unknown>> | null)?.[CREATE];
  if (typeof atWallet === 'string' && adit.error !== '' && atWallet.includes(adit.error.replace('Error: ', ''))) return [];
  if ((core.error === '') !== (adit.error === '')) return [[core.error || 'starts', adit.error || 'starts']];
  if (core.error !== '') return values.words && core.error !== adit.error ? [[core.error, adit.error]] : [];
  return pathsOf(core.replies, adit.replies).flatMap((member): [string, string][] => {
    const [where, what] = [member.split(':')[0]!, member.slice(member.indexOf(': ') + 2).split(' <> ')];
    return usual.has(where) ? [] : [[`${where} ${what[0]}`, what[1]!]];
  });
}

function show(option: string, rows: readonly [core: string, adit: string][]): void {
  if (rows.length > 0) differing.add(option);
  for (const [a, b] of rows) say(`| \`${option}\` | ${a.slice(0, 200)} | ${b.slice(0, 200)} |`);
}

const nameOf = (option: string): string => option.split('=')[0]!.replace(/^-no/, '-');
const isNamed = (option: string, { error }: Outcome): boolean => new RegExp(`${nameOf(option)}(?![a-z0-9])`).test(error);

/**
 * Starts both with all of these options. If an error names one of them, starts both without it. If the two differ
 * otherwise, starts them with each half.
 */
async function compare(options: readonly string[]): Promise<void> {
  if (options.length === 0 || Date.now() > deadline) return;
  starts++;
  if (starts % 10 === 0) process.stderr.write(`${starts} starts, ${tried} of ${cases.length} cases: ${differing.size} differ\n`);
  const [core, adit] = await ofBoth(options);
  const rows = rowsOf(core, adit);
  const same = rows.length === 0 && core.error === '';
  const named = options.filter((option) => isNamed(option, core) || isNamed(option, adit));
  if (named.length === 1 && options.length > 1) {
    const [option] = named as [string];
    const others = options.filter((one) => one !== option);
    if (isNamed(option, core) && isNamed(option, adit)) {
      tried++;
      show(option, rows);
    } else await compare([option]);
    await compare(others);
    return;
  }
  if (!same && options.length > 1) {
    const half = options.length >> 1;
    await compare(options.slice(0, half));
    await compare(options.slice(half));
    return;
  }
  tried += options.length;
  if (!same) show(options[0]!, rows);
}

const accepted = new Map<string, string[]>();
for (const { option } of cases) {
  const error = refusalOf(option);
  const name = nameOf(option);
  if (error === '') accepted.set(name, [...(accepted.get(name) ?? []), option]);
  else if (Date.now() < deadline) {
    tried++;
    show(option, rowsOf(await ofCore([option]), { error, replies: null }));
  }
}
fs.rmSync(emptyDir, { recursive: true });
process.stderr.write(`${tried} cases that adit's parser refuses: ${differing.size} differ\n`);
// Each round has one value of each option, so that no start has two values of the same option.
for (let round = 0; [...accepted.values()].some((options) => options.length > round); round++) {
  const options = [...accepted.values()].flatMap((list) => list.slice(round, round + 1));
  for (const option of options.filter((one) => HIDING.test(one))) await compare([option]);
  const rest = options.filter((one) => !HIDING.test(one));
  while (rest.length > 0) await compare(rest.splice(0, TOGETHER));
}
say(`${tried} of ${cases.length} cases of seed ${values.seed}, ${starts} starts of both: ${differing.size} differ`);
if (differing.size > 0) process.exitCode = 1;
