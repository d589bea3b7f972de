// What is due at some time, the earliest first. Times are those of a clock plus a few fixed delays, so nearly all of
// them come in order: each goes to the end of the first lane whose last is not later, and there are as many lanes as
// delays, more after the clock was set back. Adding and removing take a few steps however many wait; a heap of
// thousands takes a dozen for each.

/** Something that may wait; the queue keeps the last three fields. */
export interface DueItem {
  dueMs: number;
  /** Null while it does not wait. */
  lane: Lane | null;
  before: DueItem | null;
  after: DueItem | null;
}

/** In order of time. */
interface Lane {
  first: DueItem;
  last: DueItem;
}

export class DueQueue<T extends DueItem> {
  /** Those that end latest first. */
  readonly #lanes: Lane[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The one that is due first. */
  peek(): T | undefined {
    let first: DueItem | undefined;
    for (const lane of this.#lanes) if (first === undefined || lane.first.dueMs < first.dueMs) first = lane.first;
    return first as T | undefined;
  }

  /** One that does not wait. */
  add(item: T): void {
    this.#size++;
    const lane = this.#lanes.find(({ last }) => last.dueMs <= item.dueMs);
    if (lane === undefined) {
      item.lane = { first: item, last: item };
      this.#lanes.push(item.lane);
      return;
    }
    item.lane = lane;
    item.before = lane.last;
    lane.last.after = item;
    lane.last = item;
  }

  /** Nothing happens when it does not wait. */
  remove(item: T): void {
    const { lane, before, after } = item;
    if (lane === null) return;
    this.#size--;
    item.lane = null;
    item.before = null;
    item.after = null;
    if (before !== null) before.after = after;
    else if (after !== null) lane.first = after;
    if (after !== null) {
      after.before = before;
      return;
    }
    if (before !== null) lane.last = before;
    this.#moveDown(lane, before === null);
  }

  /** A lane ends earlier than it did, or is empty. */
  #moveDown(lane: Lane, empty: boolean): void {
    const lanes = this.#lanes;
    let at = lanes.indexOf(lane);
    if (empty) {
      lanes.splice(at, 1);
      return;
    }
    for (let next = lanes[at + 1]; next !== undefined && next.last.dueMs > lane.last.dueMs; next = lanes[at + 1]) {
      lanes[at++] = next;
      lanes[at] = lane;
    }
  }
}
