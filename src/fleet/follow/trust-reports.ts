// Log lines of a front that is connected to its broker and yet follows no node: nothing arrives, or what arrives cannot
// be trusted. Each line says what to check, since nothing else would tell an operator.
import { claimedNode } from '../signed.js';

/** A front that is connected for this long without a publication that it trusts is reported. */
const SILENCE_MS = 10_000;
const REPEAT_MS = 300_000;
/** Names of nodes in publications that are refused: each is reported once, up to this many. */
const MOST_NAMES = 16;

export class TrustReports {
  readonly #nodes: readonly string[];
  readonly #chain: string;
  readonly #warn: (text: string) => void;
  readonly #refused = new Set<string>();
  #connectedMs: number | null = null;
  #isTrusted = false;
  #saidMs = Number.NEGATIVE_INFINITY;

  /** @param nodes names of -fleetnode @param chain Core's name of the network @param warn writes a sentence to the log */
  constructor(nodes: readonly string[], chain: string, warn: (text: string) => void) {
    this.#nodes = nodes;
    this.#chain = chain;
    this.#warn = warn;
  }

  /** A publication of a known node arrived, with the right signature. */
  accepted(): void {
    this.#isTrusted = true;
  }

  /** A publication arrived that cannot be trusted. Reports the name in it once. */
  refused(bytes: Uint8Array): void {
    if (this.#refused.size >= MOST_NAMES) return;
    const claimed = claimedNode(bytes);
    if (claimed === null || this.#refused.has(claimed.node)) return;
    this.#refused.add(claimed.node);
    if (claimed.chain !== this.#chain) this.#warn(`a node named ${claimed.node} publishes for ${claimed.chain}, not for ${this.#chain}.`);
    else if (this.#nodes.includes(claimed.node))
      this.#warn(`what ${claimed.node} publishes is not signed with its key in -fleetnode. Copy the key from the log of that node.`);
    else if (!this.#isTrusted) this.#warn(`a node named ${claimed.node} publishes, but no -fleetnode names it.`);
  }

  /** Reports that no node is heard. Called several times a second. */
  check(connected: boolean, nowMs: number): void {
    if (!connected || this.#isTrusted) {
      this.#connectedMs = null;
      return;
    }
    this.#connectedMs ??= nowMs;
    if (nowMs - this.#connectedMs < SILENCE_MS || nowMs - this.#saidMs < REPEAT_MS) return;
    this.#saidMs = nowMs;
    this.#warn(
      `connected to the broker, but none of the nodes ${this.#nodes.join(', ')} is heard. Check that they run with -fleet, that the broker's account of these fronts imports adit.${this.#chain}.>, and the keys in -fleetnode.`,
    );
  }
}
