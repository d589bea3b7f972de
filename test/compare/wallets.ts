// Plays random calls of a wallet to adit and to a bitcoind of the version that -compat names, and prints where the
// replies differ: payments, PSBTs, labels, lists and balances over a chain with reorganisations.
//
//   npm run compare:wallets -- --bitcoind=PATH [--version=31] [--steps=1000] [--seed=1]
//                              [--chains=1 --minutes=60 --jobs=1]
//
// Both wallets have the same descriptors. Payments name their inputs, the position of their change and their lock time,
// because Core draws all three at random. bitcoind mines, and adit gets its blocks. Exit status 1 when there was any
// difference.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { pseudoRandom } from '../framework/pseudo-random.js';
import { beginChain } from './chains.js';
import { canonical, contrast, Differences } from './differences.js';
import { type Call, Nodes, replies } from './nodes.js';
import { Dice } from './transactions.js';

const { values } = parseArgs({
  options: {
    bitcoind: { type: 'string' },
    version: { type: 'string', default: '31' },
    steps: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    chains: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '60' },
    jobs: { type: 'string', default: '1' },
  },
});
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const [steps, seed] = [Number(values.steps), Number(values.seed)];
const bitcoind = await beginChain(
  fileURLToPath(import.meta.url),
  values,
  (['version', 'steps'] as const).map((name) => `--${name}=${values[name]}`),
);

const START_TIME = 1_780_000_000;
/** Nodes send unconfirmed payments again 12 to 36 hours later, at a random time, so a chain takes less time. */
const SECONDS_PER_STEP = 11;
/** Blocks before the first step, so that some coinbases are mature. */
const FIRST_BLOCKS = 120;
const RESTART_EVERY = 250;
/**
 * A chain has either restarts, or reorganisations and conflicting payments. After a restart, a payment that conflicts
 * with one confirmed earlier (or again by another block) is unconfirmed in Core and conflicted in Adit.
 */
const restarts = seed % 2 === 0;
const KEY = 'tprv8ZgxMBicQKsPd7Uf69XL1XwhmjHopUGep8GuEiJDZmbQz6o58LninorQAfcKZWARbtRtfnLcJ5MQ2AtHcQJCCRUcMRvmDUjyEmNUWwx8UbK';
const TYPES = ['legacy', 'p2sh-segwit', 'bech32', 'bech32m'] as const;
const FORMS = { 44: 'pkh(#)', 49: 'sh(wpkh(#))', 84: 'wpkh(#)', 86: 'tr(#)' };
const ELSEWHERE = ['bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080', '2NBFNJTktNa7GZusGbDbGKRZTxdK9VVez3n'];
const LABELS = ['', '', 'one', 'two', 'ä"\u20ac', 'a long label with spaces'];
/** Lists that have no order. */
const UNORDERED = new Set([
  'transactions',
  'removed',
  'txids',
  'listunspent',
  'listlockunspent',
  'listaddressgroupings',
  'walletconflicts',
  'mempoolconflicts',
  'parent_descs',
]);
/** Members with a size on disk, or with the format of a file. */
const OWN_AFFAIR = /\/(format|txid_disk_size|errors)\b/;

const nodes = await Nodes.start(bitcoind, values.version, ['-disablewallet=0', '-keypool=5', '-fallbackfee=0.0001', '-nopersistmempool']);
const { core, adit } = nodes;
const differences = new Differences();
const dice = new Dice(pseudoRandom(seed));

/** Sorts the lists in a reply that have no order. */
function comparable(value: unknown, name: string): unknown {
  if (Array.isArray(value)) {
    const list = value.map((one) => comparable(one, name));
    return UNORDERED.has(name) ? list.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : list;
  }
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([member, inner]) => [member, comparable(inner, member)]));
}

let step = 0;
let time = START_TIME;
/** Waits until bitcoind's wallet has processed all events. Core's own wait ends when the wallet has seen the tip. */
const SYNC: Call = ['syncwithvalidationinterfacequeue'];

/** Makes the calls on both nodes, compares their replies, and returns those of bitcoind. */
// biome-ignore lint/suspicious/noExplicitAny: replies of any form
async function both(calls: readonly Call[]): Promise<any[]> {
  const [[, ...ofCore], ofAdit] = await Promise.all([replies(core, [SYNC, ...calls]), replies(adit, calls)]);
  calls.forEach((call, i) => {
    const [a, b] = [ofCore, ofAdit].map((list) => comparable(canonical(list[i]), call[0]));
    differences.saw(a);
    const members = contrast(a, b).filter((member) => !OWN_AFFAIR.test(member.split(':')[0]!));
    if (members.length === 0) return;
    const texts = members.map((member) => member.slice(0, 300)).join('; ');
    differences.add({ what: call[0], step, call: JSON.stringify(call), core: texts, adit: '' }, members.slice(0, 3));
  });
  return ofCore;
}

