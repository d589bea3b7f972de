// Tests the first pass over long chains of little work, before their headers are stored. A model that sees all headers
// at once and knows only sums of work gives the expected results. Chains have random work and are cut into batches
// anywhere. Honest and dishonest peers send them alternately.

import t from 'tap';
import type { HeaderNode } from '../../../src/chain/tree/header-node.js';
import { type HeaderView, parseHeader } from '../../../src/consensus/block/header-view.js';
import { toHex } from '../../../src/consensus/bytes/hex.js';
import type { ChainParams } from '../../../src/consensus/params/chain-params.js';
import { chainParams } from '../../../src/consensus/params/networks.js';
import { createNativeCrypto } from '../../../src/crypto/native/index.js';
import type { NetContext } from '../../../src/net/context.js';
import type { Peer } from '../../../src/net/peer/peer.js';
import { HeadersPresync } from '../../../src/net/sync/headers-presync.js';
import { fc } from '../../framework/fast-check.js';

const crypto = createNativeCrypto();
const regtest = chainParams('regtest');
/**
 * Small figures, so that chains of hundreds of headers show what chains of hundreds of thousands would. A dishonest
 * peer would have to guess 40 bits.
 */
const FIGURES = { period: 3, buffer: 120 };
/** The work of each value of nBits, written out. */
const WORK = new Map([
  [0x207fffff, 2],
  [0x207ffffd, 2],
  [0x207ffffc, 2],
  [0x203fffff, 4],
  [0x201fffff, 8],
  [0x201ffffe, 8],
]);
const NOW = 1_700_000_000;

/** Builds a header on a parent. */
function header(prev: Uint8Array, bits: number, salt: number): HeaderView {
  const bytes = new Uint8Array(80);
  const view = new DataView(bytes.buffer);
  view.setInt32(0, 0x20000000, true);
  bytes.set(prev, 4);
  view.setUint32(36, salt, true);
  view.setUint32(68, NOW - 1_000, true);
  view.setUint32(72, bits, true);
  // Compare only the top byte of the hash with the target. This is enough, because all of these targets begin with 7f,
  // 3f or 1f.
  const top = (bits >> 16) & 0x7f;
  for (let nonce = 0; ; nonce++) {
    view.setUint32(76, nonce, true);
    const parsed = parseHeader(bytes.slice(), crypto);
    const highest = parsed.hash[31] as number;
    if (highest < top) return parsed;
  }
}

let salts = 0;
function chainOf(prev: Uint8Array, bits: readonly number[]): HeaderView[] {
  const chain: HeaderView[] = [];
  let last = prev;
  for (const one of bits) {
    const view = header(last, one, ++salts);
    chain.push(view);
    last = view.hash;
  }
  return chain;
}

const START = { hash: new Uint8Array(32).fill(7), work: 1_000n, height: 10 };
/** The block at which every chain begins, with the fields that the guard (presync) reads. */
const start = {
  hash: START.hash,
  bits: 0x207fffff,
  height: START.height,
  chainWork: START.work,
  prev: null,
  medianTimePast: () => NOW - 2_000,
  // Every locator ends with this block.
  ancestor: () => ({ hash: new Uint8Array(32), height: 0 }),
} as unknown as HeaderNode;

/** Makes a guard and records its actions. */
function guard(minimumChainWork: bigint, params: ChainParams = regtest, medianAgo = 2_000) {
  const asked: [Peer, readonly Uint8Array[]][] = [];
  const blamed: string[] = [];
  const parent = Object.assign(Object.create(start), { medianTimePast: () => NOW - medianAgo }) as HeaderNode;
  const context = {
    chain: { tip: { bits: 0x207fffff, chainWork: 0n }, minimumChainWork },
    clock: { nowSeconds: () => NOW },
    log: { debug: () => {} },
    params: { ...params, headersSync: FIGURES },
    misbehaving: (_: Peer, score: number, reason: string) => blamed.push(`${score} ${reason}`),
  } as unknown as NetContext;
  const presync = new HeadersPresync(context, (peer, locator) => asked.push([peer, locator]));
  return { presync, asked, blamed, parent };
}

const peerOf = (id: number): Peer => ({ id, permissions: { noban: false }, sync: {} }) as unknown as Peer;

