// Reads a dump of private keys: the file in portions, lines as views that are overwritten after they were read, and
// their contents in columns that are overwritten at the end. No string ever contains a key.

import type { FileHandle } from 'node:fs/promises';
import { decodeWif } from '../../address/wif.js';
import { MAX_SCRIPT_ELEMENT_SIZE } from '../../consensus/script/eval-script.js';
import { openFile } from '../../lib/open-file.js';
import { TimeSlice } from '../../lib/time-slice.js';
import { ByteArena, grown, SecretSlab } from '../../wallet/index.js';
import { hexBytes } from '../args.js';
import type { WalletContext } from '../context/wallet.js';
import { fail, RPC_CODE } from '../errors.js';

/** Bytes per read. */
const PORTION = 65_536;
/** Longest line that is accepted: enough for a very long label. */
const MAX_LINE = 1_048_576;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const COMMENT = 0x23;

const unreadable = (): never => fail(RPC_CODE.INVALID_PARAMETER, 'Cannot open wallet dump file');
const textOf = (ascii: Uint8Array): string => Buffer.from(ascii.buffer, ascii.byteOffset, ascii.length).toString('latin1');

/** A private key of a dump. */
export interface DumpedKey {
  /** The key as a view. Use it immediately. */
  readonly secret: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly label: string | undefined;
  /** Time of the key in seconds since 1970, at least 1. */
  readonly time: number;
}

export class DumpContents {
  readonly #secrets = new SecretSlab();
  readonly #publicKeys = new ByteArena();
  readonly #labels: (string | undefined)[] = [];
  #keyTimes = new Float64Array(64);
  readonly #scripts = new ByteArena();
  #scriptTimes = new Float64Array(64);
  #scriptCount = 0;
  /** Time of the earliest key or script in seconds since 1970; Infinity if no line has one. */
  earliest = Number.POSITIVE_INFINITY;
  /** True if the dump contains something that no wallet can store. */
  isUnusable = false;

