// A long sorted list of slots of which few change at a time. Changed slots are sorted and inserted, everything between
// is moved as a block, without allocating memory.

export class SortedSlots {
  #slots = new Int32Array(0);
  #length = 0;

  /** The slots, best first. Valid until the next update. */
  get list(): Int32Array {
    return this.#slots.subarray(0, this.#length);
  }

  /**
   * Updates the list.
   * @param stale 1 for slots of the list that left or changed
   * @param fresh slots that are new or changed
   * @param compare by the figures after the change; 0 only for a slot and itself
   */
  update(stale: Uint8Array, fresh: Int32Array, compare: (a: number, b: number) => number): void {
    this.#drop(stale);
    if (fresh.length === 0) return;
    const sorted = fresh.slice().sort(compare);
    this.#ensureCapacity(this.#length + sorted.length);
    const slots = this.#slots;
    // Works from the end, so that a block is moved only to places whose content was moved already.
    let end = this.#length;
    for (let i = sorted.length - 1; i >= 0; i--) {
      let low = 0;
      for (let high = end; low < high; ) {
        const middle = (low + high) >> 1;
        if (compare(sorted[i], slots[middle]) < 0) high = middle;
        else low = middle + 1;
      }
      slots.copyWithin(low + i + 1, low, end);
      slots[low + i] = sorted[i];
      end = low;
    }
    this.#length += sorted.length;
  }

  #drop(stale: Uint8Array): void {
    const slots = this.#slots;
    const length = this.#length;
    let remaining = 0;
    while (remaining < length && stale[slots[remaining]] === 0) remaining++;
    for (let i = remaining + 1; i < length; i++) if (stale[slots[i]] === 0) slots[remaining++] = slots[i];
    this.#length = remaining;
  }

  #ensureCapacity(length: number): void {
    if (length <= this.#slots.length) return;
    const wider = new Int32Array(Math.ceil(length * 1.25));
    wider.set(this.list);
    this.#slots = wider;
  }
}
