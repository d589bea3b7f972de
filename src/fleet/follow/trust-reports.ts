// Logs why a front that is connected to its broker does not follow a node: it receives nothing, or nothing that it can
// trust.
import { claimedNode } from '../signed.js';

/** Time without a trusted publication after which a connected front logs a line. */
const SILENCE_MS = 10_000;
const REPEAT_MS = 300_000;
/** Maximum number of names of nodes with refused publications to report. Each name is reported once. */
const MOST_NAMES = 16;

export class TrustReports {
  readonly #nodes: readonly string[];
  readonly #chain: string;
  readonly #warn: (text: string) => void;
  readonly #refused = new Set<string>();
  #connectedMs: number | null = null;
  #isTrusted = false;
  #reportedMs = Number.NEGATIVE_INFINITY;

  /** @param nodes names of -fleetnode @param chain Core's name of the network @param warn writes a sentence to the log */
  constructor(nodes: readonly string[], chain: string, warn: (text: string) => void) {
    this.#nodes = nodes;
    this.#chain = chain;
    this.#warn = warn;
  }

  /** Called for a publication of a known node with a valid signature. */
  accepted(): void {
    this.#isTrusted = true;
  }

  /** Called for a publication that cannot be trusted. Reports the node's name once. */
  refused(bytes: Uint8Array): void {
    if (this.#refused.size >= MOST_NAMES) return;
    const claimed = claimedNode(bytes);
    if (claimed === null || this.#refused.has(claimed.node)) return;
    this.#refused.add(claimed.node);
    if (claimed.chain !== this.#chain)
      this.#warn(
        `a node named ${claimed.node} publishes for ${claimed.chain}, not for ${this.#chain}. Run fronts and nodes on the same network.`,
      );
    else if (this.#nodes.includes(claimed.node))
      this.#warn(`publications of ${claimed.node} are not signed with its key in -fleetnode. Copy the key from the log of that node.`);
    else if (!this.#isTrusted)
      this.#warn(
        `a node named ${claimed.node} publishes, but no -fleetnode names it. Add -fleetnode=${claimed.node}:KEY with the key from its log.`,
      );
  }

  /** Reports that no publications arrive. Called several times a second. */
  check(connected: boolean, nowMs: number): void {
    if (!connected || this.#isTrusted) {
      this.#connectedMs = null;
      return;
    }
    this.#connectedMs ??= nowMs;
    if (nowMs - this.#connectedMs < SILENCE_MS || nowMs - this.#reportedMs < REPEAT_MS) return;
    this.#reportedMs = nowMs;
    this.#warn(
      `connected to the broker, but received nothing from the nodes ${this.#nodes.join(', ')}. Check that they run with -fleet, that the broker's account of these fronts imports adit.${this.#chain}.>, and the keys in -fleetnode.`,
    );
  }
}
