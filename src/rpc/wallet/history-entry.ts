// Entries of a wallet's history as JSON, member for member as Core 0.21 prints them (ListTransactions, WalletTxToJSON).
// Bytes, not objects or strings: the longest answers have millions of entries.
import { hashKey } from '../../consensus/bytes/hex.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import { follows, only, shows } from '../../policy/compat.js';
import { signalsReplacement } from '../../policy/replaceable.js';
import { type Movement, movementsOf } from '../../wallet/coins/movements.js';
import { outpointOf } from '../../wallet/coins/outpoint.js';
import type { RecordSnapshot } from '../../wallet/coins/record-snapshot.js';
import { TX_STATE } from '../../wallet/coins/tx-table.js';
import { OWNERSHIP, type OwnershipFilter } from '../../wallet/keys/ownership.js';
import type { Relatives, Spender } from '../../wallet/node-client.js';
import type { Wallet } from '../../wallet/wallet.js';
import type { WalletContext } from '../context/wallet.js';
import { renderContext } from '../node/lookup.js';
import { hashHex } from '../render/hex.js';
import type { RenderContext } from '../render/script.js';
import type { JsonBytes } from '../wire/json-bytes.js';
import { encodeString } from '../wire/json-write.js';
import { parentText } from './describe.js';
import { type Payee, type Payees, payeesOf } from './payees.js';

/** Confirmations from which a coinbase is mature. */
const MATURE = 101;

/** What entries of one record are made of. */
export interface EntryOptions {
  /** Receiving entries of records with fewer confirmations are left out. */
  readonly minDepth: number;
  /** Only receiving entries of this label; null: all entries. */
  readonly label: string | null;
  /** Whether each entry repeats what is known of the transaction. */
  readonly long: boolean;
  /** Change is shown too. */
  readonly change?: boolean;
}

const NOTHING: readonly Movement[] = [];

const hashList = (hashes: readonly Uint8Array[]): string => hashes.map((hash) => `"${hashHex(hash)}"`).join(',');

// Pieces of every entry.
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

/** Commas between entries as they come. */
export class EntryList {
  #some = false;
  readonly #out: JsonBytes;

  constructor(out: JsonBytes) {
    this.#out = out;
  }

  /** Another entry was written. */
  readonly onEntry = (): void => {
    this.#out.text(',');
    this.#some = true;
  };

