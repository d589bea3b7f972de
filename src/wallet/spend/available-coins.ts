// The coins a payment may spend, as columns for the choice. Walks the wallet's unspent outputs in slices; what changes
// meanwhile is found out by `stillThere` before anything is signed. Core 0.21: CWallet::AvailableCoins.
import { hashKey } from '../../consensus/bytes/hex.js';
import { BUCKET } from '../coins/coin-table.js';
import { destinationOf } from '../keys/destination.js';
import { OWNERSHIP } from '../keys/ownership.js';
import type { Wallet } from '../wallet.js';
import { WALLET_FLAG } from '../wallet-record.js';
import type { CoinControl } from './coin-control.js';
import { type CoinColumns, emptyColumns } from './select/groups.js';
import type { Pace } from './select/pace.js';
import { type InputSize, inputVirtualSize } from './select/tx-size.js';
import type { SignedSizes } from './signed-size.js';
import type { SpendNode } from './spend-node.js';

/** Confirmations from which it does not matter whose transaction it was. */
const SETTLED = 6;

/** Coins with their rows in the wallet's table. */
export interface AvailableCoins {
  readonly rows: readonly number[];
  readonly sizes: readonly (InputSize | null)[];
  readonly columns: CoinColumns;
}

/** What is known of a transaction while its coins are walked. */
interface Parent {
  readonly usable: boolean;
  readonly depth: number;
}

export async function availableCoins(
  wallet: Wallet,
  control: CoinControl,
  sizes: SignedSizes,
  node: SpendNode,
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
    for (let i = 0; i < confirmed.length + pending.length; i++) {
      if ((i & 63) === 0 && pace.due) await pace.pause();
      const coin = i < confirmed.length ? confirmed[i] : pending[i - confirmed.length];
      const tx = coins.txRow(coin);
      let parent = parents.get(tx);
      if (parent === undefined) {
        parent = judge(wallet, tx, control.minDepth, trust);
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
  return columnsFor(wallet, rows, sizes, node, pace);
}

/** Core's conditions on the transaction a coin is from. */
function judge(wallet: Wallet, row: number, minDepth: number, trust: Map<number, boolean>): Parent {
  const { ledger } = wallet;
  const { txs } = ledger;
  const depth = ledger.depth(row);
  if (depth > 0) return { usable: depth >= minDepth && ledger.blocksToMaturity(row) === 0, depth };
  const values = txs.values(row);
  const replaced = values?.has('replaces_txid') || values?.has('replaced_by_txid');
  const usable = depth === 0 && minDepth <= 0 && txs.inMempool(row) && !replaced && ledger.sheet.isTrusted(row, trust);
  return { usable, depth };
}

async function columnsFor(
  wallet: Wallet,
  rows: readonly number[],
  sizes: SignedSizes,
  node: SpendNode,
  pace: Pace,
): Promise<AvailableCoins> {
  const { ledger } = wallet;
  const columns = emptyColumns(rows.length);
  const inputSizes: (InputSize | null)[] = [];
  for (let i = 0; i < rows.length; i++) {
    if ((i & 63) === 0 && pace.due) await pace.pause();
    const tx = ledger.coins.txRow(rows[i]);
    const depth = ledger.depth(tx);
    const size = sizes.of(ledger.coins.script(rows[i]));
    inputSizes.push(size);
    columns.values[i] = ledger.coins.value(rows[i]);
    columns.inputBytes[i] = size === null ? -1 : inputVirtualSize(size);
    columns.depths[i] = depth;
    if (depth >= SETTLED) continue;
    columns.fromMe[i] = ledger.txs.spendsOurs(tx) ? 1 : 0;
    if (depth > 0) continue;
    const relatives = node.relatives(ledger.txs.txid(tx));
    columns.ancestors[i] = relatives.ancestors;
    columns.descendants[i] = relatives.descendants;
  }
  return { rows, sizes: inputSizes, columns };
}

/** Numbers of the addresses that coins are at, -1 for scripts without one. */
export async function addressNumbers(wallet: Wallet, rows: readonly number[], pace: Pace): Promise<Int32Array> {
  const numbers = new Int32Array(rows.length);
  const known = new Map<string, number>();
  for (let i = 0; i < rows.length; i++) {
    if ((i & 255) === 0 && pace.due) await pace.pause();
    const destination = destinationOf(wallet.ledger.coins.script(rows[i]), wallet.parts.crypto);
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
export function stillThere(wallet: Wallet, outpoints: readonly Uint8Array[]): boolean {
  return stillUnspent(wallet, outpoints) && !outpoints.some((outpoint) => wallet.isLocked(outpoint));
}
/** The same in the moment of recording, when they may be locked: for this payment, or too late. */
export function stillUnspent(wallet: Wallet, outpoints: readonly Uint8Array[]): boolean {
  const { coins, txs } = wallet.ledger;
  return outpoints.every((outpoint) => {
    const coin = coins.find(outpoint);
    if (coin < 0) return false;
    const bucket = coins.bucket(coin);
    return bucket === BUCKET.CONFIRMED || (bucket === BUCKET.PENDING && txs.inMempool(coins.txRow(coin)));
  });
}