/**
 * A peer that answers requests in batches of a given size. It serves one chain at first, and another one when the
 * request begins at the start again.
 */
class Teller {
  readonly released: HeaderView[] = [];
  /** Headers that would be stored: those that the guard released, and those it no longer checks. */
  readonly taken: HeaderView[] = [];
  mostHeaders = 0;
  mostBits = 0;
  readings = 0;
  #next: { readonly from: Uint8Array } | null = { from: START.hash };
  readonly peer: Peer;

  constructor(
    private readonly presync: HeadersPresync,
    readonly tales: readonly (readonly HeaderView[])[],
    private readonly batch: number,
    private readonly parent: HeaderNode,
    id = 1,
  ) {
    this.peer = peerOf(id);
  }

  asked(locator: readonly Uint8Array[]): void {
    this.#next = { from: locator[0] as Uint8Array };
  }

  /** Sends one batch. @returns false if there was nothing to send */
  step(): boolean {
    if (this.#next === null) return false;
    const { from } = this.#next;
    this.#next = null;
    const fromStart = toHex(from) === toHex(START.hash);
    if (fromStart) this.readings++;
    const tale = this.tales[Math.min(this.readings, this.tales.length) - 1] as readonly HeaderView[];
    const at = fromStart ? 0 : tale.findIndex(({ hash }) => toHex(hash) === toHex(from)) + 1;
    const views = tale.slice(at, at + this.batch);
    if (views.length === 0) {
      this.presync.forgetPeer(this.peer);
      return false;
    }
    const full = views.length === this.batch;
    const held = this.presync.takeHeaders(this.peer, views, full);
    if (held === null) {
      const before = tale.slice(0, at);
      const parent = Object.assign(Object.create(this.parent), { chainWork: workOf(before), height: START.height + at }) as HeaderNode;
      if (this.presync.startPresync(this.peer, parent, views, full)) this.#note();
      else {
        // The headers are stored as usual. After a full message, the node requests the next ones.
        this.taken.push(...views);
        if (full) this.#next = { from: (views.at(-1) as HeaderView).hash };
      }
      return this.#next !== null;
    }
    if (held !== 'held') {
      this.released.push(...held);
      this.taken.push(...held);
    }
    this.#note();
    return this.#next !== null;
  }

  #note(): void {
    const { headers, bits } = this.presync.held(this.peer);
    this.mostHeaders = Math.max(this.mostHeaders, headers);
    this.mostBits = Math.max(this.mostBits, bits);
  }
}

const workOf = (views: readonly HeaderView[]): bigint =>
  views.reduce((sum, { bits }) => sum + BigInt(WORK.get(bits) as number), START.work);
const hashesOf = (views: readonly HeaderView[]): string[] => views.map(({ hash }) => toHex(hash));
const same = (a: readonly string[], b: readonly string[]): boolean => a.length === b.length && a.every((one, i) => one === b[i]);

const bitsOf = (most: number) => fc.array(fc.constantFrom(...WORK.keys()), { minLength: 1, maxLength: most });
const batches = fc.integer({ min: 1, max: 60 });

/** Returns the headers of an honest peer that the model stores: all or none. */
function modelHonest(chain: readonly HeaderView[], wanted: bigint): readonly HeaderView[] {
  return workOf(chain) >= wanted ? chain : [];
}

/** Lets one peer send everything it has. */
function tell(tales: readonly (readonly HeaderView[])[], batch: number, wanted: bigint) {
  const { presync, asked, blamed, parent } = guard(wanted);
  const teller = new Teller(presync, tales, batch, parent);
  let more = true;
  for (let i = 0; more && i < 2_000; i++) {
    more = teller.step();
    for (const [, locator] of asked.splice(0)) {
      teller.asked(locator);
      more = true;
    }
  }
  return { teller, blamed, presync };
}

