// Keys of an encrypted connection once the secret is shared (BIP-0324): four ciphers, two garbage terminators, and the
// session id. Encrypts and decrypts packets.
import crypto from 'node:crypto';
import { ContentsCipher, KEY_BYTES, LengthCipher, TAG_BYTES } from './packet-cipher.js';

/** Bytes of a garbage terminator. */
export const TERMINATOR_BYTES = 16;
/** Bytes of the encrypted length at the start of a packet. */
export const LENGTH_BYTES = 3;
/** Bytes of a packet besides its contents: length, header byte, tag. */
export const PACKET_OVERHEAD = LENGTH_BYTES + 1 + TAG_BYTES;
/** Longest contents that three bytes can express. */
const MAX_CONTENTS = 0xffffff;
/** Header flag of a decoy packet, which the receiver ignores. */
const IGNORE = 0x80;

/** A decrypted packet. */
export interface Packet {
  readonly decoy: boolean;
  readonly contents: Uint8Array;
}

export class Session {
  /** Session id, 32 bytes. */
  readonly id: Uint8Array;
  /** Terminators of this side's and of the peer's garbage. */
  readonly sendTerminator: Uint8Array;
  readonly receiveTerminator: Uint8Array;
  readonly #sendLength: LengthCipher;
  readonly #receiveLength: LengthCipher;
  readonly #sendContents: ContentsCipher;
  readonly #receiveContents: ContentsCipher;

  /**
   * @param secret 32 bytes that both sides share; wiped
   * @param magic of the network; nodes of different networks derive different keys
   */
  constructor(secret: Uint8Array, magic: Uint8Array, initiating: boolean) {
    const salt = Buffer.concat([Buffer.from('bitcoin_v2_shared_secret'), magic]);
    const derive = (info: string): Uint8Array => new Uint8Array(crypto.hkdfSync('sha256', secret, salt, info, KEY_BYTES));
    const lengths = [new LengthCipher(derive('initiator_L')), new LengthCipher(derive('responder_L'))] as const;
    const contents = [contentsCipher(derive('initiator_P')), contentsCipher(derive('responder_P'))] as const;
    const terminators = derive('garbage_terminators');
    const marks = [terminators.slice(0, TERMINATOR_BYTES), terminators.slice(TERMINATOR_BYTES)] as const;
    const [send, receive] = initiating ? ([0, 1] as const) : ([1, 0] as const);
    this.#sendLength = lengths[send];
    this.#receiveLength = lengths[receive];
    this.#sendContents = contents[send];
    this.#receiveContents = contents[receive];
    this.sendTerminator = marks[send];
    this.receiveTerminator = marks[receive];
    this.id = derive('session_id');
    secret.fill(0);
  }

  /**
   * Encrypts a packet.
   * @param parts contents, at most 2^24 - 1 bytes together
   * @param aad for the first packet: the garbage sent before it
   */
  encrypt(parts: readonly Uint8Array[], aad: Uint8Array, decoy = false): Uint8Array {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    if (length > MAX_CONTENTS) throw new RangeError('contents too long for a packet');
    const head = Uint8Array.of(length & 0xff, (length >> 8) & 0xff, length >> 16);
    return Buffer.concat([this.#sendLength.crypt(head), ...this.#sendContents.encrypt(aad, [Uint8Array.of(decoy ? IGNORE : 0), ...parts])]);
  }

  /** Decrypts the length of a packet's contents. Call once for each packet. */
  readLength(bytes: Uint8Array): number {
    const [low, middle, high] = this.#receiveLength.crypt(bytes);
    return low | (middle << 8) | (high << 16);
  }

  /** Decrypts what follows the length. @returns null if the packet was changed */
  decrypt(bytes: Uint8Array, aad: Uint8Array): Packet | null {
    const plain = this.#receiveContents.decrypt(aad, bytes);
    return plain === null ? null : { decoy: (plain[0] & IGNORE) !== 0, contents: plain.subarray(1) };
  }

  /** Overwrites the keys of the contents, but not those of the lengths. */
  wipe(): void {
    this.#sendContents.wipe();
    this.#receiveContents.wipe();
  }
}

function contentsCipher(key: Uint8Array): ContentsCipher {
  const cipher = new ContentsCipher(key);
  key.fill(0);
  return cipher;
}
