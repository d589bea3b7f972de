// Entries of a wallet's history as JSON text, member for member as Core 0.21 prints them (ListTransactions, WalletTxToJSON). Text, not
// objects: the longest answers have millions of entries. Callers: gettransaction, listtransactions, listsinceblock.
import { encodeAddress } from '../../address/address.js';
import { hashKey } from '../../consensus/bytes/hex.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import { type Movement, movementsOf } from '../../wallet/coins/movements.js';
import type { RecordPin } from '../../wallet/coins/record-pin.js';
import { TX_STATE } from '../../wallet/coins/tx-table.js';
import { destinationOf } from '../../wallet/keys/destination.js';
import { OWNERSHIP, type OwnershipFilter } from '../../wallet/keys/ownership.js';
import type { Wallet } from '../../wallet/wallet.js';
import type { NodeContext } from '../node/context.js';
import { hashHex } from '../render/hex.js';
import { encodeString, formatAmount } from '../wire/json-write.js';

/** The largest sequence number that says "replaceable" (BIP-0125). */
const MAX_REPLACEABLE = 0xfffffffd;
/** Confirmations from which a coinbase is mature. */
const MATURE = 101;
/** Texts of addresses kept: a pool pays the same ones again and again. */
const MOST_ADDRESSES = 50_000;

/** What entries of one record are made of. */
export interface EntryOptions {
  /** Receiving entries of records with fewer confirmations are left out. */
  readonly minDepth: number;
  /** Only receiving entries of this label; null: all entries. */
  readonly label: string | null;
  /** Whether each entry repeats what is known of the transaction. */
  readonly long: boolean;
}

export const LONG: EntryOptions = { minDepth: 0, label: null, long: true };

interface Payee {
  /** `"address":"…",`, empty without one. */
  readonly text: string;
  /** Script of the address; null without one. */
  readonly destination: Uint8Array | null;
}

/** Writes entries for one call; remembers what it found out on the way. */
export class HistoryWriter {
  readonly #trust = new Map<number, boolean>();
  readonly #blocks = new Map<number, string>();
  readonly #payees = new Map<string, Payee>();

  constructor(
    private readonly ctx: NodeContext,
    private readonly wallet: Wallet,
    private readonly filter: OwnershipFilter,
  ) {}

  /** Entries of a record: sent ones, then received ones. @param tx as movementsOf() needs it */
  entries(pin: RecordPin, i: number, tx: TxView | undefined, { minDepth, label, long }: EntryOptions): string[] {
    const { wallet } = this;
    const row = pin.rows[i];
    const moved = movementsOf(wallet, row, tx, this.filter);
    const sent = label === null ? moved.sent : [];
    const received = pin.depth(i) >= minDepth ? moved.received : [];
    if (sent.length === 0 && received.length === 0) return [];
    const common = long ? `,${this.common(pin, i, tx)}` : '';
    const out: string[] = [];
    const sendTail = `,"fee":${formatAmount(moved.fee)}${common},"abandoned":${pin.state(i) === TX_STATE.ABANDONED}}`;
    for (const movement of sent) {
      const { text, destination } = this.#payee(movement.script);
      const own = destination && wallet.book.label(destination);
      const shown = typeof own === 'string' ? `,"label":${encodeString(own)}` : '';
      const head = `{${this.#watchOnly(moved.fromWatched, destination)}${text}"category":"send","amount":`;
      out.push(`${head}${formatAmount(-movement.value)}${shown},"vout":${movement.vout}${sendTail}`);
    }
    const category = this.#category(pin, i);
    for (const movement of received) {
      const entry = this.#received(movement, { category, common, fromWatched: moved.fromWatched, label });
      if (entry !== null) out.push(entry);
    }
    return out;
  }

