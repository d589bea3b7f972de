// Links between mempool transactions: two rings of links for each row, one of its parents and one of its children, in
// arrays of numbers. Each link is in one ring of either kind, so it can be removed without a search. Rings keep the
// order in which links were made.
import { NO_ROW, type Rows } from './rows.js';

const FIRST_LINKS = 256;
const NO_LINK = -1;
/**
 * Fields of a link: both rows, then its neighbours in the ring of the child's parents and in the ring of the parent's
 * children.
 */
const PARENT = 0;
const CHILD = 1;
const PARENT_RING = 2;
const CHILD_RING = 4;
const NUMBERS = 6;

export class LinkTable {
  readonly #rows: Rows;
  #links: Int32Array;
  #top = 0;
  /** First free link. Free links are chained by their parent field. */
  #free = NO_LINK;

  /** @param links what copyLinks() returned; then the table must not change */
  constructor(rows: Rows, links: Int32Array = new Int32Array(FIRST_LINKS * NUMBERS)) {
    this.#rows = rows;
    this.#links = links;
  }

  /** Returns a copy of all links in shared memory. */
  copyLinks(): Int32Array {
    const copy = new Int32Array(new SharedArrayBuffer(this.#top * Int32Array.BYTES_PER_ELEMENT));
    copy.set(this.#links.subarray(0, this.#top));
    return copy;
  }

  /** Clears the links of a row that is being reused. */
  clear(row: number): void {
    this.#rows.parents[row] = NO_LINK;
    this.#rows.children[row] = NO_LINK;
  }

  hasParents(row: number): boolean {
    return this.#rows.parents[row] !== NO_LINK;
  }

  hasChildren(row: number): boolean {
    return this.#rows.children[row] !== NO_LINK;
  }

  parents(row: number): number[] {
    return this.#listed(this.#rows.parents[row], PARENT, PARENT_RING);
  }

  children(row: number): number[] {
    return this.#listed(this.#rows.children[row], CHILD, CHILD_RING);
  }

  isParent(parent: number, child: number): boolean {
    const links = this.#links;
    const head = this.#rows.parents[child];
    if (head === NO_LINK) return false;
    let at = head;
    do {
      if (links[at + PARENT] === parent) return true;
      at = links[at + PARENT_RING];
    } while (at !== head);
    return false;
  }

  /** Links two rows that are not linked yet. */
  link(parent: number, child: number): void {
    const at = this.#allocate();
    this.#links[at + PARENT] = parent;
    this.#links[at + CHILD] = child;
    this.#rows.parents[child] = this.#append(this.#rows.parents[child], at, PARENT_RING);
    this.#rows.children[parent] = this.#append(this.#rows.children[parent], at, CHILD_RING);
  }

  /**
   * Removes all links of a row.
   * @returns number of links removed
   */
  unlinkAll(row: number): number {
    let count = 0;
    for (let at = this.#rows.parents[row]; at !== NO_LINK; at = this.#rows.parents[row]) {
      this.#remove(at);
      count++;
    }
    for (let at = this.#rows.children[row]; at !== NO_LINK; at = this.#rows.children[row]) {
      this.#remove(at);
      count++;
    }
    return count;
  }

  #listed(head: number, number: number, ring: number): number[] {
    const found: number[] = [];
    if (head === NO_LINK) return found;
    const links = this.#links;
    let at = head;
    do {
      found.push(links[at + number]);
      at = links[at + ring];
    } while (at !== head);
    return found;
  }

  #allocate(): number {
    const reused = this.#free;
    if (reused !== NO_LINK) {
      this.#free = this.#links[reused + PARENT];
      return reused;
    }
    if (this.#top === this.#links.length) {
      const grown = new Int32Array(this.#links.length * 2);
      grown.set(this.#links);
      this.#links = grown;
    }
    const at = this.#top;
    this.#top += NUMBERS;
    return at;
  }

  /**
   * Appends a link to a ring.
   * @returns the ring's head
   */
  #append(head: number, at: number, ring: number): number {
    const links = this.#links;
    if (head === NO_LINK) {
      links[at + ring] = at;
      links[at + ring + 1] = at;
      return at;
    }
    const tail = links[head + ring + 1];
    links[at + ring] = head;
    links[at + ring + 1] = tail;
    links[tail + ring] = at;
    links[head + ring + 1] = at;
    return head;
  }

  #remove(at: number): void {
    const links = this.#links;
    const { parents, children } = this.#rows;
    const parent = links[at + PARENT];
    const child = links[at + CHILD];
    parents[child] = this.#cut(parents[child], at, PARENT_RING);
    children[parent] = this.#cut(children[parent], at, CHILD_RING);
    links[at + PARENT] = this.#free;
    links[at + CHILD] = NO_ROW;
    this.#free = at;
  }

  #cut(head: number, at: number, ring: number): number {
    const links = this.#links;
    const next = links[at + ring];
    if (next === at) return NO_LINK;
    const before = links[at + ring + 1];
    links[before + ring] = next;
    links[next + ring + 1] = before;
    return head === at ? next : head;
  }
}