t.test('accepts an honest header chain completely if it has enough work, and not at all otherwise', async (t) => {
  const property = fc.property(bitsOf(300), batches, fc.integer({ min: 1, max: 130 }), (bits, batch, percent) => {
    const chain = chainOf(START.hash, bits);
    // The required work is less than, equal to or more than the work of the chain.
    const wanted = START.work + ((workOf(chain) - START.work) * BigInt(percent)) / 100n;
    const { teller, blamed, presync } = tell([chain], batch, wanted);
    const expected = modelHonest(chain, wanted);
    if (blamed.length > 0) throw new Error(`blamed: ${blamed[0]}`);
    // Headers beyond the required work are stored without a second check, so all of the batch sizes end with the same
    // chain.
    if (!same(hashesOf(teller.taken), hashesOf(expected))) throw new Error(`${teller.taken.length} taken of ${expected.length}`);
    return !presync.reads(teller.peer) && teller.mostHeaders <= FIGURES.buffer + batch;
  });
  fc.assert(property, { numRuns: 60 });
  t.pass('60 chains');
});

t.test('stores no headers of a peer that sends another low-work chain in the second pass', async (t) => {
  const property = fc.property(
    bitsOf(300),
    bitsOf(500),
    fc.integer({ min: 0, max: 300 }),
    batches,
    fc.boolean(),
    (bits, otherBits, fork, batch, easier) => {
      const first = chainOf(START.hash, bits);
      const common = first.slice(0, fork);
      const rest = chainOf(common.at(-1)?.hash ?? START.hash, easier ? otherBits.map(() => 0x207fffff) : otherBits);
      const second = [...common, ...rest];
      const wanted = workOf(first);
      const { teller, presync } = tell([first, second, first], batch, wanted);
      const { released } = teller;
      // The stored headers are always a prefix of what the peer sent last.
      const received = teller.readings === 2 ? second : first;
      if (!same(hashesOf(released), hashesOf(received.slice(0, released.length)))) throw new Error('released what was not told so');
      const falseOnes = teller.readings === 2 ? Math.max(0, released.length - common.length) : 0;
      // Headers of the second chain may pass if this chain has the required work itself, or if the peer has guessed 40
      // bits.
      if (falseOnes > 0 && workOf(second) < wanted) throw new Error(`${falseOnes} false headers of too little work`);
      // Some headers of the true chain pass before the required work is reached. The ones in the buffer must still
      // wait.
      const early = workOf(received) < wanted;
      if (early && released.length > Math.max(0, received.length - FIGURES.buffer)) throw new Error('the buffer was given away');
      return !presync.reads(teller.peer) && teller.mostHeaders <= FIGURES.buffer + batch;
    },
  );
  fc.assert(property, { numRuns: 60 });
  t.pass('60 tales');

  // The attack that the bits prevent: a short chain with much work in the first pass, then a long chain with little
  // work in the second pass, longer than the buffer.
  const long = fc.property(fc.integer({ min: 0, max: 10 }), fc.integer({ min: 200, max: 220 }), batches, (fork, length, batch) => {
    const first = chainOf(START.hash, new Array<number>(70).fill(0x201fffff));
    const common = first.slice(0, fork);
    const second = [...common, ...chainOf(common.at(-1)?.hash ?? START.hash, new Array<number>(length - fork).fill(0x207fffff))];
    // The second pass ends at the first wrong bit, and half of the bits are wrong.
    const { teller } = tell([first, second], batch, workOf(first));
    return teller.readings === 2 && teller.taken.length === 0 && teller.mostHeaders < FIGURES.buffer + batch;
  });
  fc.assert(long, { numRuns: 40 });
  t.pass('40 long tales');
});

t.test('stops reading an endless low-work chain once it exceeds the possible number of headers', async (t) => {
  // Time allows six headers per second since the median time of the start. One bit is stored for every three headers;
  // one bit more ends the first pass.
  const property = fc.property(fc.integer({ min: 1, max: 80 }), fc.integer({ min: 1, max: 60 }), (batch, secondsOverTwoHours) => {
    const chain = chainOf(START.hash, new Array<number>(600).fill(0x207fffff));
    const { presync, asked, blamed, parent } = guard(1_000_000n, regtest, secondsOverTwoHours - 7_200);
    const teller = new Teller(presync, [chain], batch, parent);
    let more = true;
    while (more) {
      more = teller.step();
      for (const [, locator] of asked.splice(0)) {
        teller.asked(locator);
        more = true;
      }
    }
    const most = Math.floor((6 * secondsOverTwoHours) / FIGURES.period);
    if (teller.mostBits > most) throw new Error(`${teller.mostBits} bits, ${most} allowed`);
    return teller.taken.length === 0 && blamed.length === 0 && !presync.reads(teller.peer) && teller.mostHeaders === 0;
  });
  fc.assert(property, { numRuns: 8 });
  t.pass('8 chains');
});

