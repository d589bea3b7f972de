// What a peer asked for with getdata and has not got yet, as the bytes it came in: fifty thousand entries of one
// message cost a peer two megabytes, not fifty thousand objects.
import { INV_ENTRY_BYTES, type InvItem, invItem } from './wire/messages.js';

export class Wanted {
  /** Entries of one message each, the first being worked off. */
  #lists: Uint8Array[] = [];
  #at = 0;
  #first: InvItem | undefined;

  get some(): boolean {
    return this.#lists.length > 0;
  }

  /** @param entries type and hash of each, 36 bytes an entry, as in inv; kept, not copied */
  add(entries: Uint8Array): void {
    if (entries.length > 0) this.#lists.push(entries);
  }

  /** The entry that is next. */
  get first(): InvItem | undefined {
    const list = this.#lists[0];
    if (list === undefined) return undefined;
    this.#first ??= invItem(list, this.#at);
    return this.#first;
  }

  /** It was dealt with. */
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
