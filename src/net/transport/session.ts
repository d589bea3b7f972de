// What both sides have once a secret is shared (BIP-0324): four ciphers, two marks that end the garbage, and the
// session's number; and packets made and read with them.
import crypto from 'node:crypto';
import { ContentsCipher, KEY_BYTES, LengthCipher, TAG_BYTES } from './packet-cipher.js';

/** Bytes of a mark that ends garbage. */
export const TERMINATOR_BYTES = 16;
/** Bytes in front of a packet that give the length of its contents. */
export const LENGTH_BYTES = 3;
/** Bytes of a packet besides its contents: length, a byte of flags, tag. */
export const PACKET_OVERHEAD = LENGTH_BYTES + 1 + TAG_BYTES;
/** Longest contents that three bytes can tell. */
const MAX_CONTENTS = 0xffffff;
/** Flag of a decoy, which the other side throws away. */
const IGNORE = 0x80;

/** A packet that was read. */
export interface Packet {
  readonly decoy: boolean;
  readonly contents: Uint8Array;
}

export class Session {
  /** 32 bytes. */
  readonly id: Uint8Array;
  /** What ends our garbage, and theirs. */
  readonly sendTerminator: Uint8Array;
  readonly receiveTerminator: Uint8Array;
  readonly #sendLength: LengthCipher;
  readonly #receiveLength: LengthCipher;
  readonly #sendContents: ContentsCipher;
  readonly #receiveContents: ContentsCipher;

  /**
   * @param secret 32 bytes that both sides share; wiped
   * @param magic of the network: nodes of different ones don't understand each other
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
   * Makes a packet.
   * @param parts its contents, 2^24 - 1 bytes at most
   * @param aad of the first packet: the garbage sent before it
   */
  encrypt(parts: readonly Uint8Array[], aad: Uint8Array, decoy = false): Uint8Array {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    if (length > MAX_CONTENTS) throw new RangeError('contents too long for a packet');
    const head = Uint8Array.of(length & 0xff, (length >> 8) & 0xff, length >> 16);
    return Buffer.concat([this.#sendLength.crypt(head), ...this.#sendContents.encrypt(aad, [Uint8Array.of(decoy ? IGNORE : 0), ...parts])]);
  }

  /** Length of the contents of the packet that these three bytes begin; to be asked once for each packet. */
  readLength(bytes: Uint8Array): number {
    const [low, middle, high] = this.#receiveLength.crypt(bytes);
    return low | (middle << 8) | (high << 16);
  }

  /** Reads what follows the length. @returns null when it is not as it was sent */
  decrypt(bytes: Uint8Array, aad: Uint8Array): Packet | null {
    const plain = this.#receiveContents.decrypt(aad, bytes);
    return plain === null ? null : { decoy: (plain[0] & IGNORE) !== 0, contents: plain.subarray(1) };
  }

  /** Overwrites keys. */
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