t.test('reads interleaved header chains of several peers as it would read each alone', async (t) => {
  const many = fc.array(fc.tuple(bitsOf(150), batches, fc.integer({ min: 50, max: 150 })), { minLength: 2, maxLength: 5 });
  const property = fc.property(many, fc.array(fc.nat(), { minLength: 1, maxLength: 40 }), (peers, turns) => {
    const wanted = START.work + 300n;
    const { presync, asked, parent } = guard(wanted);
    const tellers = peers.map(([bits, batch], id) => new Teller(presync, [chainOf(START.hash, bits)], batch, parent, id));
    for (let i = 0, idle = 0; idle < tellers.length * 3 && i < 5_000; i++) {
      // The peers send in random order first, and then one after the other, so that all of them finish.
      const teller = tellers[(i < turns.length ? (turns[i] as number) : i) % tellers.length] as Teller;
      const moved = teller.step();
      for (const [peer, locator] of asked.splice(0)) tellers.find((one) => one.peer === peer)?.asked(locator);
      idle = moved ? 0 : idle + 1;
    }
    return tellers.every((teller, i) => {
      const [bits, batch] = peers[i] as (typeof peers)[0];
      const alone = tell([teller.tales[0] as readonly HeaderView[]], batch, wanted);
      return bits.length >= teller.taken.length && same(hashesOf(teller.taken), hashesOf(alone.teller.taken));
    });
  });
  fc.assert(property, { numRuns: 40 });
  t.pass('40 crowds');
});

t.test('rejects an illegal change of difficulty in the first pass', async (t) => {
  // A network whose target changes every ten blocks, as on mainnet every 2,016.
  const strict: ChainParams = { ...regtest, allowMinDifficultyBlocks: false, powTargetTimespan: 6_000, powTargetSpacing: 600 };
  const runOf = (bitsAt: (height: number) => number) => {
    const chain: HeaderView[] = [];
    for (let i = 0; i < 100; i++) {
      const prev = chain.at(-1)?.hash ?? START.hash;
      chain.push(header(prev, bitsAt(START.height + 1 + i), ++salts));
    }
    const wanted = workOf(chain);
    const { presync, asked, blamed, parent } = guard(wanted, strict);
    const teller = new Teller(presync, [chain], 20, parent);
    for (let more = true; more; ) {
      more = teller.step();
      for (const [, locator] of asked.splice(0)) {
        teller.asked(locator);
        more = true;
      }
    }
    return { taken: teller.taken.length, blamed };
  };
  const easy = () => 0x207fffff;
  // The work changes by a factor of four up and down. The division loses a remainder, so the target does not return to
  // its first value.
  const permitted = (height: number) => (height < 20 ? 0x207fffff : height % 40 < 20 ? 0x207ffffc : 0x201fffff);
  t.same(runOf(easy), { taken: 100, blamed: [] });
  t.same(runOf(permitted), { taken: 100, blamed: [] }, 'by four, where targets change');
  const elsewhere = fc.property(fc.integer({ min: 11, max: 109 }), (from) => {
    const outcome = runOf((height) => (height >= from ? 0x203fffff : 0x207fffff));
    if (from % 10 === 0) return outcome.taken === 100 && outcome.blamed.length === 0;
    return outcome.taken === 0 && outcome.blamed.length === 1;
  });
  fc.assert(elsewhere, { numRuns: 40 });
  // One step of the mantissa beyond a factor of four. The targets before are 0x7ffffc and 0x1fffff; each of them is
  // allowed to change into the other.
  for (const [before, after] of [
    [0x207ffffc, 0x201ffffe],
    [0x201fffff, 0x207ffffd],
  ] as const) {
    const outcome = runOf((height) => (height < 20 ? 0x207fffff : height < 40 ? 0x207ffffc : height < 60 ? before : after));
    t.same([outcome.taken, outcome.blamed.length], [0, 1], `${before.toString(16)} to ${after.toString(16)}`);
  }
  t.pass('wherever it is');
});
