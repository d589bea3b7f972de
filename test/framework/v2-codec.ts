// BIP-0324 for both sides, written from the BIP with node:crypto and plain bigints. Shares no code with the node. Can
// also do what honest peers do not do: other garbage, wrong lengths, corrupted packets, decoys.
import crypto from 'node:crypto';
import type { Codec, Cut } from './p2p-client.js';

const P = 2n ** 256n - 2n ** 32n - 977n;
const mod = (n: bigint): bigint => ((n % P) + P) % P;
function pow(base: bigint, exponent: bigint): bigint {
  let out = 1n;
  for (const digit of exponent.toString(2)) {
    out = mod(out * out);
    if (digit === '1') out = mod(out * base);
  }
  return out;
}
const over = (top: bigint, bottom: bigint): bigint => mod(top * pow(mod(bottom), P - 2n));
const root = (n: bigint): bigint | null => {
  const candidate = pow(mod(n), (P + 1n) / 4n);
  return mod(candidate * candidate) === mod(n) ? candidate : null;
};
const onCurve = (x: bigint): boolean => root(x ** 3n + 7n) !== null;
const C = root(-3n) as bigint;
export const number = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
const bytes32 = (n: bigint): Buffer => Buffer.from(n.toString(16).padStart(64, '0'), 'hex');

/** Returns the x coordinate that an encoding of 64 bytes stands for. */
export function xOf(encoding: Uint8Array): bigint {
  const u = mod(number(encoding.subarray(0, 32))) || 1n;
  let t = mod(number(encoding.subarray(32))) || 1n;
  if (mod(u ** 3n + t ** 2n + 7n) === 0n) t = mod(2n * t);
  const X = over(u ** 3n + 7n - t ** 2n, 2n * t);
  const Y = over(X + t, C * u);
  const candidates = [mod(u + 4n * Y * Y), over(-over(X, Y) - u, 2n), over(over(X, Y) - u, 2n)];
  return candidates.find(onCurve) as bigint;
}

/**
 * Returns an encoding of 64 bytes for x: tries random values of u until a t exists in the case of the BIP that needs
 * one square root fewer.
 */
export function encodingOf(x: bigint): Buffer {
  for (;;) {
    const u = number(crypto.randomBytes(32)) % P;
    const beyond = mod(-x - u);
    if (u === 0n || onCurve(beyond)) continue;
    const w = root(over(-(u ** 3n + 7n), u * u + u * x + x * x));
    if (w === null) continue;
    const t = mod(w * (over(u * (1n + C), 2n) + x));
    const encoding = Buffer.concat([bytes32(u), bytes32(t)]);
    if (xOf(encoding) === x) return encoding;
  }
}

export const sha256 = (...parts: Uint8Array[]): Buffer => crypto.createHash('sha256').update(Buffer.concat(parts)).digest();
export const hmac = (key: Uint8Array, ...parts: Uint8Array[]): Buffer =>
  crypto.createHmac('sha256', key).update(Buffer.concat(parts)).digest();

/** Computes v2_ecdh of the BIP. @param first the initiator's encoding; `second` is the responder's */
export function sharedSecret(ecdh: crypto.ECDH, first: Uint8Array, second: Uint8Array, theirs: Uint8Array): Buffer {
  const x = ecdh.computeSecret(Buffer.concat([Buffer.from([2]), bytes32(xOf(theirs))]));
  const tag = sha256(Buffer.from('bip324_ellswift_xonly_ecdh'));
  return sha256(tag, tag, first, second, x);
}

const nonce = (low: number, epoch: number): Buffer => {
  const out = Buffer.alloc(12);
  out.writeUInt32LE(low, 0);
  out.writeUInt32LE(epoch, 4);
  return out;
};

/** Keys of one direction. The keys of later epochs are derived when they are reached. */
class Direction {
  #count = 0;
  #lengthKey: Buffer;
  #packetKey: Buffer;
  constructor(lengthKey: Buffer, packetKey: Buffer) {
    this.#lengthKey = lengthKey;
    this.#packetKey = packetKey;
  }

