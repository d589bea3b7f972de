// Collects the coins that a payment may spend, as columns for coin selection. `areStillSpendable` checks, before the
// payment is signed, that the chosen coins can still be spent. Core: AvailableCoins.

import { hashKey } from '../../consensus/bytes/hex.js';
import { solve } from '../../policy/script-type.js';
import { isUsed } from '../address-use.js';
import { BUCKET } from '../coins/coin-table.js';
import { isLockedCoin } from '../coins/outpoint.js';
import { destinationOf } from '../keys/destination.js';
import { OWNERSHIP } from '../keys/ownership.js';
import type { Relatives } from '../node-client.js';
import type { Wallet } from '../wallet.js';
import { WALLET_FLAG } from '../wallet-record.js';
import type { CoinControl } from './coin-control.js';
import type { SpendTools } from './payment.js';
import { type CoinColumns, emptyColumns, OUTPUT_KINDS } from './select/groups.js';
import { type InputSize, inputVirtualSize } from './select/tx-size.js';
import type { SignedSizes } from './signed-size.js';

/** Number of confirmations from which a coin is usable no matter which wallet created its transaction. */
const SETTLED = 6;

/** Available coins with their rows in the wallet's table. */
export interface AvailableCoins {
  readonly rows: readonly number[];
  readonly sizes: readonly (InputSize | null)[];
  readonly columns: CoinColumns;
}

/** Transaction version with topology restrictions (BIP-0431): few unconfirmed relatives, all of the same version. */
const VERSION_3 = 3;

/** Result of checking the transaction that created a coin. */
interface Parent {
  readonly usable: boolean;
  readonly depth: number;
}

/**
 * Collects the coins that a payment may spend.
 * @param feeRate rate that unconfirmed parents must reach; null: ignore their rates
 */
export async function availableCoins(
  wallet: Wallet,
  control: CoinControl,
  sizes: SignedSizes,
  tools: SpendTools,
  feeRate: number | null,
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
      if (ledger.locked.size > 0 && isLockedCoin(wallet.ledger, coins.outpoint(coin))) continue;
      if (required.size > 0 && required.has(hashKey(coins.outpoint(coin)))) continue;
      if (avoidUsed && isUsed(wallet, coins.script(coin))) continue;
      rows.push(coin);
    }
  }
  return columnsFor(wallet, control.version === VERSION_3 ? ofOneParent(wallet, rows) : rows, sizes, tools, feeRate);
}

/** Checks whether the transaction that created a coin meets Core's conditions for spending the coin. */
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

/** Returns whether a payment of a given version may spend coins of an unconfirmed transaction (BIP-0431). */
function mayFollow({ ledger: { txs } }: Wallet, row: number, version: number, relatives: RelativesByRow): boolean {
  const isThree = txs.view(row)?.version === VERSION_3;
  if (version !== VERSION_3) return !isThree;
  // A version 3 transaction has at most one child, which has no child of its own.
  const known = relatives.get(row);
  return isThree && (known == null || (!known.hasDescendants && known.ancestors <= 1));
}

/** Mempool relatives of transactions, by the transaction's row; null for transactions that are not in the mempool. */
type RelativesByRow = ReadonlyMap<number, Relatives | null>;

const NO_RELATIVES: RelativesByRow = new Map();

/** Returns the mempool relatives of the unconfirmed transactions that created coins. */
async function relativesOf({ ledger }: Wallet, coins: Iterable<number>, { client }: SpendTools): Promise<RelativesByRow> {
  const rows = new Set<number>();
  for (const coin of coins) if (ledger.depth(ledger.coins.txRow(coin)) === 0) rows.add(ledger.coins.txRow(coin));
  if (rows.size === 0) return NO_RELATIVES;
  const answers = await client.relatives(Array.from(rows, (row) => ledger.txs.txid(row).slice()));
  return new Map([...rows].map((row, i) => [row, answers[i]]));
}

/**
 * Removes unconfirmed coins for a version 3 payment, which may have only one unconfirmed parent: only the coins of the
 * parent with the highest value stay.
 */
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
): Promise<AvailableCoins> {
  const { ledger } = wallet;
  const columns = emptyColumns(rows.length);
  const inputSizes: (InputSize | null)[] = [];
  const around = await relativesOf(wallet, rows, tools);
  const pending: number[] = [];
  for (let i = 0; i < rows.length; i++) {
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

/** Returns the index of a coin's address type in OUTPUT_KINDS. */
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

/**
 * Returns a number for each coin that is equal for coins of the same address; -1 for scripts without an address. With
 * `byScript`, equal for coins of the same script.
 */
export function addressNumbers(wallet: Wallet, rows: readonly number[], byScript: boolean): Int32Array {
  const numbers = new Int32Array(rows.length);
  const known = new Map<string, number>();
  for (let i = 0; i < rows.length; i++) {
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

/** Returns whether chosen coins can still be spent. @param outpoints outpoints of the coins */
export function areStillSpendable(wallet: Wallet, outpoints: readonly Uint8Array[]): boolean {
  return areStillUnspent(wallet, outpoints) && !outpoints.some((outpoint) => isLockedCoin(wallet.ledger, outpoint));
}
/**
 * Returns whether chosen coins are still unspent. Unlike areStillSpendable, accepts locked coins, because
 * fundrawtransaction may have locked them for this payment.
 */
export function areStillUnspent(wallet: Wallet, outpoints: readonly Uint8Array[]): boolean {
  const { coins, txs } = wallet.ledger;
  return outpoints.every((outpoint) => {
    const coin = coins.find(outpoint);
    if (coin < 0) return false;
    const bucket = coins.bucket(coin);
    return bucket === BUCKET.CONFIRMED || (bucket === BUCKET.PENDING && txs.inMempool(coins.txRow(coin)));
  });
}