/** Lets bitcoind mine blocks to an address, and sends them to Adit. */
async function mine(count: number, address: string): Promise<void> {
  await both([['setmocktime', (time += SECONDS_PER_STEP)]]);
  for (const hash of await core.call('generatetoaddress', count, address)) {
    const refused = await adit.call('submitblock', await core.call('getblock', hash, 0));
    if (refused !== null) throw new Error(`adit refuses a block of bitcoind: ${refused}`);
  }
  // The wallets must receive the blocks before the clock changes.
  await both([['getbalance']]);
}

interface Coin {
  txid: string;
  vout: number;
  amount: number;
}

const addresses: string[] = [];
const blocks: string[] = [];
const txids: string[] = [];
let psbts: string[] = [];
const raw: string[] = [];

const mineOrOther = (): string => (dice.chance(0.5) ? dice.pick(addresses) : dice.pick(ELSEWHERE));
const bitcoins = (satoshis: number): number => Math.round(satoshis) / 1e8;

/** Returns coins in an order that a seed repeats: bitcoind lists them in a different order in each run. */
const ordered = (coins: Coin[]): Coin[] => coins.sort((a, b) => (a.txid === b.txid ? a.vout - b.vout : a.txid < b.txid ? -1 : 1));

/** Returns one to three coins, and outputs for a part of their value. */
async function payment(): Promise<{ inputs: { txid: string; vout: number }[]; outputs: Record<string, number>[]; count: number }> {
  const coins = ordered(await core.call('listunspent', dice.pick([0, 0, 1]), 9999999, [], dice.chance(0.8)));
  const chosen = new Map<string, Coin>();
  if (coins.length > 0)
    for (let i = dice.pick([1, 1, 2, 3]); i > 0; i--) {
      const coin = dice.pick(coins);
      chosen.set(`${coin.txid}:${coin.vout}`, coin);
    }
  const inputs = [...chosen.values()].map(({ txid, vout }) => ({ txid, vout }));
  // A payment that conflicts with an earlier one.
  if (!restarts && dice.chance(0.08) && raw.length > 0) {
    const { vin } = await core.call('decoderawtransaction', dice.pick(raw));
    inputs.push(...vin.slice(0, 1).map(({ txid, vout }: Coin) => ({ txid, vout })));
  }
  const total = [...chosen.values()].reduce((sum, { amount }) => sum + amount * 1e8, 0);
  const count = dice.pick([1, 1, 2, 3]);
  const to = new Set(Array.from({ length: count }, mineOrOther));
  const share = (total * dice.pick([0.2, 0.5, 0.9, 0.99, 1, 1.1])) / to.size;
  return { inputs, outputs: [...to].map((address) => ({ [address]: bitcoins(dice.chance(0.03) ? 200 : share) })), count: to.size };
}

async function pay(): Promise<void> {
  const { inputs, outputs, count } = await payment();
  const feeRate = dice.pick([1, 1, 2.5, 17, 100.123]);
  const shared = {
    inputs,
    add_inputs: false,
    locktime: dice.pick([0, 0, 100]),
    ...(dice.chance(0.5) ? { replaceable: dice.chance(0.7) } : {}),
    ...(dice.chance(0.2) ? { lock_unspents: true } : {}),
    ...(dice.chance(0.1) ? { include_unsafe: true } : {}),
    ...(dice.chance(0.1) ? { max_tx_weight: dice.pick([400, 700, 4000]) } : {}),
    ...(dice.chance(0.1) ? { version: 3 } : {}),
  };
  const subtract = dice.chance(0.3) ? [dice.below(count)] : [];
  const draw = dice.below(10);
  // Core uses an address of its own choice, even if there is no change.
  const [fresh] = dice.chance(0.3) ? [] : await both([['getrawchangeaddress', dice.pick(TYPES)]]);
  const changeAddress = fresh ?? dice.pick(addresses);
  const forSend = {
    ...shared,
    change_address: changeAddress,
    change_position: dice.below(2),
    fee_rate: feeRate,
    subtract_fee_from_outputs: subtract,
  };
  if (draw < 6) {
    const options = { ...forSend, add_to_wallet: dice.chance(0.8), ...(dice.chance(0.2) ? { psbt: true } : {}) };
    const [sent] = await both([['send', outputs, null, 'unset', null, options]]);
    if (sent?.hex && sent.txid) {
      txids.push(sent.txid);
      raw.push(sent.hex);
    }
    if (sent?.psbt) psbts.push(sent.psbt);
  } else if (draw < 7) {
    const to = dice.chance(0.5) ? [mineOrOther()] : [mineOrOther(), { [dice.pick(ELSEWHERE)]: 0.001 }];
    const [sent] = await both([
      [
        'sendall',
        to,
        null,
        'unset',
        null,
        { inputs, fee_rate: feeRate, locktime: 0, add_to_wallet: dice.chance(0.5), ...(dice.chance(0.3) ? { psbt: true } : {}) },
      ],
    ]);
    if (sent?.txid) txids.push(sent.txid);
    if (sent?.psbt) psbts.push(sent.psbt);
  } else if (draw < 9) {
    const { inputs: _, locktime, ...options } = { ...shared, changeAddress };
    const [made] = await both([
      [
        'walletcreatefundedpsbt',
        inputs,
        outputs,
        locktime,
        { ...options, changePosition: 0, fee_rate: feeRate, subtractFeeFromOutputs: subtract },
        dice.chance(0.7),
      ],
    ]);
    if (made?.psbt) psbts.push(made.psbt);
  } else {
    const [hex] = await both([['createrawtransaction', inputs, outputs, shared.locktime, dice.chance(0.5)]]);
    if (typeof hex !== 'string') return;
    const [funded] = await both([
      [
        'fundrawtransaction',
        hex,
        { add_inputs: false, changePosition: 0, changeAddress, fee_rate: feeRate, subtractFeeFromOutputs: subtract },
      ],
    ]);
    const [signed] = await both([['signrawtransactionwithwallet', funded?.hex ?? hex]]);
    if (signed?.hex) raw.push(signed.hex);
    await both([['simulaterawtransaction', [signed?.hex ?? hex]]]);
    if (signed?.complete && dice.chance(0.7)) {
      const [txid] = await both([['sendrawtransaction', signed.hex]]);
      if (typeof txid === 'string') txids.push(txid);
    }
  }
}

