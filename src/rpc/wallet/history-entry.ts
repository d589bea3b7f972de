// Writes entries of a wallet's history as JSON, member for member as Core 0.21 does (ListTransactions, WalletTxToJSON).
// The output is bytes, not objects or strings, because the longest results have millions of entries.

import { hashKey } from '../../consensus/bytes/hex.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import { follows, only, shows } from '../../policy/compat.js';
import { signalsReplacement } from '../../policy/replaceable.js';
import {
  type Movement,
  movementsOf,
  OWNERSHIP,
  type OwnershipFilter,
  type RecordSnapshot,
  type Relatives,
  TX_STATE,
  type Wallet,
} from '../../wallet/index.js';
import type { WalletContext } from '../context/wallet.js';
import { renderContext } from '../node/lookup.js';
import { hashHex } from '../render/hex.js';
import type { RenderContext } from '../render/script.js';
import type { JsonBytes } from '../wire/json-bytes.js';
import { encodeString } from '../wire/json-write.js';
import { parentText } from './describe.js';
import { type Payee, type Payees, payeesOf } from './payees.js';

/** Confirmations at which a coinbase is mature. */
const MATURE = 101;

/** Selects entries of a record and their members. */
export interface EntryOptions {
  /** Omit receiving entries of records with fewer confirmations. */
  readonly minDepth: number;
  /** Only receiving entries with this label; null: all entries. */
  readonly label: string | null;
  /** True if each entry repeats the members of its transaction. */
  readonly long: boolean;
  /** True to show change. */
  readonly change?: boolean;
}

const NOTHING: readonly Movement[] = [];

const hashList = (hashes: readonly Uint8Array[]): string => hashes.map((hash) => `"${hashHex(hash)}"`).join(',');

// Parts of every entry.
const AMOUNT = Buffer.from('","amount":');
const VOUT = Buffer.from(',"vout":');
const FEE = Buffer.from(',"fee":');
const ABANDONED = Buffer.from(',"abandoned":true}');
const NOT_ABANDONED = Buffer.from(',"abandoned":false}');
const CONFIRMATIONS = Buffer.from('"confirmations":');
const TXID = Buffer.from(',"txid":');
const CONFLICTS = Buffer.from(',"walletconflicts":[');
const TIME = Buffer.from('],"time":');
const RECEIVED = Buffer.from(',"timereceived":');
const OTHER_WTXIDS = Buffer.from(',"alternate_wtxids":[');
const WTXID = Buffer.from(',"wtxid":');
const MEMPOOL_CONFLICTS = Buffer.from('],"mempoolconflicts":[');
const PAYMENT_VALUES = ['comment', 'to', 'replaces_txid', 'replaced_by_txid'];
const NOT_REPLACEABLE = Buffer.from(',"bip125-replaceable":"no"');

export const LONG: EntryOptions = { minDepth: 0, label: null, long: true };

/** Writes the commas between entries. */
export class EntryList {
  #some = false;
  readonly #out: JsonBytes;

  constructor(out: JsonBytes) {
    this.#out = out;
  }

  /** Writes the comma after an entry; end() removes the last one. Passed as the callback that follows each entry. */
  readonly onEntry = (): void => {
    this.#out.text(',');
    this.#some = true;
  };

  /** Ends the list. The next entry starts a new one. */
  end(): void {
    if (this.#some) this.#out.dropLast();
    this.#some = false;
    this.#out.text(']');
  }
}

/** Writes entries for one call. Caches what it finds out. */
export class HistoryWriter {
  readonly #trust = new Map<number, boolean>();
  /** Facts from the mempool about transactions, by their txids. */
  readonly #relatives = new Map<string, Relatives | null>();
  readonly #blocks = new Map<number, readonly [head: Uint8Array, tail: Uint8Array]>();
  readonly #payees: Payees;
  readonly #render: RenderContext;
  /** True to write entries as releases since 24 do. */
  readonly later: boolean;
  readonly #showsWatched: boolean;
  /**
   * True if the stored values of a payment (comments, replacements) are written in the order of PAYMENT_VALUES, and not
   * by name.
   */
  readonly #valuesInOrder: boolean;
  readonly #ctx: WalletContext;
  readonly #wallet: Wallet;
  readonly #filter: OwnershipFilter;
  readonly #out: JsonBytes;

  constructor(ctx: WalletContext, wallet: Wallet, filter: OwnershipFilter, out: JsonBytes) {
    this.#ctx = ctx;
    this.#wallet = wallet;
    this.#filter = filter;
    this.#out = out;
    this.#payees = payeesOf(wallet);
    this.#render = renderContext(ctx);
    this.later = follows(ctx.compat, 24);
    this.#valuesInOrder = only(ctx.compat, 32);
    this.#showsWatched = shows(ctx.compat, { until: 30 });
  }

