// Queue of items by due time, earliest first. Due times are the clock plus one of a few fixed delays, so nearly all
// arrive in order. Each item goes to the end of the first lane whose last item is not later; there are as many lanes as
// delays, and more after the clock was set back. Adding and removing take a few steps, however many items wait. A heap
// of thousands needs a dozen for each.

/** An item that may wait. The queue maintains the last three fields. */
export interface DueItem {
  dueMs: number;
  /** Null while the item is not in the queue. */
  lane: Lane | null;
  before: DueItem | null;
  after: DueItem | null;
}

/** Items in order of time. */
interface Lane {
  first: DueItem;
  last: DueItem;
}

export class DueQueue<T extends DueItem> {
  /** Lanes, latest end first. */
  readonly #lanes: Lane[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Returns the item that is due first. */
  peek(): T | undefined {
    let first: DueItem | undefined;
    for (const lane of this.#lanes) if (first === undefined || lane.first.dueMs < first.dueMs) first = lane.first;
    return first as T | undefined;
  }

  /** Adds an item that is not in the queue. */
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

  /** Removes an item. Does nothing if it is not in the queue. */
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

  /** Restores the order of lanes after a lane became empty or ends earlier. */
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