  #received(movement: Movement, facts: { category: string; common: string; fromWatched: boolean; label: string | null }): string | null {
    const { text, destination } = this.#payee(movement.script);
    const own = destination === null ? undefined : this.wallet.book.label(destination);
    if (facts.label !== null && (own ?? '') !== facts.label) return null;
    const head = `{${this.#watchOnly(facts.fromWatched, destination)}${text}"category":"${facts.category}","amount":`;
    const shown = own === undefined ? '' : `,"label":${encodeString(own)}`;
    return `${head}${formatAmount(movement.value)}${shown},"vout":${movement.vout}${facts.common}}`;
  }

  /** What is known of a transaction, members without braces. @param tx needed when it is in no block */
  common(pin: RecordPin, i: number, tx: TxView | undefined): string {
    const { txs, spends } = this.wallet.ledger;
    const row = pin.rows[i];
    const depth = pin.depth(i);
    let text = `"confirmations":${depth}`;
    if (txs.isCoinbase(row)) text += ',"generated":true';
    if (depth > 0) text += `${this.#block(pin.blockId(i), pin.height(i))},"blockindex":${pin.position(i)}${this.#time(pin.blockId(i))}`;
    else text += `,"trusted":${this.wallet.ledger.isTrusted(row, this.#trust)}`;
    const txid = txs.txid(row);
    const rivals = spends.hasRivals(row) ? this.#conflicts(row, tx) : '';
    text += `,"txid":"${hashHex(txid)}","walletconflicts":[${rivals}]`;
    text += `,"time":${txs.smart(row) || txs.received(row)},"timereceived":${txs.received(row)}`;
    text += `,"bip125-replaceable":"${depth > 0 ? 'no' : this.#replaceable(txid, tx ?? txs.view(row))}"`;
    for (const [name, value] of txs.values(row) ?? []) text += `,${encodeString(name)}:${encodeString(value)}`;
    return text;
  }

  #block(id: number, height: number): string {
    let text = this.#blocks.get(id);
    if (text === undefined) {
      text = `,"blockhash":"${hashHex(this.wallet.ledger.txs.block(id).hash)}","blockheight":${height}`;
      this.#blocks.set(id, text);
    }
    return text;
  }
  #time(id: number): string {
    return `,"blocktime":${this.wallet.ledger.txs.block(id).time}`;
  }

  /** Other transactions of the wallet that spend one of its inputs. */
  #conflicts(row: number, tx: TxView | undefined): string {
    const { txs, spends } = this.wallet.ledger;
    const rivals = new Set<number>();
    const view = tx ?? txs.view(row);
    if (view === undefined || view.isCoinbase) return '';
    for (let i = 0; i < view.inputCount; i++) for (const other of spends.spenders(view.outpoint(i))) if (other !== row) rivals.add(other);
    const sorted = [...rivals].sort((a, b) => txs.compareTxids(a, b));
    return sorted.map((other) => `"${hashHex(txs.txid(other))}"`).join(',');
  }

  /** BIP-0125 state of a transaction that is in no block. */
  #replaceable(txid: Uint8Array, tx: TxView | undefined): 'yes' | 'no' | 'unknown' {
    if (tx && signals(tx)) return 'yes';
    const { mempool } = this.ctx;
    const entry = mempool.get(txid);
    if (entry === undefined) return 'unknown';
    return mempool.ancestors(entry).some((ancestor) => signals(ancestor.tx)) ? 'yes' : 'no';
  }

  #category(pin: RecordPin, i: number): string {
    if (!this.wallet.ledger.txs.isCoinbase(pin.rows[i])) return 'receive';
    if (pin.depth(i) < 1) return 'orphan';
    return pin.depth(i) < MATURE ? 'immature' : 'generate';
  }

  #watchOnly(fromWatched: boolean, destination: Uint8Array | null): string {
    const { wallet } = this;
    if (!wallet.watches) return '';
    const watched = fromWatched || (destination !== null && wallet.isMine(destination) === OWNERSHIP.WATCH);
    return watched ? '"involvesWatchonly":true,' : '';
  }

  #payee(script: Uint8Array): Payee {
    const key = hashKey(script);
    const known = this.#payees.get(key);
    if (known) return known;
    const { crypto, params } = this.ctx;
    const destination = destinationOf(script, crypto);
    const address = destination === null ? null : encodeAddress(destination, params, crypto);
    // The script may be a view into a block of bytes: the copy is what is kept.
    const payee = { text: address === null ? '' : `"address":"${address}",`, destination: destination && new Uint8Array(destination) };
    if (this.#payees.size >= MOST_ADDRESSES) this.#payees.clear();
    this.#payees.set(key, payee);
    return payee;
  }
}

function signals(tx: TxView): boolean {
  for (let i = 0; i < tx.inputCount; i++) if (tx.sequence(i) <= MAX_REPLACEABLE) return true;
  return false;
}
