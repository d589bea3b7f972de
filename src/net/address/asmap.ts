// Maps addresses to autonomous systems with a file that the operator provides (-asmap). Addresses then belong to one
// group if one network operator has them, whatever their prefixes (file format of Core's util/asmap.cpp). The map is a
// program of bits that walks down an address. It is checked as a whole when it is loaded, so that every walk ends.
import crypto from 'node:crypto';
import { ByteWriter } from '../../consensus/bytes/writer.js';
import { groupOf, isRoutable, linkedIpv4, type NetAddress } from '../wire/net-address.js';

/** Longest file that is loaded. Maps of the whole Internet have about 2 MB. */
export const MAX_ASMAP_BYTES = 64 << 20;
/** Bits of an address as the program sees it; IPv4 is mapped to ::ffff:0:0/96. */
const ADDRESS_BITS = 128;
/** Value returned when a number runs past the end of the map. */
const END = -1;

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);

/**
 * Encoding of numbers in classes of growing width: a 1 bit means that the number is beyond the class, a 0 bit that its
 * bits follow. The last class has no such bit. Each row has the smallest number of a kind and the widths of its
 * classes.
 */
const kinds = {
  instruction: { least: 0, widths: [0, 0, 1] },
  system: { least: 1, widths: range(15, 24) },
  match: { least: 2, widths: range(1, 8) },
  jump: { least: 17, widths: range(5, 30) },
} as const;

/** RETURN: the operand is the system. */
const RETURN = 0;
/** JUMP: reads one bit of the address. 0 continues, 1 skips as many bits of the map as the operand says. */
const JUMP = 1;
/**
 * MATCH: the next bits of the address must equal those of the operand after its leading 1. Otherwise the default system
 * is the result.
 */
const MATCH = 2;
/** DEFAULT: sets the default system. */
const DEFAULT = 3;

/** Number of address bits that a MATCH operand covers. */
const matchLength = (match: number): number => 31 - Math.clz32(match);

/** Reads numbers and bits of the map from a position. */
class Cursor {
  readonly #bytes: Uint8Array;

  constructor(
    bytes: Uint8Array,
    public at: number,
  ) {
    this.#bytes = bytes;
  }

  get size(): number {
    return this.#bytes.length * 8;
  }

  /** Returns the next bit, or END past the last one. */
  bit(): number {
    if (this.at >= this.size) return END;
    const bit = (this.#bytes[this.at >> 3] >> (this.at & 7)) & 1;
    this.at++;
    return bit;
  }

  number({ least, widths }: { readonly least: number; readonly widths: readonly number[] }): number {
    let value = least;
    for (const [i, width] of widths.entries()) {
      const beyond = i === widths.length - 1 ? 0 : this.bit();
      if (beyond === END) return END;
      if (beyond === 1) {
        value += 2 ** width;
        continue;
      }
      for (let k = width - 1; k >= 0; k--) {
        const bit = this.bit();
        if (bit === END) return END;
        value += bit * 2 ** k;
      }
      return value;
    }
    return END;
  }
}

export class AsMap {
  readonly #bytes: Uint8Array;

  private constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** @returns null if the bytes are not a map, or a map with a walk that does not end */
  static parse(bytes: Uint8Array): AsMap | null {
    return bytes.length > 0 && isSound(bytes) ? new AsMap(bytes) : null;
  }

