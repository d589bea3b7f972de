// One job: a template, a time and a number. The mining.notify lines of sessions differ only in the end of the coinbase, so
// the text before and after it is built once.
import { toHex } from '../../consensus/bytes/hex.js';
import { u32Hex } from '../codec/hex-fields.js';
import { bytesOf } from '../codec/text.js';
import { difficultyOfTarget } from '../pace/difficulty.js';
import { coinbaseEnd, coinbaseStart } from './coinbase.js';
import type { Payout, Payouts } from './payouts.js';
import type { JobTemplate, JobTip } from './template.js';

/**
 * Number of payouts whose bytes a job caches. Pools have one payout. With thousands of addresses, building the bytes
 * again is cheaper than memory.
 */
const MOST_CACHED = 16;

export interface JobOptions {
  readonly payouts: Payouts;
  readonly tag: Uint8Array;
  /** Bits that miners may change; cleared in the version of each job. */
  readonly versionMask: number;
}

/** The bytes of a job that depend on its payout; the notify lines are null until a session needs them. */
interface PaidWork {
  readonly coinbaseEnd: Uint8Array;
  line: Uint8Array | null;
  cleanLine: Uint8Array | null;
}

const DIGITS = bytesOf('0123456789abcdef');

export class StratumJob {
  /** Number of the job, which rises with each job of the process. */
  readonly number: number;
  /** Eight hex digits of the number. */
  readonly id: string;
  /** Number of the tip. All jobs of one tip have the same number. */
  readonly tipNumber: number;
  readonly tip: JobTip;
  readonly template: JobTemplate;
  /**
   * Block version without the bits that miners may change, unsigned. Miners combine it with their bits by OR, XOR or
   * replacement, which give the same result because the bits are 0 here.
   */
  readonly version: number;
  /** Seconds since 1970. */
  readonly time: number;
  readonly networkDifficulty: number;
  /** The coinbase up to extranonce1. */
  readonly coinbaseStart: Uint8Array;
  /** The template's branch in the form of Hashes.sha256dPath. */
  readonly path: Uint32Array;
  readonly #payouts: Payouts;
  /** The line of mining.notify before and after the end of the coinbase. */
  readonly #before: Uint8Array;
  readonly #after: Uint8Array;
  readonly #cleanAfter: Uint8Array;
  readonly #cached = new Map<Payout, PaidWork>();

  constructor(number: number, tipNumber: number, time: number, tip: JobTip, template: JobTemplate, options: JobOptions) {
    this.number = number;
    this.id = u32Hex(number);
    this.tipNumber = tipNumber;
    this.tip = tip;
    this.template = template;
    this.version = (template.version & ~options.versionMask) >>> 0;
    this.time = time;
    this.networkDifficulty = difficultyOfTarget(tip.target);
    this.coinbaseStart = coinbaseStart(template.height, options.tag, number);
    const path = new Uint8Array(template.branch.length * 32);
    template.branch.forEach((sibling, i) => {
      path.set(sibling, i * 32);
    });
    this.path = new Uint32Array(path.buffer);
    this.#payouts = options.payouts;
    const head = `{"id":null,"method":"mining.notify","params":["${this.id}","${notifyHash(tip.prevHash)}","`;
    this.#before = bytesOf(`${head}${toHex(this.coinbaseStart)}","`);
    const branch = template.branch.map((hash) => `"${toHex(hash)}"`).join(',');
    const tail = `",[${branch}],"${u32Hex(this.version)}","${u32Hex(tip.bits)}","${u32Hex(time)}"`;
    this.#after = bytesOf(`${tail},false]}\n`);
    this.#cleanAfter = bytesOf(`${tail},true]}\n`);
  }

  /** Returns the coinbase after extranonce2. */
  coinbaseEnd(payout: Payout): Uint8Array {
    return this.#work(payout).coinbaseEnd;
  }

  /** Returns the line of mining.notify. Sessions share the bytes: do not change them. */
  notifyLine(payout: Payout, clean: boolean): Uint8Array {
    const work = this.#work(payout);
    if (!clean) return (work.line ??= this.#buildLine(work.coinbaseEnd, this.#after));
    return (work.cleanLine ??= this.#buildLine(work.coinbaseEnd, this.#cleanAfter));
  }

  #work(payout: Payout): PaidWork {
    const cached = this.#cached.get(payout);
    if (cached !== undefined) return cached;
    const work = { coinbaseEnd: this.#buildEnd(payout), line: null, cleanLine: null };
    if (this.#cached.size < MOST_CACHED) this.#cached.set(payout, work);
    return work;
  }

  #buildLine(end: Uint8Array, after: Uint8Array): Uint8Array {
    const line = new Uint8Array(this.#before.length + end.length * 2 + after.length);
    line.set(this.#before);
    let at = this.#before.length;
    for (let i = 0; i < end.length; i++) {
      line[at++] = DIGITS[end[i] >>> 4];
      line[at++] = DIGITS[end[i] & 15];
    }
    line.set(after, at);
    return line;
  }

  #buildEnd(payout: Payout): Uint8Array {
    const { height, value, commitment } = this.template;
    const outputs = this.#payouts.outputs(payout, value);
    if (commitment !== null) outputs.push({ value: 0, script: commitment });
    return coinbaseEnd(height, outputs);
  }
}

/** Returns a hash in the form of mining.notify: each word of 4 bytes reversed. @param hash 32 bytes, internal order */
export function notifyHash(hash: Uint8Array): string {
  const swapped = new Uint8Array(32);
  for (let i = 0; i < 32; i++) swapped[i] = hash[(i & ~3) + 3 - (i & 3)];
  return toHex(swapped);
}