async function processPsbt(): Promise<void> {
  if (psbts.length === 0) return;
  const psbt = dice.pick(psbts);
  // adit does not sign with SINGLE if an input has no output, because that signature fits every transaction.
  const { inputs, outputs } = await core.call('decodepsbt', psbt);
  const single = inputs.length > outputs.length ? [] : ['SINGLE', 'SINGLE|ANYONECANPAY'];
  const types = ['DEFAULT', 'DEFAULT', 'ALL', 'NONE', 'ALL|ANYONECANPAY', 'NONE|ANYONECANPAY', ...single];
  const [done] = await both([['walletprocesspsbt', psbt, dice.chance(0.8), dice.pick(types), dice.chance(0.7), dice.chance(0.6)]]);
  const next = done?.psbt ?? psbt;
  await both([
    ['decodepsbt', next],
    ['analyzepsbt', next],
    ['finalizepsbt', next, dice.chance(0.7)],
    ['combinepsbt', [next, psbt]],
    ['utxoupdatepsbt', next],
  ]);
  if (done?.psbt) psbts = [...psbts.slice(-20), done.psbt];
  if (done?.hex && dice.chance(0.6)) {
    const [txid] = await both([['sendrawtransaction', done.hex]]);
    if (typeof txid === 'string') txids.push(txid);
  }
}

/** Returns calls that change nothing. */
function questions(): Call[] {
  const address = dice.pick(addresses);
  const label = dice.pick(LABELS);
  const txid = txids.length > 0 ? dice.pick(txids) : '00'.repeat(32);
  const block = dice.pick(blocks);
  const all: Call[] = [
    ['listtransactions', dice.pick(['*', label]), dice.pick([5, 30, 1000]), dice.pick([0, 0, 3])],
    [
      'listsinceblock',
      ...dice.pick<unknown[]>([
        [],
        [block],
        [block, dice.pick([1, 3, 6])],
        [block, 1, false, dice.chance(0.5), dice.chance(0.5), dice.pick([null, label])],
      ]),
    ],
    ['gettransaction', txid, null, dice.chance(0.5)],
    [
      'listunspent',
      dice.pick([0, 1, 6]),
      dice.pick([9999999, 50]),
      dice.pick([[], [address]]),
      dice.chance(0.5),
      dice.pick([null, { minimumAmount: 1 }, { include_immature_coinbase: true }, { maximumAmount: 0.5 }]),
    ],
    ['getbalances'],
    ['getbalance', '*', dice.pick([0, 1, 6])],
    ['getwalletinfo'],
    ['listlabels', ...dice.pick<unknown[]>([[], ['receive'], ['send']])],
    ['getaddressesbylabel', label],
    ['getreceivedbyaddress', address, dice.pick([0, 1, 6]), dice.chance(0.3)],
    ['getreceivedbylabel', label, dice.pick([0, 1, 6]), dice.chance(0.3)],
    ['listreceivedbyaddress', dice.pick([0, 1]), dice.chance(0.5), null, dice.pick([null, address]), dice.chance(0.3)],
    ['listreceivedbylabel', dice.pick([0, 1]), dice.chance(0.5), null, dice.chance(0.3)],
    ['listaddressgroupings'],
    ['listlockunspent'],
    ['getaddressinfo', mineOrOther()],
    ['listdescriptors', dice.chance(0.5)],
    ['gethdkeys', { active_only: dice.chance(0.5) }],
    ['getmempoolinfo'],
  ];
  return Array.from({ length: 3 }, () => dice.pick(all)).filter(([method]) => method !== 'getmempoolinfo');
}

