// Encrypted transport of BIP-0324. Both sides send a key that looks random and up to 4,095 bytes of garbage. With the
// shared secret each ends its garbage with a terminator that only the other can know. Then packets follow: first one
// with each side's version (empty today), then messages. Decoys are ignored. A peer that starts with the header of an
// unencrypted `version` is served without encryption.
//
// KeyExchangeQueue does the key work asynchronously. Until it has finished, nothing is read, so a peer holds no more
// than its first bytes and one read of the socket.
import crypto from 'node:crypto';
import { ByteQueue } from '../../consensus/bytes/byte-queue.js';
import type { SpareMemory } from '../../consensus/bytes/spare-memory.js';
import type { Hashes } from '../../crypto/crypto.js';
import { ELLSWIFT_BYTES, type EllSwiftKey } from '../../crypto/ellswift.js';
import { type BadFrame, COMMAND_BYTES, type Frame, HEADER_BYTES } from '../wire/frame.js';
import { MAX_PROTOCOL_MESSAGE_LENGTH } from '../wire/protocol.js';
import type { Cancel, KeyExchangeQueue } from './key-exchange-queue.js';
import { LENGTH_BYTES, PACKET_OVERHEAD, type Packet, Session, TERMINATOR_BYTES } from './session.js';
import { nameBytes, splitContents } from './short-ids.js';
import type { Transport, TransportEvents, TransportType } from './transport.js';
import { V1Transport } from './v1-transport.js';

/** Maximum number of bytes of garbage before the terminator. */
export const MAX_GARBAGE_BYTES = 4_095;
/** Longest contents that are accepted: the longest message with its name. */
export const MAX_CONTENTS_BYTES = 1 + COMMAND_BYTES + MAX_PROTOCOL_MESSAGE_LENGTH;
/** Start of an unencrypted connection: magic, and the name of the first message. */
const V1_NAME = Buffer.from('version\0\0\0\0\0', 'latin1');
const none = new Uint8Array(0);

/**
 * Input that is expected from the peer:
 *   detect   the first bytes, which show the transport (inbound only)
 *   key      64 bytes           garbage  the end of its garbage     messages  packets
 *   secret   nothing: key work  version  its version packet         clear     everything, by V1Transport
 */
type Stage = 'detect' | 'key' | 'secret' | 'garbage' | 'version' | 'messages' | 'clear';

export interface V2Options {
  readonly magic: Uint8Array;
  readonly hashes: Hashes;
  /** True if this node opened the connection. */
  readonly initiating: boolean;
  readonly keys: Pick<KeyExchangeQueue, 'createKey' | 'computeSecret'>;
  /** Memory for long messages. */
  readonly spare?: SpareMemory;
}

export class V2Transport implements Transport {
  fault: string | null = null;
  #stage: Stage;
  readonly #bytes: ByteQueue;
  #clear: V1Transport | null = null;
  #ours: EllSwiftKey | null = null;
  #theirs: Uint8Array | null = null;
  #session: Session | null = null;
  #work: Cancel = () => {};
  /** Garbage sent before any packet; the first packet authenticates it. */
  #garbage: Uint8Array = none;
  /** Bytes of possible garbage that were searched for the terminator. */
  #searched = 0;
  /** Additional data that the next packet authenticates. */
  #aad: Uint8Array = none;
  /** Length of the current packet; -1 before it is known. */
  #length = -1;
  /** Messages that wait for keys. Only version is sent before the peer has sent anything. */
  #queued: { readonly command: string; readonly payload: Uint8Array }[] = [];
  #sent = 0;
  readonly #options: V2Options;
  readonly #events: TransportEvents;

  constructor(options: V2Options, events: TransportEvents) {
    this.#options = options;
    this.#bytes = new ByteQueue(options.spare);
    this.#events = events;
    this.#stage = options.initiating ? 'key' : 'detect';
  }

