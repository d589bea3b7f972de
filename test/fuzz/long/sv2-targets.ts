// Targets of what comes from Stratum V2 clients: payloads of messages, and whole conversations with a connection.
import { DecodeError } from '../../../src/consensus/bytes/reader.js';
import type { Aead } from '../../../src/crypto/aead.js';
import { createNativeHashes } from '../../../src/crypto/native/hashes.js';
import { decodeRequestExtensions, decodeSetupConnection } from '../../../src/sv2/codec/common-messages.js';
import { decodeConstraints, decodeRequestTransactionData, decodeSubmitSolution } from '../../../src/sv2/codec/template-messages.js';
import { LARGEST_PAYLOAD, Sv2Connection } from '../../../src/sv2/connection.js';
import type { Dice } from './dice.js';
import { hold, succeeds, type Target } from './target.js';

const text = (dice: Dice): Buffer => {
  const value = dice.bytes(dice.oneIn(8) ? 253 + dice.below(3) : dice.below(20));
  return Buffer.concat([Buffer.from([value.length]), value]);
};
const setup = (dice: Dice): Buffer =>
  Buffer.concat([Buffer.from([2, 2, 0, 2, 0, 0, 0, 0, 0]), text(dice), Buffer.alloc(2), text(dice), text(dice), text(dice), text(dice)]);

/** A payload of each message that is decoded. */
function payload(dice: Dice, type: number): Uint8Array {
  switch (type) {
    case 0x00:
      return setup(dice);
    case 0x70:
      return dice.bytes(dice.oneIn(4) ? 4 : 6);
    case 0x73:
      return dice.bytes(8);
    case 0x76: {
      const coinbase = dice.bytes(dice.below(300));
      const head = Buffer.from(dice.bytes(22));
      head.writeUInt16LE(coinbase.length, 20);
      return Buffer.concat([head, coinbase]);
    }
    default: {
      const numbers = dice.bytes(2 * dice.below(20));
      return Buffer.concat([dice.bytes(2), Buffer.from([numbers.length / 2, 0]), numbers]);
    }
  }
}

const TYPES = [0x00, 0x01, 0x70, 0x73, 0x76] as const;
const decoders = new Map<number, (bytes: Uint8Array) => unknown>([
  [0x00, decodeSetupConnection],
  [0x01, decodeRequestExtensions],
  [0x70, decodeConstraints],
  [0x73, decodeRequestTransactionData],
  [0x76, decodeSubmitSolution],
]);

const payloads: Target = {
  name: 'sv2 payloads',
  share: 4,
  make: (dice) => {
    const type = dice.pick(TYPES);
    const made = payload(dice, type);
    return Buffer.concat([Buffer.from([type]), dice.oneIn(3) ? made : dice.mutate(made)]);
  },
  check: (input) => {
    const decode = decoders.get(input[0] ?? 0);
    return decode !== undefined && succeeds(DecodeError, () => decode(input.subarray(1)));
  },
};

/**
 * Encryption that changes nothing and counts: a conversation can be made of bytes alone, and reaches what lies behind
 * it. A tag is the counter.
 */
const openAead: Aead = {
  seal: (_key, counter, _ad, plain, out, at) => {
    out.set(plain, at);
    out.fill(counter & 255, at + plain.length, at + plain.length + 16);
  },
  open: (_key, counter, _ad, sealed) => {
    const end = sealed.length - 16;
    for (let i = end; i < sealed.length; i++) if (sealed[i] !== (counter & 255)) return null;
    return end < 0 ? null : sealed.slice(0, end);
  },
};

const key = () => ({ secret: new Uint8Array(32), encoding: new Uint8Array(64) });
const hashes = createNativeHashes();
const deps = {
  hashes,
  aead: openAead,
  ellSwift: { backend: 'none', createKey: key, sharedSecret: () => new Uint8Array(32) },
  identity: () => ({ staticKey: key(), certificate: new Uint8Array(74) }),
};

/** Frames as openAead takes them. */
class Sealer {
  #counter = 0;
  #seal(plain: Uint8Array): Buffer {
    return Buffer.concat([plain, Buffer.alloc(16, this.#counter++ & 255)]);
  }
  frame(extension: number, type: number, body: Uint8Array): Buffer {
    const header = Buffer.alloc(6);
    header.writeUInt16LE(extension, 0);
    header[2] = type;
    header.writeUIntLE(body.length, 3, 3);
    return Buffer.concat([this.#seal(header), ...(body.length > 0 ? [this.#seal(body)] : [])]);
  }
}

const conversations: Target = {
  name: 'sv2 connections',
  share: 4,
  make: (dice) => {
    const sealer = new Sealer();
    const parts: Uint8Array[] = [Buffer.from([1 + dice.below(255)]), dice.bytes(64)];
    if (!dice.oneIn(8)) parts.push(sealer.frame(0, 0, setup(dice)));
    for (let n = dice.below(6); n > 0; n--) {
      const type = dice.pick(TYPES);
      const body = payload(dice, type);
      const extension = dice.oneIn(4) ? dice.pick([1, 0x8000, 0x4001, 0x7fff]) : 0;
      parts.push(sealer.frame(extension, dice.oneIn(6) ? dice.below(256) : type, dice.oneIn(3) ? dice.mutate(body) : body));
    }
    const whole = Buffer.concat(parts);
    return dice.oneIn(2) ? whole : dice.mutate(whole);
  },
  check: (input) => {
    // Bytes of a read; a mutated case may say none.
    const size = Math.max(1, input[0] ?? 1);
    const connection = new Sv2Connection(deps);
    let opened = false;
    let ended = false;
    let events = 0;
    for (let at = 1; at < input.length; at += size) {
      connection.push(input.subarray(at, at + size));
      for (let event = connection.next(); event !== null; event = connection.next()) {
        hold(!ended, 'an event after the end');
        hold(++events <= 2 + 2 * input.length, 'events without end');
        if (event.kind === 'setup') {
          hold(!opened, 'set up twice');
          opened = true;
        } else if (event.kind === 'close') ended = true;
        else if (event.kind !== 'send') hold(opened, `${event.kind} before SetupConnection`);
      }
      hold(connection.held <= LARGEST_PAYLOAD + 64 + size, 'it keeps more than the largest message');
      hold(!ended || connection.held === 0, 'it keeps bytes after its end');
    }
    return opened;
  },
};

export const sv2Targets: readonly Target[] = [payloads, conversations];
