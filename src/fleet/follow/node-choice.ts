// Chooses the node that a front follows. Pure: callers pass facts of nodes and the time.
//
//   most work            the node whose tip has the most work
//   equal work           the tip that this front saw first; on that tip the followed node, unless another node's template
//                        pays more by the margin
//   excluded             nodes that are silent for the timeout, stopping, or still starting
//   never                a tip with less work than the followed one, unless the node that reported that tip went back itself
//                        in the same run
import type { NodeFact } from '../messages.js';

export interface ChoiceOptions {
  readonly timeoutMs: number;
  /** Satoshis by which another node's template on the same tip must pay more before the front follows that node. */
  readonly marginSats: number;
}

/** A node as this front sees it. */
export interface SeenNode {
  readonly name: string;
  /** The node's newest fact; null until the first fact arrives. */
  readonly fact: NodeFact | null;
  readonly run: string;
  readonly lastFactMs: number;
}

/** The followed node, with its last accepted fact. */
export interface FollowedNode extends SeenNode {
  readonly fact: NodeFact;
}

interface Node extends SeenNode {
  fact: NodeFact | null;
  run: string;
  lastFactMs: number;
}

/** Number of tips whose order of arrival is remembered. */
const MOST_TIPS = 256;

export class NodeChoice {
  readonly #options: ChoiceOptions;
  readonly #nodes = new Map<string, Node>();
  /** Position of each tip in the order of arrival. */
  readonly #seen = new Map<string, number>();
  #seenCount = 0;
  /** The followed node as of the last time it was the best one. Later facts of a node that is not the best do not show here. */
  #followed: FollowedNode | null = null;
  /** The followed tip, with the node and the run that reported it. */
  #tip: { readonly workHex: string; readonly hashHex: string; node: string; run: string } | null = null;

  constructor(options: ChoiceOptions, names: readonly string[]) {
    this.#options = options;
    for (const name of names) this.#nodes.set(name, { name, fact: null, run: '', lastFactMs: Number.NEGATIVE_INFINITY });
  }

  get nodes(): readonly SeenNode[] {
    return [...this.#nodes.values()];
  }

  /** The followed node, alive or not; null before the first choice. */
  get followed(): FollowedNode | null {
    return this.#followed;
  }

  node(name: string): SeenNode | undefined {
    return this.#nodes.get(name);
  }

  /** Stores a fact of a node. Callers drop facts that are older than the newest of the same run. */
  takeFact(name: string, run: string, fact: NodeFact, nowMs: number): void {
    const node = this.#nodes.get(name);
    if (!node) return;
    const given = this.#tip;
    // The node that reported the followed tip went back to less work in the same run, so this tip no longer sets the minimum.
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

  /** Returns true if a node's facts count now. */
  isAlive(node: SeenNode, nowMs: number): boolean {
    return node.fact?.ready === true && nowMs - node.lastFactMs < this.#options.timeoutMs;
  }

  /** Nodes that accept calls now: the followed one first, then by work. */
  callable(nowMs: number): readonly SeenNode[] {
    const able = [...this.#nodes.values()].filter((node) => this.isAlive(node, nowMs) && !node.fact?.stopping);
    return able.sort((a, b) => Number(this.#isFollowed(b)) - Number(this.#isFollowed(a)) || compare(work(b), work(a)));
  }

  /** Chooses a node. @returns the previous one if none is better; null if no fact has arrived yet */
  choose(nowMs: number): FollowedNode | null {
    const floor = this.#tip;
    let best: Node | null = null;
    for (const node of this.#nodes.values()) {
      if (!this.isAlive(node, nowMs)) continue;
      // A stopping node is left as soon as another node has its tip.
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

  /** Returns true if nodes that are alive have different tips. */
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
      // The followed tip counts as the first one, even after its arrival has been forgotten.
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

/** Satoshis that the newest template on a node's tip pays; 0 without one. */
function pays({ tip, template }: NodeFact): number {
  return template !== null && template.prevHashHex === tip.hashHex ? template.coinbaseValue : 0;
}