async function change(): Promise<void> {
  const draw = dice.below(9);
  const label = dice.pick(LABELS);
  if (draw < 3) {
    const [address] = await both([['getnewaddress', label, dice.pick(TYPES)]]);
    if (typeof address === 'string') addresses.push(address);
  } else if (draw < 4) await both([['setlabel', mineOrOther(), label]]);
  else if (draw < 6) {
    const coins = ordered(await core.call(dice.chance(0.5) ? 'listunspent' : 'listlockunspent'));
    const some = coins.slice(0, dice.below(3)).map(({ txid, vout }) => ({ txid, vout }));
    await both([['lockunspent', dice.chance(0.7), some, dice.chance(0.5)]]);
  } else if (draw < 7) await both([['abandontransaction', txids.length > 0 ? dice.pick(txids) : '00'.repeat(32)]]);
  else if (draw < 8) {
    const address = dice.pick(addresses);
    const [signature] = await both([['signmessage', address, label]]);
    if (typeof signature === 'string') await both([['verifymessage', address, signature, label]]);
  } else
    await both([
      ['getrawchangeaddress', dice.pick(TYPES)],
      ['keypoolrefill', 6],
    ]);
}

async function reorganise(): Promise<void> {
  const height: number = await core.call('getblockcount');
  const hash = await core.call('getblockhash', height - dice.below(3));
  await both([['invalidateblock', hash]]);
  if (dice.chance(0.5)) await both([['reconsiderblock', hash]]);
  else await mine(dice.below(4), mineOrOther());
}

async function act(): Promise<void> {
  // Adit's wallets process transactions after the call that sent them has returned, and use the time of that moment.
  await both([['getbalance']]);
  await both([['setmocktime', (time += SECONDS_PER_STEP)]]);
  const draw = dice.below(100);
  if (draw < 30) await pay();
  else if (draw < 50) await processPsbt();
  else if (draw < 65) await change();
  else if (draw < 72) {
    await mine(1, mineOrOther());
    blocks.push(await core.call('getbestblockhash'));
  } else if (draw < 74 && !restarts) await reorganise();
  else await both(questions());
  if (!restarts || step % RESTART_EVERY !== 0) return;
  // Both start without their mempools.
  await nodes.restart((time += SECONDS_PER_STEP));
  await both([['loadwallet', 'w']]);
}

try {
  await both([
    ['setmocktime', time],
    ['createwallet', 'w', false, true],
  ]);
  const checksums = (await replies(
    core,
    Object.values(FORMS).flatMap((form, i) =>
      [0, 1].map((chain): Call => ['getdescriptorinfo', form.replace('#', `${KEY}/${Object.keys(FORMS)[i]}h/1h/0h/${chain}/*`)]),
    ),
  )) as { checksum: string }[];
  const imports = Object.entries(FORMS).flatMap(([purpose, form], i) =>
    [0, 1].map((chain) => ({
      desc: `${form.replace('#', `${KEY}/${purpose}h/1h/0h/${chain}/*`)}#${checksums[i * 2 + chain]!.checksum}`,
      active: true,
      internal: chain === 1,
      timestamp: START_TIME - 1000,
      range: [0, 5],
    })),
  );
  await both([['importdescriptors', imports]]);
  for (const type of TYPES) addresses.push(...((await both([['getnewaddress', type === 'bech32' ? '' : type, type]])) as string[]));
  for (let i = 0; i < FIRST_BLOCKS / 4; i++) await mine(4, dice.pick(addresses));
  blocks.push(await core.call('getbestblockhash'));
  if (differences.count > 0) throw new Error('the wallets differ before the first step');
  for (step = 1; step <= steps; step++) {
    await act();
    if (step % 200 === 0) process.stderr.write(`step ${step}: ${differences.count} differences\n`);
  }
} catch (error) {
  say(`ended at step ${step}: ${error instanceof Error ? error.stack : error}`);
  process.exitCode = 1;
} finally {
  await nodes.end();
}
say('what bitcoind refused, and how often:');
for (const line of differences.refusals()) say(`  ${line}`);
for (const line of differences.lines(seed)) say(line);
say(`${Math.min(step, steps)} steps of seed ${seed}: ${differences.count} differences`);
if (differences.count > 0) process.exitCode = 1;