  get type(): TransportType {
    if (this.#stage === 'clear') return 'v1';
    return this.#session === null ? 'detecting' : 'v2';
  }
  get sessionId(): Uint8Array | null {
    return this.#session?.id ?? null;
  }
  get busy(): boolean {
    return this.#stage === 'secret';
  }
  /** At least a header was sent, and not a byte came back: the behaviour of nodes that see a wrong header. */
  get refused(): boolean {
    return this.#options.initiating && this.#stage === 'key' && this.#bytes.length === 0 && this.#sent >= HEADER_BYTES;
  }
  get held(): number {
    return this.#clear?.held ?? this.#bytes.length;
  }
  get ready(): boolean {
    if (this.#clear !== null) return this.#clear.ready;
    return this.#length >= 0 && this.#bytes.length >= this.#length + PACKET_OVERHEAD - LENGTH_BYTES;
  }

  start(): void {
    if (this.#options.initiating) this.#makeKey();
  }

  push(chunk: Uint8Array): void {
    if (this.fault !== null) return;
    if (this.#clear !== null) this.#clear.push(chunk);
    else {
      this.#bytes.push(chunk);
      this.#advance();
    }
  }

  next(): Frame | BadFrame | null {
    if (this.fault !== null) return null;
    if (this.#clear !== null) {
      const frame = this.#clear.next();
      this.fault = this.#clear.fault;
      return frame;
    }
    if (this.#stage === 'version' || this.#stage === 'messages') return this.#message();
    return null;
  }

  /** Advances the stage as far as the bytes allow without taking a message. */
  #advance(): void {
    if (this.#stage === 'detect') this.#detect();
    if (this.#stage === 'key') this.#takeKey();
    if (this.#stage === 'garbage') this.#endGarbage();
    if (this.#stage === 'version' || this.#stage === 'messages') this.#readLength();
  }

  send(command: string, payload: Uint8Array): number {
    if (this.#clear !== null) return this.#clear.send(command, payload);
    const name = nameBytes(command);
    if (this.#session === null) this.#queued.push({ command, payload });
    else this.#write(this.#session.encrypt([name, payload], none));
    return PACKET_OVERHEAD + name.length + payload.length;
  }

  close(): void {
    this.#work();
    this.#ours?.secret.fill(0);
    this.#session?.wipe();
    this.#queued = [];
  }

  #write(bytes: Uint8Array): void {
    this.#sent += bytes.length;
    this.#events.write(bytes);
  }

  /** The peer may be unencrypted as long as every byte matches the start of such a connection. */
  #detect(): void {
    const { magic, hashes, spare } = this.#options;
    const prefix = Buffer.concat([magic, V1_NAME]);
    const length = Math.min(prefix.length, this.#bytes.length);
    if (!prefix.subarray(0, length).equals(this.#bytes.peek(length))) {
      this.#stage = 'key';
      this.#makeKey();
    } else if (length === prefix.length) {
      this.#stage = 'clear';
      this.#clear = new V1Transport(magic, hashes, (bytes) => this.#write(bytes), spare);
      this.#clear.push(this.#bytes.takeBytes(this.#bytes.length));
      this.#bytes.clear();
    }
  }

  #makeKey(): void {
    const { initiating, keys } = this.#options;
    this.#work = keys.createKey(initiating, (key) => {
      this.#ours = key;
      this.#garbage = new Uint8Array(crypto.randomBytes(crypto.randomInt(MAX_GARBAGE_BYTES + 1)));
      this.#write(Buffer.concat([key.encoding, this.#garbage]));
      if (this.#stage === 'secret') this.#share();
    });
  }

  #takeKey(): void {
    const { initiating, magic } = this.#options;
    const name = magic.length + V1_NAME.length;
    // Disconnect an unencrypted node of another network, which would wait forever for a message that it understands.
    if (!initiating && this.#bytes.length >= name && V1_NAME.equals(this.#bytes.peek(name).subarray(magic.length))) {
      this.#fail('V1 peer with wrong MessageStart');
      return;
    }
    if (this.#bytes.length < ELLSWIFT_BYTES) return;
    this.#theirs = this.#bytes.takeBytes(ELLSWIFT_BYTES);
    this.#stage = 'secret';
    if (this.#ours !== null) this.#share();
  }

  #share(): void {
    const { initiating, keys, magic } = this.#options;
    const ours = this.#ours as EllSwiftKey;
    this.#work = keys.computeSecret(initiating, ours, this.#theirs as Uint8Array, (secret) => {
      ours.secret.fill(0);
      const session = new Session(secret, magic, initiating);
      this.#session = session;
      this.#stage = 'garbage';
      // The version packet is empty: its contents are reserved for extensions, and BIP-0324 defines none.
      this.#write(Buffer.concat([session.sendTerminator, session.encrypt([], this.#garbage)]));
      this.#garbage = none;
      const queued = this.#queued;
      this.#queued = [];
      for (const { command, payload } of queued) this.send(command, payload);
      this.#advance();
      this.#events.progress();
    });
  }

  #endGarbage(): void {
    const mark = (this.#session as Session).receiveTerminator;
    const most = MAX_GARBAGE_BYTES + TERMINATOR_BYTES;
    const seen = this.#bytes.peek(Math.min(most, this.#bytes.length));
    const at = Buffer.from(seen.buffer, seen.byteOffset, seen.length).indexOf(mark, this.#searched);
    if (at < 0) {
      this.#searched = Math.max(0, seen.length - TERMINATOR_BYTES + 1);
      if (seen.length === most) this.#fail('missing garbage terminator');
      return;
    }
    this.#aad = this.#bytes.takeBytes(at);
    this.#bytes.drop(TERMINATOR_BYTES);
    this.#stage = 'version';
  }

  /** Returns the next packet. Decoys and the version packet, which is empty today, are returned as skipped bytes. */
  #message(): Frame | BadFrame | null {
    const packet = this.#packet();
    if (packet === null) return null;
    const { length } = packet.contents;
    const size = PACKET_OVERHEAD + length;
    if (packet.decoy || this.#stage === 'version') {
      if (!packet.decoy) this.#stage = 'messages';
      return { command: '', payload: null, fault: null, size };
    }
    const message = splitContents(packet.contents);
    if (message !== null) return { ...message, length: message.payload.length, size, hash: null };
    return { command: '', payload: null, fault: `V2 transport error: invalid message type (${length} bytes contents)`, size };
  }

  /** Reads the length of the next packet. */
  #readLength(): void {
    if (this.#length >= 0 || this.#bytes.length < LENGTH_BYTES) return;
    const length = (this.#session as Session).readLength(this.#bytes.peek(LENGTH_BYTES));
    this.#bytes.drop(LENGTH_BYTES);
    if (length > MAX_CONTENTS_BYTES) this.#fail(`packet too large (${length} bytes)`);
    else this.#length = length;
  }

  #packet(): Packet | null {
    if (!this.ready) return null;
    const rest = this.#length + PACKET_OVERHEAD - LENGTH_BYTES;
    const packet = (this.#session as Session).decrypt(this.#bytes.peek(rest), this.#aad);
    this.#bytes.drop(rest);
    if (packet === null) return this.#fail(`packet decryption failure (${this.#length} bytes)`);
    this.#aad = none;
    this.#length = -1;
    this.#readLength();
    return packet;
  }

  #fail(text: string): null {
    this.fault = `V2 transport error: ${text}`;
    this.#bytes.clear();
    return null;
  }
}
