// Compares adit with Bitcoin Core in one run: runs other benches one after the other, in which both programs take
// turns, and prints one Markdown table (docs/performance.md has it). A cell is the median of its rounds with the
// smallest and the largest.
//
//   COMPARE=/path/to/bitcoind node build/bench/side-by-side.js      ONLY=bench,... of those below. Runs for half an hour.
import { execFileSync } from 'node:child_process';
import { type BenchReport, type Line, show } from './harness/bench.js';
import { caseOf, runChildBench } from './harness/child-bench.js';
import { bitcoindToCompare } from './harness/core-daemon.js';

/** A row of the table: the names of its cases in the report of a bench. */
interface Row {
  readonly work: string;
  readonly adit: string;
  /** Absent if Core has no such case. */
  readonly core?: string;
}

interface Part {
  readonly bench: string;
  readonly env: Readonly<Record<string, string>>;
  readonly rows: readonly Row[];
}

/** Returns the row of a bench that puts `bitcoind: ` before the names of Core's cases. */
const named = (work: string, name: string): Row => ({ work, adit: name, core: `bitcoind: ${name}` });
/** Returns the row of a bench that puts the name of the node after the names of the cases. */
const both = (work: string, name: string): Row => ({ work, adit: `${name}, adit`, core: `${name}, Core` });
const own = (work: string, name: string): Row => ({ work, adit: name });

const unseen = (kind: string, words: string): Row[] => [
  both(`unseen block of 4,000 inputs submitted, ${words}`, `${kind}: answer`),
  both('the same: all threads', `${kind}: all threads`),
  own('the same: node thread', `${kind}: node thread, adit`),
];

const SMALL_CALLS = ['getbestblockhash', 'getblockcount', 'validateaddress', 'getblockchaininfo', 'getmempoolentry', 'estimatesmartfee'];
const WAYS = { submitted: 'submitted', 'from a peer': 'from a peer', 'compact from a peer': 'as a compact block' };

