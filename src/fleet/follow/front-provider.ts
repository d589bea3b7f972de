// Posts the followed node's templates to a front's serving threads: the same messages as on a node
// (mining/provider.ts), but without selections of its own. A client whose coinbase needs a larger reserve than the node
// keeps free gets only the template without transactions.
import { fromHex, hashFromHex } from '../../consensus/bytes/hex.js';
import type { ChainParams } from '../../consensus/params/chain-params.js';
import type { Hashes } from '../../crypto/crypto.js';
import {
  type BlockFacts,
  describeTip,
  nextFacts,
  type Reserve,
  reserveKey,
  type ServedTemplate,
  type ServedTip,
  type SharedTransactions,
  sameFacts,
  type WorkNews,
} from '../../mining/index.js';
import { commitmentScript, type TemplateFacts } from '../../template/index.js';
import { bytesOfTransactions } from './transaction-bytes.js';

export interface FrontProviderOptions {
  /** Minimum interval in milliseconds between two templates of a tip. */
  readonly intervalMs: number;
  /** Satoshis by which a template must pay more than the last one. */
  readonly feeDelta: number;
  /** Milliseconds after which any template with higher fees is sent, whatever feeDelta is; absent: never. */
  readonly refreshMs?: number;
  /** Weight limit of the nodes' templates, and the reserve that they keep free. */
  readonly maxWeight: number;
  readonly leastReserve: Reserve;
}

export interface FrontProviderDeps {
  readonly params: ChainParams;
  readonly hashes: Hashes;
  readonly post: (message: WorkNews) => void;
  readonly nowSeconds: () => number;
  readonly nowMs: () => number;
  readonly after: (ms: number, run: () => void) => () => void;
}

interface FollowedTemplate {
  readonly facts: TemplateFacts;
  /** Transactions as a JSON array; null if there are none. */
  readonly transactions: Uint8Array | null;
}

const NONE: SharedTransactions = {
  segments: [],
  segmentOf: new Int32Array(0),
  offsets: new Int32Array(0),
  lengths: new Int32Array(0),
};
const ZERO_ROOT = new Uint8Array(32);

export class FrontProvider {
  readonly #options: FrontProviderOptions;
  readonly #deps: FrontProviderDeps;
  #serial = 0;
  #latest: FollowedTemplate | null = null;
  /** The tip that clients were sent. */
  #announced: { readonly prevHashHex: string; readonly facts: BlockFacts } | null = null;
  #staged: { readonly onHeight: number; readonly facts: BlockFacts; readonly serial: number } | null = null;
  /** The last template with transactions. */
  #full: { readonly serial: number; readonly value: number; readonly weight: number } | null = null;
  #sentMs = Number.NEGATIVE_INFINITY;
  #needs: readonly Reserve[] = [];
  readonly #served = new Set<string>();
  #cancelPending: (() => void) | null = null;
  #cancelEasy: (() => void) | null = null;

  constructor(options: FrontProviderOptions, deps: FrontProviderDeps) {
    this.#options = options;
    this.#deps = deps;
  }

