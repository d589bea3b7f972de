// Entries of getdata that are not answered yet, stored as the bytes received: 50,000 entries of one message take two
// megabytes instead of 50,000 objects.
import { INV_ENTRY_BYTES, type InvItem, invItem } from './wire/messages.js';

export class Wanted {
  /** Entries of one message each; the first is being answered. */
  #lists: Uint8Array[] = [];
  #at = 0;
  #first: InvItem | undefined;

  get some(): boolean {
    return this.#lists.length > 0;
  }

  /** @param entries type and hash, 36 bytes per entry, as in inv; stored, not copied */
  add(entries: Uint8Array): void {
    if (entries.length > 0) this.#lists.push(entries);
  }

  /** Next entry. */
  get first(): InvItem | undefined {
    const list = this.#lists[0];
    if (list === undefined) return undefined;
    this.#first ??= invItem(list, this.#at);
    return this.#first;
  }

  /** Removes the next entry. */
  drop(): void {
    const list = this.#lists[0];
    if (list === undefined) return;
    this.#first = undefined;
    this.#at += INV_ENTRY_BYTES;
    if (this.#at < list.length) return;
    this.#lists.shift();
    this.#at = 0;
  }
}