const PARTS: readonly Part[] = [
  {
    bench: 'template-rpc',
    env: {},
    rows: [
      named('getblocktemplate of 4,407 transactions, 2.9 MB, 4 connections', '4 connections'),
      named('empty block submitted to the first new template', 'empty block to first new template'),
    ],
  },
  {
    bench: 'longpoll-fanout',
    env: { POLLS: '100' },
    rows: [
      named('100 long polls that an empty block wakes: the median client', '100 polls, median client'),
      named('the same: the client at 99 %', '100 polls, p99 client'),
      named('a small call during that wake', '100 polls, slowest small call meanwhile'),
    ],
  },
  {
    bench: 'block-to-work',
    env: {},
    rows: Object.entries(WAYS).flatMap(([way, words]) => [
      both(`full known block ${words}: first template`, `${way}: first template`),
      both(`the same: first full template`, `${way}: full template`),
      both(`the same: node thread (Core: all threads)`, `${way}: node thread in all`),
    ]),
  },
  {
    bench: 'block-to-work',
    env: { POLLS: '100', WAYS: 'submit', ROUNDS: '5' },
    rows: [both('full known block submitted, 100 long polls: the last one has its first template', 'submitted: last of 100 polls')],
  },
  {
    bench: 'connect-block',
    env: {},
    rows: ['p2pkh', 'p2wpkh', 'p2tr'].flatMap((kind) => unseen(kind, kind)),
  },
  {
    bench: 'connect-block',
    env: { KIND: 'p2wpkh', KEYS: '40000' },
    rows: unseen('p2wpkh', 'p2wpkh, each key new'),
  },
  {
    bench: 'sync',
    env: { ROUNDS: '3' },
    rows: [20, 500, 4000].flatMap((size) => {
      const shape = `blocks of ${size}, all scripts`;
      return [
        both(`initial download of 200,000 signed inputs, blocks of ${size.toLocaleString('en-US')}`, `${shape}: time`),
        both('the same: all threads', `${shape}: all threads`),
        own('the same: node thread', `${shape}: node thread, adit`),
        both('the same: highest memory', `${shape}: highest memory`),
      ];
    }),
  },
  {
    bench: 'mempool-accept',
    env: {},
    rows: ['batches of 200', 'from a peer'].flatMap((way) => [
      { work: `mempool filled, ${way}`, adit: `${way}: adit`, core: `${way}: Core` },
      { work: 'the same: all threads', adit: `${way}: adit, all threads`, core: `${way}: Core, all threads` },
      own('the same: node thread', `${way}: adit, first thread`),
    ]),
  },
  {
    bench: 'rpc-small',
    env: { ONLY: SMALL_CALLS.join() },
    rows: SMALL_CALLS.flatMap((method) => [
      { work: `${method}, 16 connections`, adit: method, core: `${method}: bitcoind` },
      own('the same: threads beside the node thread', `${method}: other threads`),
    ]),
  },
  {
    bench: 'wallet-calls',
    env: {},
    rows: [
      // Core's master has no importmulti, so it imports the same number of descriptors.
      {
        work: 'import of 1,000 public keys',
        adit: 'importmulti of 1000 public keys, no scan',
        core: 'bitcoind: importdescriptors of 1000 public keys, no scan',
      },
      named('scan of 20,000 payments of the wallet', "scan of 20000 payments, all of them the wallet's"),
      named('first getbalance of a wallet of 20,000 payments', 'getbalance, the first call after loading'),
      named('listunspent of all 20,000', 'listunspent, all 20000 coins'),
      ...['getaddressinfo', 'gettransaction', 'listsinceblock'].map((method) =>
        named(`${method}${method === 'listsinceblock' ? ' without news' : ''}, 16 connections`, `${method}, 16 connections`),
      ),
      named('listsinceblock of all 20,000', 'listsinceblock, all 20000 payments'),
    ],
  },
  {
    bench: 'sign-transactions',
    env: {},
    rows: [
      named('sign 1,000 inputs', 'sign-1000-inputs: one transaction of 1000 p2wpkh inputs'),
      named('sign 2 inputs, 8 connections', 'sign-small: transactions of 2 p2wpkh inputs, 8 connections'),
    ],
  },
  {
    bench: 'declare',
    env: {},
    rows: [{ work: 'proposal of 4,407 known transactions', adit: 'proposal', core: "Bitcoin Core's proposal" }],
  },
];

const spread = ({ p50, least, most }: Line): string => `${show(p50)} (${show(least)} to ${show(most)})`;

function rowOf(report: BenchReport, { work, adit, core }: Row): string {
  const ours = caseOf(report, adit);
  const theirs = core === undefined ? null : caseOf(report, core);
  const cells = [
    `${work}, ${ours.unit}`,
    theirs === null ? '' : spread(theirs),
    spread(ours),
    theirs === null ? '' : (ours.p50 / theirs.p50).toFixed(2),
    ours.limitP50 === null ? '' : `${show(ours.limitP50)}; ${(ours.p50 / ours.limitP50).toFixed(2)}`,
  ];
  return `| ${cells.join(' | ')} |`;
}

const program = bitcoindToCompare();
if (program === null) process.exit(1);
const version = execFileSync(program, ['--version'], { encoding: 'utf8' }).split('\n')[0];
const only = process.env.ONLY?.split(',');
const parts = PARTS.filter(({ bench }) => only === undefined || only.includes(bench));
const began = performance.now();
console.log(`beside ${version}\n`);
console.log('| work | Core | adit | adit / Core | bare limit; adit / limit |\n| --- | --- | --- | --- | --- |');
for (const [i, { bench, env, rows }] of parts.entries()) {
  const minutes = ((performance.now() - began) / 60_000).toFixed(1);
  console.error(`${minutes} min: ${bench} (${i + 1} of ${parts.length})`);
  const report = runChildBench(bench, env);
  if (i === 0) {
    const { cpu, cores, memoryGb, node, commit } = report.machine;
    console.error(`${cpu}, ${cores} cores, ${memoryGb} GB, Node ${node}, commit ${commit}`);
  }
  for (const row of rows) console.log(rowOf(report, row));
}