  /**
   * Queries the mempool about the unconfirmed transactions of some records. Must be called before they are written.
   * @param txs as for entries()
   * @returns undefined if there is nothing to query
   */
  queryMempool(pin: RecordSnapshot, first: number, txs: readonly (TxView | undefined)[]): Promise<void> | undefined {
    if (!shows(this.#ctx.compat, { until: 32 })) return undefined;
    const unconfirmed: Uint8Array[] = [];
    for (let at = 0; at < txs.length; at++) {
      if (pin.depth(first + at) <= 0) unconfirmed.push(this.#wallet.ledger.txs.txid(pin.rows[first + at]));
    }
    return unconfirmed.length === 0 ? undefined : this.#queryRelatives(unconfirmed);
  }
  async #queryRelatives(txids: readonly Uint8Array[]): Promise<void> {
    const answers = await this.#ctx.client.relatives(txids);
    for (const [i, txid] of txids.entries()) this.#relatives.set(hashKey(txid), answers[i]);
  }

  /** Returns how many entries entries() would write. */
  count(pin: RecordSnapshot, i: number, tx: TxView | undefined, { label, minDepth, change }: EntryOptions): number {
    const moved = movementsOf(this.#wallet, pin.rows[i], tx, this.#filter, change);
    const received = pin.depth(i) >= minDepth ? moved.received : NOTHING;
    if (label === null) return moved.sent.length + received.length;
    return received.reduce((count, movement) => count + (this.#labelOf(movement) === label ? 1 : 0), 0);
  }

  /**
   * Writes the entries of a record: sent ones, then received ones.
   * @param tx as movementsOf() needs it
   * @param take called after each entry, with the position where it starts
   * @returns number of entries
   */
  entries(pin: RecordSnapshot, i: number, tx: TxView | undefined, options: EntryOptions, take: (start: number) => unknown): number {
    const { label } = options;
    const out = this.#out;
    const moved = movementsOf(this.#wallet, pin.rows[i], tx, this.#filter, options.change);
    const abandoned = pin.state(i) === TX_STATE.ABANDONED;
    const sent = label === null ? moved.sent : NOTHING;
    const received = pin.depth(i) >= options.minDepth ? moved.received : NOTHING;
    let count = 0;
    // Position of the transaction's members after they were written for an entry. They lie in the same buffer as the
    // following entries.
    let from = -1;
    let to = -1;
    const common = (): void => {
      if (!options.long) return;
      if (from >= 0) {
        out.repeatText(from, to);
        return;
      }
      from = out.at;
      out.text(',');
      this.common(pin, i, tx);
      to = out.at;
    };
    out.beginEntry();
    for (const movement of sent) {
      const start = out.at;
      this.#entry(movement, -movement.value, 'send', moved.fromWatched);
      out.raw(FEE);
      out.amount(moved.fee);
      common();
      out.raw(abandoned ? ABANDONED : NOT_ABANDONED);
      take(start);
      // common() copies the transaction's members from the bytes of an earlier entry. If `take` dropped that entry, the
      // next one overwrites these bytes, so the members must be written again.
      if (out.at === start) from = -1;
      count++;
    }
    for (const movement of received) {
      if (label !== null && this.#labelOf(movement) !== label) continue;
      const start = out.at;
      this.#entry(movement, movement.value, this.#category(pin, i), moved.fromWatched);
      if (this.later) out.text(`,"abandoned":${abandoned}`);
      common();
      out.text('}');
      take(start);
      if (out.at === start) from = -1;
      count++;
    }
    return count;
  }

  #entry(movement: Movement, amount: number, category: string, fromWatched: boolean): void {
    const wallet = this.#wallet;
    const out = this.#out;
    const { destination, head, tail } = this.#payee(movement);
    out.text('{');
    if (wallet.legacy?.watches && this.#showsWatched && this.#watchOnly(fromWatched, destination)) out.text('"involvesWatchonly":true,');
    out.raw(head);
    if (this.later && category !== 'send') this.#parents(movement.script);
    out.text('"category":"');
    out.text(category);
    out.raw(AMOUNT);
    out.amount(amount);
    out.raw(tail);
    out.raw(VOUT);
    out.int(movement.vout);
  }

  /** Writes the descriptors of the wallet from which a script was derived. */
  #parents(script: Uint8Array): void {
    const place = this.#wallet.descriptors?.locate(script);
    const text = place && parentText(this.#wallet, place.tracked);
    this.#out.text(`"parent_descs":[${text === undefined ? '' : encodeString(text)}],`);
  }

  #payee({ scriptId, script }: Movement): Payee {
    return this.#payees.get(scriptId, script, this.#render);
  }

  /** Returns the label of a movement; empty if it has none. */
  #labelOf(movement: Movement): string {
    return this.#payee(movement).label ?? '';
  }

  /** Writes the members of a transaction, without braces. @param tx needed if the transaction is unconfirmed */
  common(pin: RecordSnapshot, i: number, tx: TxView | undefined): void {
    const out = this.#out;
    const { txs, spends } = this.#wallet.ledger;
    const row = pin.rows[i];
    const depth = pin.depth(i);
    out.raw(CONFIRMATIONS);
    out.int(depth);
    if (txs.isCoinbase(row)) out.text(',"generated":true');
    if (depth > 0) {
      const [head, tail] = this.#block(pin.blockId(i), pin.height(i));
      out.raw(head);
      out.int(pin.position(i));
      out.raw(tail);
    } else out.text(`,"trusted":${this.#wallet.ledger.sheet.isTrusted(row, this.#trust)}`);
    const txid = txs.txid(row);
    out.raw(TXID);
    out.hash(txid);
    // If there are several versions, use the one that the caller shows.
    const hasOthers = this.later && txs.versions(row).length > 1;
    const wtxid = this.later ? ((hasOthers ? tx?.wtxid : undefined) ?? txs.wtxid(row)) : undefined;
    if (wtxid !== undefined) {
      out.raw(WTXID);
      out.hash(wtxid);
      out.raw(OTHER_WTXIDS);
      if (hasOthers) out.text(hashList(txs.otherVersions(row, wtxid)));
      out.text(']');
    }
    out.raw(CONFLICTS);
    if (spends.hasConflicts(row)) out.text(this.#conflicts(row, tx));
    if (this.later) {
      out.raw(MEMPOOL_CONFLICTS);
      if (depth <= 0) out.text(hashList(this.#wallet.ledger.poolConflicts.txidsOf(row)));
    }
    out.raw(TIME);
    out.int(txs.smartTime(row) || txs.received(row));
    out.raw(RECEIVED);
    out.int(txs.received(row));
    if (!shows(this.#ctx.compat, { until: 32 })) {
      // Releases since 32 omit `bip125-replaceable`.
    } else if (depth > 0) out.raw(NOT_REPLACEABLE);
    else out.text(`,"bip125-replaceable":"${this.#replaceable(txid, tx ?? txs.view(row))}"`);
    const values = txs.values(row);
    if (!values) return;
    for (const name of this.#valuesInOrder ? PAYMENT_VALUES.filter((known) => values.has(known)) : values.keys()) {
      out.text(',');
      out.string(name);
      out.text(':');
      out.string(values.get(name)!);
    }
  }

  /** Returns the text around the position in a block. */
  #block(id: number, height: number): readonly [head: Uint8Array, tail: Uint8Array] {
    let text = this.#blocks.get(id);
    if (text === undefined) {
      const { hash, time } = this.#wallet.ledger.txs.block(id);
      text = [Buffer.from(`,"blockhash":"${hashHex(hash)}","blockheight":${height},"blockindex":`), Buffer.from(`,"blocktime":${time}`)];
      this.#blocks.set(id, text);
    }
    return text;
  }

  /** Returns other transactions of the wallet that spend one of its inputs. */
  #conflicts(row: number, tx: TxView | undefined): string {
    const { txs, spends } = this.#wallet.ledger;
    const rivals = new Set<number>();
    const view = tx ?? txs.view(row);
    if (view === undefined || view.isCoinbase) return '';
    for (let i = 0; i < view.inputCount; i++) for (const other of spends.spenders(view.outpoint(i))) if (other !== row) rivals.add(other);
    const sorted = [...rivals].sort((a, b) => txs.compareTxids(a, b));
    return hashList(sorted.map((other) => txs.txid(other)));
  }

  /** Returns the BIP-0125 state of an unconfirmed transaction. */
  #replaceable(txid: Uint8Array, tx: TxView | undefined): 'yes' | 'no' | 'unknown' {
    if (tx && signalsReplacement(tx)) return 'yes';
    const relatives = this.#relatives.get(hashKey(txid)) ?? null;
    if (relatives === null) return 'unknown';
    return relatives.replaceableAncestor ? 'yes' : 'no';
  }

  #category(pin: RecordSnapshot, i: number): string {
    if (!this.#wallet.ledger.txs.isCoinbase(pin.rows[i])) return 'receive';
    if (pin.depth(i) < 1) return 'orphan';
    return pin.depth(i) < MATURE ? 'immature' : 'generate';
  }

  #watchOnly(fromWatched: boolean, destination: Uint8Array | null): string {
    const watched = fromWatched || (destination !== null && this.#wallet.keys.isMine(destination) === OWNERSHIP.WATCH);
    return watched ? '"involvesWatchonly":true,' : '';
  }
}