  /** Takes a new template of the followed node, perhaps of a new tip. */
  template(facts: TemplateFacts, transactions: Uint8Array | null): void {
    const isFirst = this.#latest === null;
    this.#latest = { facts, transactions };
    if (facts.prevHashHex !== this.#announced?.prevHashHex) this.#announceTip(facts, isFirst ? null : this.#deps.nowMs());
    this.#sendIfDue();
  }

  /** Sets the reserves that clients need now. */
  setNeeds(reserves: readonly Reserve[]): void {
    this.#needs = reserves;
    this.#sendIfDue();
  }

  /** Resets the state after the serving thread was replaced: the new thread has no tip and no templates yet. */
  onNewThread(): void {
    this.#announced = null;
    this.#staged = null;
    this.#needs = [];
    if (this.#latest) this.#announceTip(this.#latest.facts, null);
  }

  close(): void {
    this.#cancelPending?.();
    this.#cancelEasy?.();
  }

  #announceTip(facts: TemplateFacts, acceptedMs: number | null): void {
    const { post, after, nowSeconds } = this.#deps;
    const block = blockFactsOf(facts);
    const staged = this.#staged;
    const held = staged !== null && staged.onHeight === block.height && sameFacts(staged.facts, block) ? staged.serial : null;
    this.close();
    this.#cancelPending = null;
    this.#full = null;
    this.#served.clear();
    this.#sentMs = Number.NEGATIVE_INFINITY;
    const template = held === null ? this.#empty(block) : null;
    post({ kind: 'tip', tip: this.#tip(facts, acceptedMs), activate: held ?? (template?.serial as number), template });
    this.#announced = { prevHashHex: facts.prevHashHex, facts: block };
    const next = nextFacts(block, this.#deps.params);
    const stage = this.#empty(next);
    this.#staged = { onHeight: next.height, facts: next, serial: stage.serial };
    post({ kind: 'stage', template: stage });
    const waitSeconds = (facts.minDifficulty?.afterTime ?? 0) + 1 - nowSeconds();
    // Later blocks may use the minimum difficulty (testnet). They need a target, and so a SetNewPrevHash, of their own.
    if (facts.minDifficulty !== null && waitSeconds > 0) {
      this.#cancelEasy = after(waitSeconds * 1000, () => {
        if (this.#latest) this.#announceTip(this.#latest.facts, null);
        this.#sendIfDue();
      });
    }
  }

  /** Sends the newest template when it is due, and offers it to reserves that have none. */
  #sendIfDue(): void {
    const latest = this.#latest;
    if (this.#needs.length === 0 || latest === null || latest.facts.prevHashHex !== this.#announced?.prevHashHex) return;
    const { facts, transactions } = latest;
    if (transactions !== null && this.#isRicher(facts)) {
      const waitMs = this.#sentMs + this.#options.intervalMs - this.#deps.nowMs();
      if (waitMs <= 0) this.#sendFull(facts, transactions);
      else {
        this.#cancelPending ??= this.#deps.after(waitMs, () => {
          this.#cancelPending = null;
          this.#sendIfDue();
        });
      }
    }
    const full = this.#full;
    if (full === null) return;
    const { maxWeight, leastReserve } = this.#options;
    const keys = this.#needs
      .filter(({ weight, sigops }) => full.weight - leastReserve.weight + weight <= maxWeight && sigops <= leastReserve.sigops)
      .map(reserveKey)
      .filter((key) => !this.#served.has(key));
    if (keys.length === 0) return;
    for (const key of keys) this.#served.add(key);
    this.#deps.post({ kind: 'share', serial: full.serial, keys });
  }

  #isRicher({ coinbaseValue }: TemplateFacts): boolean {
    if (this.#full === null) return true;
    const { feeDelta, refreshMs = Number.POSITIVE_INFINITY } = this.#options;
    const gain = coinbaseValue - this.#full.value;
    return gain >= feeDelta || (gain > 0 && this.#deps.nowMs() - this.#sentMs >= refreshMs);
  }

  #sendFull(facts: TemplateFacts, json: Uint8Array): void {
    const { height, version, coinbaseValue: value, commitmentHex, live, weight } = facts;
    if (live === null) return;
    const serial = ++this.#serial;
    const template: ServedTemplate = {
      serial,
      kind: 'full',
      ...{ height, version, value, commitment: commitmentHex === null ? null : fromHex(commitmentHex) },
      branch: live.merkleBranchHex.map(fromHex),
      transactions: transactionsIn(json),
    };
    this.#deps.post({ kind: 'template', template, keys: [] });
    this.#full = { serial, value, weight };
    this.#sentMs = this.#deps.nowMs();
    this.#served.clear();
  }

  #empty({ height, version, subsidy, segwitActive }: BlockFacts): ServedTemplate {
    const commitment = segwitActive ? commitmentScript(ZERO_ROOT, this.#deps.hashes) : null;
    return { serial: ++this.#serial, kind: 'empty', height, version, value: subsidy, commitment, branch: [], transactions: NONE };
  }

  #tip(facts: TemplateFacts, acceptedMs: number | null): ServedTip {
    const { params, nowSeconds } = this.#deps;
    return describeTip({ hash: hashFromHex(facts.prevHashHex) }, facts, params, nowSeconds(), acceptedMs);
  }
}

function blockFactsOf({ height, version, coinbaseValue, fees, commitmentHex }: TemplateFacts): BlockFacts {
  return { height, version, subsidy: coinbaseValue - fees, segwitActive: commitmentHex !== null };
}

/** Returns the transactions in one shared buffer. */
function transactionsIn(json: Uint8Array): SharedTransactions {
  const { bytes, offsets, lengths } = bytesOfTransactions(json);
  return { segments: [bytes], segmentOf: new Int32Array(lengths.length), offsets, lengths };
}