  /** Ends the list; the next begins anew. */
  end(): void {
    if (this.#some) this.#out.dropLast();
    this.#some = false;
    this.#out.text(']');
  }
}

/** Writes entries for one call; remembers what it found out on the way. */
export class HistoryWriter {
  readonly #trust = new Map<number, boolean>();
  /** What the mempool said of transactions, and of what spends outputs. */
  readonly #relatives = new Map<string, Relatives | null>();
  readonly #spenders = new Map<string, Spender | null>();
  readonly #blocks = new Map<number, readonly [head: Uint8Array, tail: Uint8Array]>();
  readonly #payees: Payees;
  readonly #render: RenderContext;
  /** Entries as later releases write them. */
  readonly later: boolean;
  readonly #showsWatched: boolean;
  /** What was said of a payment comes in the order of SAID, otherwise by name. */
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
   * Asks the mempool about the unconfirmed ones of some records; to be done before they are written.
   * @param txs as entries() takes them @returns undefined when there is nothing to ask
   */
  queryMempool(pin: RecordSnapshot, first: number, txs: readonly (TxView | undefined)[]): Promise<void> | undefined {
    const unconfirmed: { row: number; tx: TxView }[] = [];
    for (let at = 0; at < txs.length; at++) {
      const row = pin.rows[first + at];
      const tx = pin.depth(first + at) > 0 ? undefined : (txs[at] ?? this.#wallet.ledger.txs.view(row));
      if (tx) unconfirmed.push({ row, tx });
    }
    return unconfirmed.length === 0 ? undefined : this.#queryUnconfirmed(unconfirmed);
  }
  async #queryUnconfirmed(unconfirmed: readonly { readonly row: number; readonly tx: TxView }[]): Promise<void> {
    const { client, compat } = this.#ctx;
    if (shows(compat, { until: 32 })) {
      const txids = unconfirmed.map(({ tx }) => tx.txid);
      const answers = await client.relatives(txids);
      for (const [i, txid] of txids.entries()) this.#relatives.set(hashKey(txid), answers[i]);
    }
    if (!this.later) return;
    const outpoints = new Map<string, Uint8Array>();
    for (const { row, tx } of unconfirmed) {
      for (const [outpoint] of this.#claims(row, tx)) outpoints.set(hashKey(outpoint), outpoint.slice());
    }
    if (outpoints.size === 0) return;
    const spenders = await client.spenders([...outpoints.values()]);
    for (const [i, key] of [...outpoints.keys()].entries()) this.#spenders.set(key, spenders[i]);
  }

  /** How many entries() would hand on. */
  count(pin: RecordSnapshot, i: number, tx: TxView | undefined, { label, minDepth, change }: EntryOptions): number {
    const moved = movementsOf(this.#wallet, pin.rows[i], tx, this.#filter, change);
    const received = pin.depth(i) >= minDepth ? moved.received : NOTHING;
    if (label === null) return moved.sent.length + received.length;
    return received.reduce((count, movement) => count + (this.#labelOf(movement) === label ? 1 : 0), 0);
  }

  /**
   * Writes the entries of a record: sent ones, then received ones.
   * @param tx as movementsOf() needs it
   * @param take called after each, with the place where it begins
   * @returns how many
   */
  entries(pin: RecordSnapshot, i: number, tx: TxView | undefined, options: EntryOptions, take: (start: number) => unknown): number {
    const { label } = options;
    const out = this.#out;
    const moved = movementsOf(this.#wallet, pin.rows[i], tx, this.#filter, options.change);
    const abandoned = pin.state(i) === TX_STATE.ABANDONED;
    const sent = label === null ? moved.sent : NOTHING;
    const received = pin.depth(i) >= options.minDepth ? moved.received : NOTHING;
    let count = 0;
    // What is known of the transaction, once it was written for an entry; it lies together with the entries after it.
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
      // Entries that are not wanted may be overwritten.
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
    if (wallet.watches && this.#showsWatched && this.#watchOnly(fromWatched, destination)) out.text('"involvesWatchonly":true,');
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

  /** Descriptors of the wallet that an own script comes from. */
  #parents(script: Uint8Array): void {
    const place = this.#wallet.descriptors?.locate(script);
    const text = place && parentText(this.#wallet, place.tracked);
    this.#out.text(`"parent_descs":[${text === undefined ? '' : encodeString(text)}],`);
  }

  #payee({ scriptId, script }: Movement): Payee {
    return this.#payees.get(scriptId, script, this.#render);
  }

  /** What a label filter compares: no label counts as the empty one. */
  #labelOf(movement: Movement): string {
    return this.#payee(movement).label ?? '';
  }

  /** Writes what is known of a transaction, members without braces. @param tx needed when it is in no block */
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
    const view = tx ?? txs.view(row);
    // Of several versions the one that the caller shows.
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
      if (depth <= 0 && view !== undefined) out.text(this.#poolConflicts(row, view));
    }
    out.raw(TIME);
    out.int(txs.smartTime(row) || txs.received(row));
    out.raw(RECEIVED);
    out.int(txs.received(row));
    if (!shows(this.#ctx.compat, { until: 32 })) {
      // Told no more.
    } else if (depth > 0) out.raw(NOT_REPLACEABLE);
    else out.text(`,"bip125-replaceable":"${this.#replaceable(txid, tx ?? txs.view(row))}"`);
    const said = txs.values(row);
    if (!said) return;
    for (const name of this.#valuesInOrder ? PAYMENT_VALUES.filter((known) => said.has(known)) : said.keys()) {
      out.text(',');
      out.string(name);
      out.text(':');
      out.string(said.get(name)!);
    }
  }

  /** What surrounds the place in a block. */
  #block(id: number, height: number): readonly [head: Uint8Array, tail: Uint8Array] {
    let text = this.#blocks.get(id);
    if (text === undefined) {
      const { hash, time } = this.#wallet.ledger.txs.block(id);
      text = [Buffer.from(`,"blockhash":"${hashHex(hash)}","blockheight":${height},"blockindex":`), Buffer.from(`,"blocktime":${time}`)];
      this.#blocks.set(id, text);
    }
    return text;
  }

  /** Other transactions of the wallet that spend one of its inputs. */
  #conflicts(row: number, tx: TxView | undefined): string {
    const { txs, spends } = this.#wallet.ledger;
    const rivals = new Set<number>();
    const view = tx ?? txs.view(row);
    if (view === undefined || view.isCoinbase) return '';
    for (let i = 0; i < view.inputCount; i++) for (const other of spends.spenders(view.outpoint(i))) if (other !== row) rivals.add(other);
    const sorted = [...rivals].sort((a, b) => txs.compareTxids(a, b));
    return hashList(sorted.map((other) => txs.txid(other)));
  }

  /**
   * Transactions of the mempool that keep it out: they spend an input of it or of an ancestor that is in no block (also
   * of an abandoned or conflicted one, as in Core), or are the one child of version 3 that an unconfirmed parent may have
   * (BIP-0431).
   */
  #poolConflicts(first: number, tx: TxView): string {
    const rivals = new Map<string, Uint8Array>();
    for (const [outpoint, isInput] of this.#claims(first, tx)) {
      const spender = this.#spenders.get(hashKey(outpoint));
      if (spender && (isInput || spender.version === 3)) rivals.set(hashHex(spender.txid), spender.txid);
    }
    const sorted = [...rivals].sort(([, a], [, b]) => Buffer.compare(a, b));
    return hashList(sorted.map(([, txid]) => txid));
  }

  /** Inputs of a transaction and its ancestors, and outputs of these, as far as they are in no block and no mempool. */
  *#claims(first: number, tx: TxView): Generator<readonly [outpoint: Uint8Array, isInput: boolean]> {
    const { txs } = this.#wallet.ledger;
    // Ancestors join while they are gone through.
    const rows = new Set([first]);
    for (const row of rows) {
      const view = row === first ? tx : txs.view(row);
      if (view === undefined || txs.inMempool(row)) continue;
      for (let i = 0; i < view.inputCount; i++) {
        yield [view.outpoint(i), true];
        const parent = txs.find(view.prevHash(i));
        if (parent < 0 || txs.state(parent) === TX_STATE.CONFIRMED) continue;
        rows.add(parent);
        for (let vout = 0; vout < txs.outputCount(parent); vout++) yield [outpointOf(txs.txid(parent), vout), false];
      }
    }
  }

  /** BIP-0125 state of a transaction that is in no block. */
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
    const watched = fromWatched || (destination !== null && this.#wallet.isMine(destination) === OWNERSHIP.WATCH);
    return watched ? '"involvesWatchonly":true,' : '';
  }
}
