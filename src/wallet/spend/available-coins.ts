// The coins a payment may spend, as columns for the choice. Walks the wallet's unspent outputs in slices; what changes
// meanwhile is found out by `stillThere` before anything is signed. Core: AvailableCoins.
import { hashKey } from '../../consensus/bytes/hex.js';
import { solve } from '../../policy/script-type.js';
import { BUCKET } from '../coins/coin-table.js';
import { destinationOf } from '../keys/destination.js';
import { OWNERSHIP } from '../keys/ownership.js';
import type { Relatives } from '../node-client.js';
import type { Wallet } from '../wallet.js';
import { WALLET_FLAG } from '../wallet-record.js';
import type { CoinControl } from './coin-control.js';
import type { SpendTools } from './payment.js';
import { type CoinColumns, emptyColumns, OUTPUT_KINDS } from './select/groups.js';
import type { Pace } from './select/pace.js';
import { type InputSize, inputVirtualSize } from './select/tx-size.js';
import type { SignedSizes } from './signed-size.js';

/** Confirmations from which it does not matter whose transaction it was. */
const SETTLED = 6;

/** Coins with their rows in the wallet's table. */
export interface AvailableCoins {
  readonly rows: readonly number[];
  readonly sizes: readonly (InputSize | null)[];
  readonly columns: CoinColumns;
}

/** Transactions of this version have few relatives, and none of other versions while unconfirmed (BIP-0431). */
const VERSION_3 = 3;

/** What is known of a transaction while its coins are walked. */
interface Parent {
  readonly usable: boolean;
  readonly depth: number;
}

/** @param feeRate what unconfirmed parents are held against; null: they do not count */
export async function availableCoins(
  wallet: Wallet,
  control: CoinControl,
  sizes: SignedSizes,
  tools: SpendTools,
  feeRate: number | null,
  pace: Pace,
): Promise<AvailableCoins> {
  const { ledger } = wallet;
  const { coins } = ledger;
  const rows: number[] = [];
  if (control.addInputs) {
    const required = new Set(control.inputs.map(hashKey));
    const avoidUsed = wallet.record.has(WALLET_FLAG.AVOID_REUSE) && control.avoidAddressReuse;
    const parents = new Map<number, Parent>();
    const trust = new Map<number, boolean>();
    const [confirmed, pending] = [coins.inBucket(BUCKET.CONFIRMED), coins.inBucket(BUCKET.PENDING)];
    const relatives = tools.options.rules.leastWaste ? await relativesOf(wallet, pending, tools) : NO_RELATIVES;
    for (let i = 0; i < confirmed.length + pending.length; i++) {
      if ((i & 63) === 0 && pace.due) await pace.pause();
      const coin = i < confirmed.length ? confirmed[i] : pending[i - confirmed.length];
      const tx = coins.txRow(coin);
      let parent = parents.get(tx);
      if (parent === undefined) {
        parent = checkParent(wallet, tx, control, trust, tools, relatives);
        parents.set(tx, parent);
      }
      if (!parent.usable) continue;
      const watched = coins.ownership(coin) === OWNERSHIP.WATCH;
      if (watched && (!control.allowWatchOnly || sizes.of(coins.script(coin)) === null)) continue;
      if (ledger.locked.size > 0 && wallet.isLocked(coins.outpoint(coin))) continue;
      if (required.size > 0 && required.has(hashKey(coins.outpoint(coin)))) continue;
      if (avoidUsed && wallet.isUsed(coins.script(coin))) continue;
      rows.push(coin);
    }
  }
  return columnsFor(wallet, control.version === VERSION_3 ? ofOneParent(wallet, rows) : rows, sizes, tools, feeRate, pace);
}

/** Core's conditions on the transaction a coin is from. */
function checkParent(
  wallet: Wallet,
  row: number,
  control: CoinControl,
  trust: Map<number, boolean>,
  { options }: SpendTools,
  relatives: RelativesByRow,
): Parent {
  const { ledger } = wallet;
  const { txs } = ledger;
  const { minDepth, maxDepth } = control;
  const depth = ledger.depth(row);
  if (depth > 0) return { usable: depth >= minDepth && depth <= maxDepth && ledger.blocksToMaturity(row) === 0, depth };
  if (depth < 0 || minDepth > 0 || !txs.inMempool(row)) return { usable: false, depth };
  const values = txs.values(row);
  const replaced = values?.has('replaces_txid') || values?.has('replaced_by_txid');
  const safe = !replaced && ledger.sheet.isTrusted(row, trust);
  if (!safe && !control.includeUnsafe) return { usable: false, depth };
  return { usable: !options.rules.leastWaste || mayFollow(wallet, row, control.version, relatives), depth };
}

/** Whether a transaction of a version may spend an unconfirmed one (BIP-0431). */
function mayFollow({ ledger: { txs } }: Wallet, row: number, version: number, relatives: RelativesByRow): boolean {
  const isThree = txs.view(row)?.version === VERSION_3;
  if (version !== VERSION_3) return !isThree;
  // It has one child at most, and that one no child.
  const known = relatives.get(row);
  return isThree && (known == null || (!known.hasDescendants && known.ancestors <= 1));
}

/** What the mempool has around transactions, by row; null for those that are not there. */
type RelativesByRow = ReadonlyMap<number, Relatives | null>;

const NO_RELATIVES: RelativesByRow = new Map();