  get keyCount(): number {
    return this.#labels.length;
  }
  /** Adds a key. @param secret copied */
  addKey({ secret, publicKey, label, time }: DumpedKey): void {
    const row = this.#secrets.add(secret);
    this.#publicKeys.add(publicKey);
    this.#labels.push(label);
    this.#keyTimes = grown(this.#keyTimes, row);
    this.#keyTimes[row] = time;
    this.#from(time);
  }
  addScript(script: Uint8Array, time: number): void {
    if (script.length > MAX_SCRIPT_ELEMENT_SIZE) this.isUnusable = true;
    if (this.isUnusable) return;
    const row = this.#scripts.add(script);
    this.#scriptTimes = grown(this.#scriptTimes, row);
    this.#scriptTimes[row] = time;
    this.#scriptCount = row + 1;
    this.#from(time);
  }
  *keys(): Generator<DumpedKey> {
    for (const [row, label] of this.#labels.entries()) {
      yield { secret: this.#secrets.get(row), publicKey: this.#publicKeys.get(row), label, time: this.#keyTimes[row] };
    }
  }
  /** Yields redeem and witness scripts with their times, 0 if unknown. */
  *scripts(): Generator<{ script: Uint8Array; time: number }> {
    for (let row = 0; row < this.#scriptCount; row++) yield { script: this.#scripts.get(row), time: this.#scriptTimes[row] };
  }
  /** Overwrites the private keys. */
  wipe(): void {
    this.#secrets.wipe();
  }

  #from(time: number): void {
    if (time > 0) this.earliest = Math.min(this.earliest, time);
  }
}

/**
 * Reads a dump, in slices.
 * @param contents receives the contents, even if reading fails
 * @throws RpcError
 */
export async function readDump(ctx: WalletContext, file: string, contents: DumpContents): Promise<void> {
  const slice = new TimeSlice();
  const handle = await openFile(file).catch(unreadable);
  try {
    const whole = await eachLine(handle, (line) => {
      readLine(ctx, line, contents);
      return slice.over ? slice.next() : undefined;
    });
    if (!whole) contents.isUnusable = true;
  } finally {
    await handle.close();
  }
}

/**
 * Visits the lines of a file that are not comments, without their line ends.
 * @param visit receives a view that is overwritten afterwards
 * @returns false if a line is too long; the lines after it were not visited
 */
export async function eachLine(file: Pick<FileHandle, 'read'>, visit: (line: Uint8Array) => Promise<void> | undefined): Promise<boolean> {
  let bytes = new Uint8Array(PORTION);
  let end = 0;
  /** True if the bytes continue a comment whose start was overwritten. */
  let passing = false;
  const take = (line: Uint8Array): Promise<void> | undefined => {
    const skipped = passing || line[0] === COMMENT;
    passing = false;
    return skipped ? undefined : visit(line.at(-1) === CARRIAGE_RETURN ? line.subarray(0, -1) : line);
  };
  try {
    for (;;) {
      const { bytesRead } = await file.read(bytes, end, bytes.length - end).catch(unreadable);
      if (bytesRead === 0) {
        await take(bytes.subarray(0, end));
        return true;
      }
      let start = 0;
      let from = end;
      end += bytesRead;
      for (;;) {
        const at = bytes.subarray(0, end).indexOf(LINE_FEED, from);
        if (at < 0) break;
        const pause = take(bytes.subarray(start, at));
        if (pause) await pause;
        start = from = at + 1;
      }
      if (passing || (start < end && bytes[start] === COMMENT)) {
        passing = true;
        start = end;
      }
      bytes.copyWithin(0, start, end);
      bytes.fill(0, end - start, end);
      end -= start;
      if (end < bytes.length) continue;
      if (end >= MAX_LINE) return false;
      const old = bytes;
      bytes = new Uint8Array(old.length * 2);
      bytes.set(old);
      old.fill(0);
    }
  } finally {
    bytes.fill(0);
  }
}

/** Returns the words of a line as views. */
function wordsOf(line: Uint8Array): Uint8Array[] {
  const words: Uint8Array[] = [];
  for (let start = 0; ; ) {
    const end = line.indexOf(SPACE, start);
    if (end < 0) return [...words, line.subarray(start)];
    words.push(line.subarray(start, end));
    start = end + 1;
  }
}

function readLine(ctx: WalletContext, line: Uint8Array, contents: DumpContents): void {
  const [first, time, ...words] = wordsOf(line);
  if (time === undefined) return;
  const wif = decodeWif(first, ctx.params, ctx.crypto);
  if (wif) {
    const publicKey = ctx.descriptors.keys.publicKey(wif.key, wif.compressed)!;
    contents.addKey({ secret: wif.key, publicKey, label: labelOf(words.map(textOf)), time: Math.max(1, parseTime(textOf(time))) });
    wif.key.fill(0);
    return;
  }
  // Text that is not hex stays bytes: it may be a key of another network, or a misspelt one.
  const script = first.every(isHexDigit) ? hexBytes(textOf(first)) : null;
  if (script) contents.addScript(script, parseTime(textOf(time)));
}

/**
 * Finds the label among the words after the time, up to a comment.
 * @returns empty if there is none; undefined for change and reserve keys, which have no label
 */
function labelOf(words: readonly string[]): string | undefined {
  let label: string | undefined = '';
  for (const word of words) {
    if (word.startsWith('#')) break;
    if (word === 'change=1' || word === 'reserve=1') label = undefined;
    if (word.startsWith('label=')) label = decodeLabel(word.slice(6));
  }
  return label;
}

const isHexDigit = (code: number): boolean => (code >= 0x30 && code <= 0x39) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x66);

function parseTime(text: string): number {
  const ms = Date.parse(text);
  return Number.isNaN(ms) || ms < 0 ? 0 : Math.floor(ms / 1000);
}

/** Encodes everything but printable ASCII, and the percent sign, as %xx. */
export function encodeLabel(label: string): string {
  let out = '';
  for (const byte of new TextEncoder().encode(label)) {
    out += byte <= 32 || byte >= 128 || byte === 0x25 ? `%${byte.toString(16).padStart(2, '0')}` : String.fromCharCode(byte);
  }
  return out;
}
function decodeLabel(text: string): string {
  const bytes: number[] = [];
  for (let i = 0; i < text.length; i++) {
    const digits = text[i] === '%' ? text.slice(i + 1, i + 3) : '';
    if (/^[0-9a-fA-F]{2}$/.test(digits)) {
      bytes.push(Number.parseInt(digits, 16));
      i += 2;
    } else bytes.push(text.charCodeAt(i));
  }
  return Buffer.from(bytes).toString('utf8');
}
