// Starts adit and a bitcoind with every option of bitcoind's help, each with several values, and prints where the two
// differ: whether they start, the error if not, and what calls about their state answer.
//
//   npm run compare:options -- --bitcoind=PATH [--only=REGEX] [--minutes=60] [--seed=1]
//
// Both run on regtest over empty folders. Differences that exist without any option are left out, and so are the words of
// errors: the table shows both. The order of the cases is random, so that short runs with several seeds cover all of
// them. Exit status 1 when there was any difference.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
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
  },
});
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const bitcoind = bitcoindOf(values);
const START_MS = 120_000;

/** Calls whose replies show what an option did. */
const QUESTIONS = [
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
];

/** Options that end the process, need a file or a service, or would write outside the test's folder. */
const LEFT_OUT =
  /^-(help|version|h|daemon|daemonwait|conf|datadir|includeconf|loadblock|settings|pid|rpcport|rpcbind|rpcallowip|rpcuser|rpcpassword|rpcauth|rpccookiefile|signer|ipcbind|server|wallet|walletdir|blocksdir|debuglogfile|asmap|chain|testnet|testnet4|signet|regtest|signetchallenge|signetseednode|seednode|addnode|connect|externalip|bind|whitebind|onion|proxy|torcontrol|torpassword|i2psam|natpmp|dnsseed|forcednsseed|reindex|reindex-chainstate)$|notify$/;

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
    forms.push(`${name}=-1`, `${name}=7`, `${name}=abc`, `${name}=99999999999999999999`);
  else forms.push(`${name}=2`, `${name}=abc`);
  return [...new Set([...forms, ...(NAMED[name] ?? []).map((value) => `${name}=${value}`)])];
}

interface Outcome {
  /** Error of the start; empty if the node answers. */
  readonly error: string;
  readonly replies: unknown;
}

/** Starts a node with an empty folder, makes the calls, and stops it. */
async function outcomeOf(command: string, before: readonly string[], options: readonly string[]): Promise<Outcome> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'adit-compare-option-'));
  const port = await freePort();
  const log = fs.openSync(path.join(dir, 'stderr'), 'w');
  const fixed = [
    '-regtest',
    `-datadir=${dir}`,
    `-rpcport=${port}`,
    '-server=1',
    '-printtoconsole=0',
    '-listen=0',
    '-connect=0',
    '-keypool=1',
  ];
  const child = spawn(command, [...before, ...fixed, ...options], { stdio: ['ignore', log, log] });
  let ended = false;
  const exit = new Promise<void>((resolve) =>
    child.on('exit', () => {
      ended = true;
      resolve();
    }),
  );
  try {
    for (const deadline = Date.now() + START_MS; !ended && Date.now() < deadline; await sleep(50)) {
      const cookie = path.join(dir, 'regtest', '.cookie');
      if (!fs.existsSync(cookie)) continue;
      const auth = fs.readFileSync(cookie, 'utf8').trim();
      const body = JSON.stringify(QUESTIONS.map((method, id) => ({ id, method, params: [] })));
      const reply = await httpRequest({ port, agent: false, auth, headers: { 'content-type': 'text/plain' }, body }).catch(() => null);
      if (reply === null || !reply.body.startsWith('[')) continue;
      const list = JSON.parse(reply.body) as { id: number; result: unknown; error: { code: number; message: string } | null }[];
      if (list.some(({ error }) => error?.code === -28)) continue;
      return {
        error: '',
        replies: Object.fromEntries(list.map(({ id, result, error }) => [QUESTIONS[id], error ? error.message : canonical(result)])),
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

const ofBoth = (option: string): Promise<[core: Outcome, adit: Outcome]> =>
  Promise.all([
    outcomeOf(bitcoind, [], [option]),
    outcomeOf(process.execPath, [daemonFile], ['-compat=31', '-fronts=1', '-rehearse=0', option]),
  ]);

/** Members that differ from start to start, or that count bytes. */
const OWN_AFFAIR =
  /^\/(getnetworkinfo\/(localaddresses|warnings|subversion)|getblockchaininfo\/(size_on_disk|warnings)|getindexinfo\/\w+\/(synced|best_block_height)|getmempoolinfo\/(usage|optimal)|getmininginfo\/warnings)/;
const pathsOf = (core: unknown, adit: unknown): string[] => contrast(core, adit).filter((member) => !OWN_AFFAIR.test(member));

const help = execFileSync(bitcoind, ['-help', '-help-debug'], { encoding: 'utf8' });
const only = new RegExp(values.only);
const random = pseudoRandom(Number(values.seed));
const cases = optionsOf(help)
  .flatMap(casesOf)
  .filter((option) => only.test(option))
  .map((option) => ({ option, at: random() }))
  .sort((a, b) => a.at - b.at);

const [core, adit] = await ofBoth('-listen=0');
if (core.error !== '' || adit.error !== '') throw new Error(`the nodes do not start: ${core.error} ${adit.error}`);
const usual = new Set(pathsOf(core.replies, adit.replies).map((member) => member.split(':')[0]));
say('| option | bitcoind | adit |\n| --- | --- | --- |');
const began = Date.now();
let [tried, differing] = [0, 0];
for (const { option } of cases) {
  if (Date.now() - began > Number(values.minutes) * 60_000) break;
  tried++;
  const [ofCore, ofAdit] = await ofBoth(option);
  const rows: [string, string][] = [];
  if ((ofCore.error === '') !== (ofAdit.error === '')) rows.push([ofCore.error || 'starts', ofAdit.error || 'starts']);
  else if (ofCore.error === '') {
    for (const member of pathsOf(ofCore.replies, ofAdit.replies)) {
      const [where, what] = [member.split(':')[0]!, member.slice(member.indexOf(': ') + 2)];
      if (!usual.has(where)) rows.push([`${where} ${what.split(' <> ')[0]}`, what.split(' <> ')[1]!]);
    }
  }
  if (rows.length > 0) differing++;
  for (const [a, b] of rows) say(`| \`${option}\` | ${a.slice(0, 200)} | ${b.slice(0, 200)} |`);
}
say(`${tried} of ${cases.length} cases of seed ${values.seed}: ${differing} differ`);
if (differing > 0) process.exitCode = 1;
