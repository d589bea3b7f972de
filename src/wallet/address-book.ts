// The address book of a wallet: labels of addresses that were given out, imported or paid. Entries are keyed by output
// script and stored as columns. Each label text is stored once.
import type { TableImage } from './image/table-image.js';
import { OWNERSHIP } from './keys/ownership.js';
import { WALLET_PREFIX, walletKey } from './storage/layout.js';
import { packRow, unpackRow } from './storage/rows.js';
import type { WalletBatch } from './storage/wallet-batch.js';
import { ByteTable, grown } from './tables/byte-table.js';

export type Purpose = 'receive' | 'send' | 'unknown';
/** Purposes in the order of the numbers that rows store. */
export const PURPOSES: readonly Purpose[] = ['unknown', 'receive', 'send'];
/** Label id of an entry that only marks the address as used. */
const UNLABELLED = -1;

export class AddressBook {
  readonly #table = new ByteTable();
  #labels = new Int32Array(32);
  #purposes = new Uint8Array(32);
  #used = new Uint8Array(32);
  /** Label texts, and the number of entries that use each. Ids without entries are reused. */
  #texts: string[] = [];
  #uses: number[] = [];
  #freeTexts: number[] = [];
  readonly #textIds = new Map<string, number>();
  #edition = 0;

  /** Counter that increases whenever a label may have changed. */
  get edition(): number {
    return this.#edition;
  }

  /** Returns the label; undefined if the address has none. The empty string is a label. */
  label(script: Uint8Array): string | undefined {
    const row = this.#table.find(script);
    return row < 0 || this.#labels[row] === UNLABELLED ? undefined : this.#texts[this.#labels[row]];
  }
  purpose(script: Uint8Array): Purpose {
    const row = this.#table.find(script);
    return row < 0 ? 'unknown' : PURPOSES[this.#purposes[row]];
  }
  isUsed(script: Uint8Array): boolean {
    const row = this.#table.find(script);
    return row >= 0 && this.#used[row] === 1;
  }
  /** @param purpose undefined: an existing entry keeps its purpose */
  set(script: Uint8Array, label: string, purpose: Purpose | undefined, batch: WalletBatch): void {
    const row = this.#row(script);
    this.#edition++;
    this.#setLabel(row, label);
    if (purpose) this.#purposes[row] = PURPOSES.indexOf(purpose);
    this.#write(row, script, batch);
  }
  markUsed(script: Uint8Array, batch: WalletBatch): void {
    if (this.isUsed(script)) return;
    const row = this.#row(script);
    this.#used[row] = 1;
    this.#write(row, script, batch);
  }
  /**
   * Returns the rows of labelled addresses in the order in which they were added. The address of a row never changes.
   * The method reads one column of numbers and creates no object per address.
   * @param label null: any label
   */
  rowsOf(label: string | null): Int32Array {
    const id = label === null ? null : this.#textIds.get(label);
    const rows = new Int32Array(id === undefined ? 0 : this.#table.rows);
    let count = 0;
    for (let row = 0; row < rows.length; row++) {
      const held = this.#labels[row];
      if (held !== UNLABELLED && (id === null || held === id)) rows[count++] = row;
    }
    return rows.slice(0, count);
  }
  /** Returns a copy of the output script of a row. */
  scriptAt(row: number): Uint8Array {
    return new Uint8Array(this.#table.key(row));
  }
  purposeAt(row: number): Purpose {
    return PURPOSES[this.#purposes[row]];
  }
  /** Returns the labels in use, each once. @param purpose only labels of addresses with this purpose; empty: all */
  labels(purpose: string): string[] {
    const seen = new Uint8Array(this.#texts.length);
    for (let row = 0; row < this.#table.rows; row++) {
      if (this.#labels[row] !== UNLABELLED && (purpose === '' || PURPOSES[this.#purposes[row]] === purpose)) seen[this.#labels[row]] = 1;
    }
    return this.#texts.filter((_, id) => seen[id] === 1);
  }

  /** Saves the book to an image, or restores it from one. */
  transferImage(at: TableImage): void {
    this.#table.transferImage(at);
    this.#edition++;
    const { rows } = this.#table;
    this.#labels = at.column(this.#labels, rows);
    this.#purposes = at.column(this.#purposes, rows);
    this.#used = at.column(this.#used, rows);
    const texts = at.bytes(() => packRow(this.#texts));
    if (at.restoring) this.#restoreTexts(unpackRow(texts).map(String));
  }

  load(script: Uint8Array, value: Uint8Array): void {
    const [label, purpose, used] = unpackRow(value);
    const row = this.#row(script);
    this.#edition++;
    if (typeof label === 'string') this.#setLabel(row, label);
    this.#purposes[row] = Number(purpose);
    this.#used[row] = used === true ? 1 : 0;
  }

  #setLabel(row: number, label: string): void {
    const before = this.#labels[row];
    const id = this.#textIds.get(label) ?? this.#freeTexts.pop() ?? this.#texts.length;
    if (id === before) return;
    this.#texts[id] = label;
    this.#textIds.set(label, id);
    this.#uses[id] = (this.#uses[id] ?? 0) + 1;
    this.#labels[row] = id;
    if (before === UNLABELLED || --this.#uses[before] > 0) return;
    this.#textIds.delete(this.#texts[before]);
    this.#texts[before] = '';
    this.#freeTexts.push(before);
  }
  #restoreTexts(texts: string[]): void {
    this.#texts = texts;
    this.#uses = texts.map(() => 0);
    for (let row = 0; row < this.#table.rows; row++) if (this.#labels[row] !== UNLABELLED) this.#uses[this.#labels[row]]++;
    this.#freeTexts = [];
    this.#textIds.clear();
    for (const [id, text] of texts.entries()) {
      if (this.#uses[id] > 0) this.#textIds.set(text, id);
      else this.#freeTexts.push(id);
    }
  }
  #row(script: Uint8Array): number {
    const before = this.#table.rows;
    const row = this.#table.add(script);
    this.#labels = grown(this.#labels, row);
    this.#purposes = grown(this.#purposes, row);
    this.#used = grown(this.#used, row);
    if (row >= before) this.#labels[row] = UNLABELLED;
    return row;
  }
  #write(row: number, script: Uint8Array, batch: WalletBatch): void {
    const label = this.#labels[row] === UNLABELLED ? null : this.#texts[this.#labels[row]];
    batch.put(walletKey(WALLET_PREFIX.address, script), packRow([label, this.#purposes[row], this.#used[row] === 1]));
  }
}

/** Returns the purpose of an address by the ownership of its script. */
export const purposeOf = (ownership: number): Purpose => (ownership === OWNERSHIP.NO ? 'send' : 'receive');