  /** Version of the map in display hex: the double SHA-256 of the number of bits and of each bit as one byte, as in Core 0.21. */
  get version(): string {
    const hash = crypto.createHash('sha256');
    hash.update(new ByteWriter(5).compactSize(this.#bytes.length * 8).finish());
    const step = 8_192;
    for (let from = 0; from < this.#bytes.length; from += step) {
      const part = this.#bytes.subarray(from, from + step);
      const spread = new Uint8Array(part.length * 8);
      for (let i = 0; i < spread.length; i++) spread[i] = (part[i >> 3] >> (i & 7)) & 1;
      hash.update(spread);
    }
    return crypto.createHash('sha256').update(hash.digest()).digest().reverse().toString('hex');
  }

  /** Returns the autonomous system of an IPv4 or IPv6 address; 0 if the map does not know it, and for other networks. */
  systemOf(address: NetAddress): number {
    const bits = addressBits(address);
    if (bits === null) return 0;
    const cursor = new Cursor(this.#bytes, 0);
    let system = 0;
    for (let used = 0; ; ) {
      switch (cursor.number(kinds.instruction)) {
        case RETURN:
          return cursor.number(kinds.system);
        case JUMP: {
          const jump = cursor.number(kinds.jump);
          if (bitOf(bits, used++) === 1) cursor.at += jump;
          break;
        }
        case MATCH: {
          const match = cursor.number(kinds.match);
          for (let k = matchLength(match) - 1; k >= 0; k--) if (bitOf(bits, used++) !== ((match >> k) & 1)) return system;
          break;
        }
        case DEFAULT:
          system = cursor.number(kinds.system);
          break;
        default:
          // Unreachable: in a checked map every walk ends with RETURN.
          return 0;
      }
    }
  }
}

/** Returns a function that assigns addresses to groups: by system where the map knows it, otherwise by prefix. */
export function groupingBy(map: AsMap | null): (address: NetAddress) => string {
  if (map === null) return groupOf;
  return (address) => {
    const system = isRoutable(address) ? map.systemOf(address) : 0;
    return system === 0 ? groupOf(address) : `as/${system}`;
  };
}

function addressBits({ network, bytes }: NetAddress): Uint8Array | null {
  if (network !== 'ipv4' && network !== 'ipv6') return null;
  const v4 = network === 'ipv4' ? bytes : linkedIpv4(bytes);
  return v4 === null ? bytes : Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, ...v4);
}

/** Returns a bit of the bytes; position 0 is the highest bit of the first byte. */
function bitOf(bytes: Uint8Array, place: number): number {
  return (bytes[place >> 3] >> (7 - (place & 7))) & 1;
}

/**
 * Returns whether every walk through the map ends with a system within the bits of an address, and no instruction is
 * unreachable. The bits that a jump skips are followed directly by the jump's target, and jumps are nested. So one pass
 * from front to back sees each instruction once.
 */
function isSound(bytes: Uint8Array): boolean {
  const cursor = new Cursor(bytes, 0);
  /**
   * Targets of the jumps that the pass has read but whose targets it has not reached, nearest last. `left`: number of
   * address bits that are unread at the target.
   */
  const targets: { at: number; left: number }[] = [];
  let left = ADDRESS_BITS;
  let before = JUMP;
  let shortMatch = false;
  while (cursor.at < cursor.size) {
    const nearest = targets[targets.length - 1];
    // The map is invalid if a jump leads into the middle of an instruction.
    if (nearest !== undefined && cursor.at >= nearest.at) return false;
    const instruction = cursor.number(kinds.instruction);
    switch (instruction) {
      case RETURN: {
        if (before === DEFAULT || cursor.number(kinds.system) === END) return false;
        const next = targets.pop();
        if (next === undefined) return isPadding(cursor);
        // The map is invalid if no jump reaches the instructions after this RETURN.
        if (cursor.at !== next.at) return false;
        left = next.left;
        before = JUMP;
        continue;
      }
      case JUMP: {
        const jump = cursor.number(kinds.jump);
        const at = cursor.at + jump;
        if (jump === END || at > cursor.size || left === 0) return false;
        if (nearest !== undefined && at >= nearest.at) return false;
        left--;
        targets.push({ at, left });
        break;
      }
      case MATCH: {
        const match = cursor.number(kinds.match);
        if (match === END) return false;
        const length = matchLength(match);
        // Only one of several successive MATCH instructions may cover fewer than 8 bits.
        if (before !== MATCH) shortMatch = false;
        if (length < 8 && shortMatch) return false;
        shortMatch = length < 8;
        if (left < length) return false;
        left -= length;
        break;
      }
      case DEFAULT:
        if (before === DEFAULT || cursor.number(kinds.system) === END) return false;
        break;
      default:
        return false;
    }
    before = instruction;
  }
  return false;
}

/** Returns whether only zeros follow, up to a whole byte. */
function isPadding(cursor: Cursor): boolean {
  if (cursor.size - cursor.at > 7) return false;
  while (cursor.at < cursor.size) if (cursor.bit() !== 0) return false;
  return true;
}
