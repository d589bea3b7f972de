// Which node a front follows. Pure: told what nodes say and what time it is.
//
//   most work            the node whose tip has most
//   among equals         the tip that this front saw first; on it the node followed now, unless another pays more by the margin
//   left out             silent for the timeout, stopping, still starting
//   never                back to a tip with less work than the one followed, unless its own node gave that up in the same run
import type { NodeFact } from '../messages.js';

export interface ChoiceOptions {
  readonly timeoutMs: number;
  /** Satoshis that another node's template must pay more on the same tip. */
  readonly marginSats: number;
}

/** What is known of a node. */
export interface SeenNode {
  readonly name: string;
  /** Null before it was heard. */
  readonly fact: NodeFact | null;
  readonly run: string;
  readonly lastFactMs: number;
}

/** The node that is followed, with its newest word that counts. */
export interface FollowedNode extends SeenNode {
  readonly fact: NodeFact;
}

interface Node extends SeenNode {
  fact: NodeFact | null;
  run: string;
  lastFactMs: number;
}

/** Tips whose time of arrival is remembered. */
const MOST_TIPS = 256;

export class NodeChoice {
  readonly #options: ChoiceOptions;
  readonly #nodes = new Map<string, Node>();
  /** Tips by the order in which they were seen. */
  readonly #seen = new Map<string, number>();
  #seenCount = 0;
  /** As it was when it was last the best: what a node says while it is not does not show. */
  #followed: FollowedNode | null = null;
  /** The tip that is followed, with the node's run that told of it. */
  #tip: { readonly workHex: string; readonly hashHex: string; node: string; run: string } | null = null;

  constructor(options: ChoiceOptions, names: readonly string[]) {
    this.#options = options;
    for (const name of names) this.#nodes.set(name, { name, fact: null, run: '', lastFactMs: Number.NEGATIVE_INFINITY });
  }

  get nodes(): readonly SeenNode[] {
    return [...this.#nodes.values()];
  }

  /** The node that is followed, alive or not; null before the first. */
  get followed(): FollowedNode | null {
    return this.#followed;
  }

  node(name: string): SeenNode | undefined {
    return this.#nodes.get(name);
  }

  /** Takes a fact. Older ones than the newest of a run must not get here. */
  takeFact(name: string, run: string, fact: NodeFact, nowMs: number): void {
    const node = this.#nodes.get(name);
    if (!node) return;
    const given = this.#tip;
    // It had this tip itself, in this run, and has gone back: the tip was taken back by the node that gave it.
    if (given?.node === name && given.run === run && fact.tip.chainWorkHex < given.workHex) this.#tip = null;
    node.fact = fact;
    node.run = run;
    node.lastFactMs = nowMs;
    const { hashHex } = fact.tip;
    if (this.#seen.has(hashHex)) return;
    this.#seen.set(hashHex, this.#seenCount++);
    if (this.#seen.size <= MOST_TIPS) return;
    for (const first of this.#seen.keys()) {
      this.#seen.delete(first);
      break;
    }
  }

  /** Whether a node's word counts now. */
  isAlive(node: SeenNode, nowMs: number): boolean {
    return node.fact?.ready === true && nowMs - node.lastFactMs < this.#options.timeoutMs;
  }

  /** Nodes that take calls now, the followed one first, then those with most work. */
  callable(nowMs: number): readonly SeenNode[] {
    const able = [...this.#nodes.values()].filter((node) => this.isAlive(node, nowMs) && !node.fact?.stopping);
    return able.sort((a, b) => Number(this.#isFollowed(b)) - Number(this.#isFollowed(a)) || compare(work(b), work(a)));
  }

  /** Looks again. @returns the node to follow, the one before when none is better; null when none was ever heard */
  choose(nowMs: number): FollowedNode | null {
    const floor = this.#tip;
    let best: Node | null = null;
    for (const node of this.#nodes.values()) {
      if (!this.isAlive(node, nowMs)) continue;
      // A stopping node is left as soon as another one has its tip.
      if (floor !== null && work(node) < floor.workHex) continue;
      if (best === null || this.#isBetter(node, best)) best = node;
    }
    if (best === null) return this.#followed;
    const fact = best.fact as NodeFact;
    const { tip } = fact;
    this.#followed = { name: best.name, run: best.run, lastFactMs: best.lastFactMs, fact };
    if (floor?.hashHex !== tip.hashHex) this.#tip = { workHex: tip.chainWorkHex, hashHex: tip.hashHex, node: best.name, run: best.run };
    else if (best.name !== floor.node || best.run !== floor.run) {
      floor.node = best.name;
      floor.run = best.run;
    }
    return this.#followed;
  }

  /** Whether nodes that are alive have different tips. */
  disagree(nowMs: number): boolean {
    const tips = new Set<string>();
    for (const node of this.#nodes.values()) if (this.isAlive(node, nowMs)) tips.add((node.fact as NodeFact).tip.hashHex);
    return tips.size > 1;
  }

  #isFollowed({ name, run }: SeenNode): boolean {
    return name === this.#followed?.name && run === this.#followed.run;
  }

  #isBetter(a: Node, b: Node): boolean {
    const [first, second] = [a.fact as NodeFact, b.fact as NodeFact];
    const byWork = compare(first.tip.chainWorkHex, second.tip.chainWorkHex);
    if (byWork !== 0) return byWork > 0;
    if (first.tip.hashHex !== second.tip.hashHex) {
      // The tip in use counts as the first, also when it was seen so long ago that this is forgotten.
      const used = this.#tip?.hashHex;
      if (first.tip.hashHex === used || second.tip.hashHex === used) return first.tip.hashHex === used;
      return (this.#seen.get(first.tip.hashHex) ?? 0) < (this.#seen.get(second.tip.hashHex) ?? 0);
    }
    if (first.stopping !== second.stopping) return second.stopping;
    if (this.#isFollowed(a) || this.#isFollowed(b)) {
      const isFirstFollowed = this.#isFollowed(a);
      const [other, kept] = isFirstFollowed ? [second, first] : [first, second];
      const richer = pays(other) >= pays(kept) + this.#options.marginSats;
      return isFirstFollowed ? !richer : richer;
    }
    return pays(first) > pays(second);
  }
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const work = (node: SeenNode): string => node.fact?.tip.chainWorkHex ?? '';

/** What the newest template of a node's tip pays; nothing while it has none. */
function pays({ tip, template }: NodeFact): number {
  return template !== null && template.prevHashHex === tip.hashHex ? template.coinbaseValue : 0;
}