  /** Returns the mask for the length of packet n. Computes the whole key stream of the epoch each time. */
  #mask(): Buffer {
    return this.#stream().subarray((this.#count % 224) * 3, (this.#count % 224) * 3 + 3);
  }
  #stream(): Buffer {
    const iv = Buffer.concat([Buffer.alloc(4), nonce(0, Math.floor(this.#count / 224))]);
    return crypto.createCipheriv('chacha20', this.#lengthKey, iv).update(Buffer.alloc(224 * 3 + 32));
  }
  #next(): void {
    const epoch = Math.floor(this.#count / 224);
    if (this.#count % 224 === 223) {
      this.#lengthKey = this.#stream().subarray(224 * 3);
      const cipher = crypto.createCipheriv('chacha20-poly1305', this.#packetKey, nonce(0xffffffff, epoch), { authTagLength: 16 });
      this.#packetKey = cipher.update(Buffer.alloc(32));
    }
    this.#count++;
  }
  #xor(three: Uint8Array): Buffer {
    const mask = this.#mask();
    return Buffer.from(three.map((byte, i) => byte ^ (mask[i] as number)));
  }

  seal(contents: Uint8Array, aad: Uint8Array, header: number, length = contents.length): Buffer {
    const head = this.#xor(Buffer.from([length & 255, (length >> 8) & 255, length >> 16]));
    const at = nonce(this.#count % 224, Math.floor(this.#count / 224));
    const cipher = crypto.createCipheriv('chacha20-poly1305', this.#packetKey, at, { authTagLength: 16 });
    cipher.setAAD(aad, { plaintextLength: contents.length + 1 });
    const body = Buffer.concat([cipher.update(Buffer.from([header])), cipher.update(contents), cipher.final(), cipher.getAuthTag()]);
    this.#next();
    return Buffer.concat([head, body]);
  }

  /** Decrypts the first packet. @returns null while the packet is incomplete */
  open(buffer: Buffer, aad: Uint8Array): { header: number; contents: Buffer; used: number } | null {
    if (buffer.length < 3) return null;
    const [a, b, c] = this.#xor(buffer.subarray(0, 3)) as unknown as [number, number, number];
    const used = 3 + 1 + (a | (b << 8) | (c << 16)) + 16;
    if (buffer.length < used) return null;
    const at = nonce(this.#count % 224, Math.floor(this.#count / 224));
    const cipher = crypto.createDecipheriv('chacha20-poly1305', this.#packetKey, at, { authTagLength: 16 });
    cipher.setAAD(aad, { plaintextLength: used - 19 });
    cipher.setAuthTag(buffer.subarray(used - 16, used));
    const plain = Buffer.concat([cipher.update(buffer.subarray(3, used - 16)), cipher.final()]);
    this.#next();
    return { header: plain[0] as number, contents: plain.subarray(1), used };
  }
}

/** Short message ids of the BIP that the tests use. */
const shortNames: Record<number, string> = {
  2: 'block',
  3: 'blocktxn',
  4: 'cmpctblock',
  5: 'feefilter',
  11: 'getdata',
  12: 'getheaders',
  13: 'headers',
  14: 'inv',
  17: 'notfound',
  18: 'ping',
  19: 'pong',
  20: 'sendcmpct',
  21: 'tx',
  28: 'addrv2',
};
const shortNumbers = new Map(Object.entries(shortNames).map(([id, name]) => [name, Number(id)]));

export interface V2Manner {
  readonly initiating?: boolean;
  readonly garbage?: Uint8Array;
  /** Number of decoys to send before the version packet; contents of the version packet. */
  readonly decoys?: number;
  readonly versionContents?: Uint8Array;
  /** True: send full names even for messages with a short id. */
  readonly longNames?: boolean;
  readonly magic?: Uint8Array;
}

export class V2Codec implements Codec {
  readonly encoding: Buffer;
  readonly #ecdh = crypto.createECDH('secp256k1');
  readonly #manner: Required<V2Manner>;
  #stage: 'key' | 'garbage' | 'version' | 'messages' = 'key';
  #sending: Direction | undefined;
  #receiving: Direction | undefined;
  #mark: Buffer = Buffer.alloc(0);
  #aad: Buffer = Buffer.alloc(0);
  sessionId = '';
  /** Number of decoy packets that were received. */
  decoysSeen = 0;
  garbageSeen = -1;

  constructor(
    private readonly write: (bytes: Uint8Array) => void,
    manner: V2Manner = {},
  ) {
    this.#manner = {
      initiating: true,
      garbage: crypto.randomBytes(crypto.randomInt(100)),
      decoys: 0,
      versionContents: Buffer.alloc(0),
      longNames: false,
      magic: Buffer.from('fabfb5da', 'hex'),
      ...manner,
    };
    this.#ecdh.generateKeys();
    this.encoding = encodingOf(number(this.#ecdh.getPublicKey(null, 'compressed').subarray(1)));
  }

  get ready(): boolean {
    return this.#stage === 'messages';
  }

  /** Returns the first bytes to send. */
  hello(): Buffer {
    return Buffer.concat([this.encoding, this.#manner.garbage]);
  }

  encode(command: string, payload: Uint8Array): Buffer {
    const id = this.#manner.longNames ? undefined : shortNumbers.get(command);
    const long = Buffer.alloc(13);
    long.write(command, 1, 'latin1');
    return this.seal(Buffer.concat([id === undefined ? long : Buffer.from([id]), payload]));
  }

  /** Encrypts a packet with any contents. @param length length to declare, if it should be wrong */
  seal(contents: Uint8Array, header = 0, length = contents.length): Buffer {
    return (this.#sending as Direction).seal(contents, Buffer.alloc(0), header, length);
  }

  cut(buffer: Buffer): Cut | null {
    if (this.#stage === 'key') return buffer.length < 64 ? null : this.#agree(buffer.subarray(0, 64));
    if (this.#stage === 'garbage') {
      const at = buffer.indexOf(this.#mark);
      if (at < 0) return null;
      this.garbageSeen = at;
      this.#aad = Buffer.from(buffer.subarray(0, at));
      this.#stage = 'version';
      return { used: at + 16, message: null };
    }
    const packet = (this.#receiving as Direction).open(buffer, this.#aad);
    if (packet === null) return null;
    const { contents, header, used } = packet;
    this.#aad = Buffer.alloc(0);
    if ((header & 128) !== 0) this.decoysSeen++;
    else if (this.#stage === 'version') this.#stage = 'messages';
    else return { used, message: named(contents) };
    return { used, message: null };
  }

  #agree(theirs: Buffer): Cut {
    const { initiating, magic, garbage, decoys, versionContents } = this.#manner;
    const [first, second] = initiating ? [this.encoding, theirs] : [theirs, this.encoding];
    const prk = hmac(Buffer.concat([Buffer.from('bitcoin_v2_shared_secret'), magic]), sharedSecret(this.#ecdh, first, second, theirs));
    const expand = (info: string): Buffer => hmac(prk, Buffer.from(info), Buffer.from([1]));
    const way = (who: string): Direction => new Direction(expand(`${who}_L`), expand(`${who}_P`));
    const marks = expand('garbage_terminators');
    const [mine, other] = initiating ? ['initiator', 'responder'] : ['responder', 'initiator'];
    this.#sending = way(mine as string);
    this.#receiving = way(other as string);
    this.#mark = initiating ? marks.subarray(16) : marks.subarray(0, 16);
    this.sessionId = expand('session_id').toString('hex');
    this.#stage = 'garbage';
    const packets = Array.from({ length: decoys }, () => [crypto.randomBytes(crypto.randomInt(50)), 128] as const);
    const all = [...packets, [versionContents, 0] as const].map(([contents, header], i) =>
      (this.#sending as Direction).seal(contents, i === 0 ? garbage : Buffer.alloc(0), header),
    );
    this.write(Buffer.concat([initiating ? marks.subarray(0, 16) : marks.subarray(16), ...all]));
    return { used: 64, message: null };
  }
}

function named(contents: Buffer): { command: string; payload: Buffer } {
  const id = contents[0] as number;
  if (id !== 0) return { command: shortNames[id] ?? `#${id}`, payload: Buffer.from(contents.subarray(1)) };
  return { command: contents.subarray(1, 13).toString('latin1').replace(/\0+$/, ''), payload: Buffer.from(contents.subarray(13)) };
}