/** Of the unconfirmed transactions that coins are of. */
async function relativesOf({ ledger }: Wallet, coins: Iterable<number>, { client }: SpendTools): Promise<RelativesByRow> {
  const rows = new Set<number>();
  for (const coin of coins) if (ledger.depth(ledger.coins.txRow(coin)) === 0) rows.add(ledger.coins.txRow(coin));
  if (rows.size === 0) return NO_RELATIVES;
  const answers = await client.relatives(Array.from(rows, (row) => ledger.txs.txid(row).slice()));
  return new Map([...rows].map((row, i) => [row, answers[i]]));
}

/** A version 3 transaction has one unconfirmed parent at most: of those the one whose coins are worth most. */
function ofOneParent({ ledger }: Wallet, rows: readonly number[]): readonly number[] {
  const { coins } = ledger;
  const pending = (coin: number): boolean => ledger.depth(coins.txRow(coin)) === 0;
  const sums = new Map<number, number>();
  for (const coin of rows) if (pending(coin)) sums.set(coins.txRow(coin), (sums.get(coins.txRow(coin)) ?? 0) + coins.value(coin));
  const [parent] = [...sums].sort(([, a], [, b]) => b - a)[0] ?? [];
  return rows.filter((coin) => !pending(coin) || coins.txRow(coin) === parent);
}

async function columnsFor(
  wallet: Wallet,
  rows: readonly number[],
  sizes: SignedSizes,
  tools: SpendTools,
  feeRate: number | null,
  pace: Pace,
): Promise<AvailableCoins> {
  const { ledger } = wallet;
  const columns = emptyColumns(rows.length);
  const inputSizes: (InputSize | null)[] = [];
  const around = await relativesOf(wallet, rows, tools);
  const pending: number[] = [];
  for (let i = 0; i < rows.length; i++) {
    if ((i & 63) === 0 && pace.due) await pace.pause();
    const tx = ledger.coins.txRow(rows[i]);
    const depth = ledger.depth(tx);
    const script = ledger.coins.script(rows[i]);
    const size = sizes.of(script);
    inputSizes.push(size);
    columns.values[i] = ledger.coins.value(rows[i]);
    columns.inputBytes[i] = size === null ? -1 : inputVirtualSize(size);
    columns.depths[i] = depth;
    columns.types[i] = kindOf(script, size);
    if (depth >= SETTLED) continue;
    columns.fromMe[i] = ledger.txs.spendsOurs(tx) ? 1 : 0;
    if (depth > 0) continue;
    const relatives = around.get(tx);
    columns.ancestors[i] = relatives?.ancestors ?? 0;
    columns.descendants[i] = (tools.options.rules.leastWaste ? relatives?.cluster : relatives?.descendants) ?? 0;
    pending.push(i);
  }
  if (feeRate !== null && pending.length > 0) {
    const outpoints = pending.map((i) => ledger.coins.outpoint(rows[i]));
    (await tools.client.bumpFees(outpoints, feeRate))?.each.forEach((fee, at) => {
      columns.bumpFees[pending[at]] = fee;
    });
  }
  return { rows, sizes: inputSizes, columns };
}

/** Number of the kind of address a coin is at. */
function kindOf(script: Uint8Array, size: InputSize | null): number {
  const { type } = solve(script);
  const kind = (): (typeof OUTPUT_KINDS)[number] => {
    switch (type) {
      case 'witness_v1_taproot':
        return 'bech32m';
      case 'witness_v0_keyhash':
      case 'witness_v0_scripthash':
        return 'bech32';
      case 'scripthash':
        return size === null ? 'legacy' : size.witness > 0 ? 'p2sh-segwit' : 'unknown';
      case 'pubkeyhash':
        return 'legacy';
      default:
        return 'unknown';
    }
  };
  return OUTPUT_KINDS.indexOf(kind());
}

/** Numbers of the addresses that coins are at, -1 for scripts without one; or of their scripts. */
export async function addressNumbers(wallet: Wallet, rows: readonly number[], byScript: boolean, pace: Pace): Promise<Int32Array> {
  const numbers = new Int32Array(rows.length);
  const known = new Map<string, number>();
  for (let i = 0; i < rows.length; i++) {
    if ((i & 255) === 0 && pace.due) await pace.pause();
    const script = wallet.ledger.coins.script(rows[i]);
    const destination = byScript ? script : destinationOf(script, wallet.parts.crypto);
    if (destination === null) {
      numbers[i] = -1;
      continue;
    }
    const key = hashKey(destination);
    const number = known.get(key) ?? known.size;
    known.set(key, number);
    numbers[i] = number;
  }
  return numbers;
}

/** Whether coins chosen a moment ago can be spent still. @param outpoints as they were when chosen */
export function areStillSpendable(wallet: Wallet, outpoints: readonly Uint8Array[]): boolean {
  return areStillUnspent(wallet, outpoints) && !outpoints.some((outpoint) => wallet.isLocked(outpoint));
}
/** The same in the moment of recording, when they may be locked: for this payment, or too late. */
export function areStillUnspent(wallet: Wallet, outpoints: readonly Uint8Array[]): boolean {
  const { coins, txs } = wallet.ledger;
  return outpoints.every((outpoint) => {
    const coin = coins.find(outpoint);
    if (coin < 0) return false;
    const bucket = coins.bucket(coin);
    return bucket === BUCKET.CONFIRMED || (bucket === BUCKET.PENDING && txs.inMempool(coins.txRow(coin)));
  });
}
