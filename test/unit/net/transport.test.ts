// Tests encrypted connections (BIP-0324) without sockets. Messages arrive as they were sent, however the bytes are cut,
// and with garbage, decoys and key changes. The first bytes choose the transport. Key exchanges are queued, and are
// cancelled when their connection closes.

import { mock } from 'node:test';
import t from 'tap';
import { decodeEllSwift, encodeEllSwift } from '../../../src/crypto/ellswift.js';
import { createEllSwift } from '../../../src/crypto/native/ell-swift.js';
import { createNativeHashes } from '../../../src/crypto/native/hashes.js';
import { KeyExchangeQueue } from '../../../src/net/transport/key-exchange-queue.js';
import { ContentsCipher, LengthCipher } from '../../../src/net/transport/packet-cipher.js';
import { MAX_GARBAGE_BYTES, V2Transport } from '../../../src/net/transport/v2-transport.js';
import { encodeFrame } from '../../../src/net/wire/frame.js';
import { decodeAddrV2, encodeAddrV2 } from '../../../src/net/wire/messages.js';
import { fc } from '../../framework/fast-check.js';
import { TestKey } from '../../framework/keys.js';

const hashes = createNativeHashes();
const curve = createEllSwift(hashes, { prefer: 'packages' });
const magic = Uint8Array.of(0xfa, 0xbf, 0xb5, 0xda);
/** Makes keys at once, without a queue. */
const plainKeys = {
  createKey: (_: boolean, done: (key: ReturnType<typeof curve.createKey>) => void) => {
    done(curve.createKey());
    return () => {};
  },
  computeSecret: (
    initiating: boolean,
    ours: ReturnType<typeof curve.createKey>,
    theirs: Uint8Array,
    done: (secret: Uint8Array) => void,
  ) => {
    done(curve.sharedSecret(ours, theirs, initiating));
    return () => {};
  },
};

/** One side of a connection: the bytes it sends and the messages it has read. */
class Side {
  out: Buffer = Buffer.alloc(0);
  readonly seen: [string, string][] = [];
  readonly transport: V2Transport;
  constructor(initiating: boolean, keys: Pick<KeyExchangeQueue, 'createKey' | 'computeSecret'> = plainKeys) {
    this.transport = new V2Transport(
      { magic, hashes, initiating, keys },
      {
        write: (bytes) => {
          this.out = Buffer.concat([this.out, bytes]);
        },
        progress: () => this.read(),
      },
    );
    this.transport.start();
  }
  take(bytes: Uint8Array): void {
    this.transport.push(bytes);
    this.read();
  }
  read(): void {
    for (let frame = this.transport.next(); frame !== null; frame = this.transport.next())
      if (frame.payload !== null) this.seen.push([frame.command, Buffer.from(frame.payload).toString('hex')]);
  }
}

/** Passes bytes between both sides, in pieces, until none are left. */
function carry(a: Side, b: Side, cuts: readonly number[]): void {
  for (let i = 0; a.out.length + b.out.length > 0; i++) {
    const [from, to] = i % 2 === 0 ? [a, b] : [b, a];
    const piece = from.out.subarray(0, cuts[i % cuts.length] as number);
    from.out = from.out.subarray(piece.length);
    to.take(piece);
  }
}

const message = fc.tuple(fc.constantFrom('ping', 'version', 'inv', 'sendaddrv2xx', 'block'), fc.uint8Array({ maxLength: 300 }));
const cutsOf = fc.array(fc.integer({ min: 1, max: 5_000 }), { minLength: 1, maxLength: 9 });

t.test('delivers messages in both directions unchanged, however the stream is split', async (t) => {
  const run = fc.property(fc.array(message, { maxLength: 12 }), fc.array(message, { maxLength: 12 }), cutsOf, (there, back, cuts) => {
    const [caller, called] = [new Side(true), new Side(false)];
    // Messages that are sent before the keys exist, as the version message is.
    const early = there.slice(0, 1);
    for (const [command, payload] of early) caller.transport.send(command, payload);
    carry(caller, called, cuts);
    for (const [command, payload] of there.slice(1)) caller.transport.send(command, payload);
    for (const [command, payload] of back) called.transport.send(command, payload);
    carry(caller, called, cuts);
    const shown = (rows: readonly [string, Uint8Array][]) =>
      rows.map(([command, payload]) => [command, Buffer.from(payload).toString('hex')]);
    return (
      JSON.stringify(called.seen) === JSON.stringify(shown(there)) &&
      JSON.stringify(caller.seen) === JSON.stringify(shown(back)) &&
      Buffer.compare(caller.transport.sessionId as Uint8Array, called.transport.sessionId as Uint8Array) === 0
    );
  });
  fc.assert(run, { numRuns: 25 });
  t.pass('25 conversations');
});

t.test('delivers many and long packets across rekeying, and fails on a modified one', async (t) => {
  const [caller, called] = [new Side(true), new Side(false)];
  carry(caller, called, [4_096]);
  for (let i = 0; i < 1_000; i++) caller.transport.send('ping', Uint8Array.of(i & 255, i >> 8));
  carry(caller, called, [1_000]);
  t.equal(called.seen.length, 1_000);
  t.same(called.seen.at(-1), ['ping', 'e703']);
  const size = caller.transport.send('block', new Uint8Array(3_900_000));
  t.equal(size, caller.out.length, 'the size that send returned');
  carry(caller, called, [65_536]);
  t.equal(called.seen.at(-1)?.[1].length, 7_800_000);
  t.equal(called.transport.held, 0);
  caller.transport.send('ping', new Uint8Array(8));
  caller.out[10] = (caller.out[10] as number) ^ 0x40;
  carry(caller, called, [7]);
  t.match(called.transport.fault, 'V2 transport error: packet decryption failure (9 bytes)');
});

t.test('returns plain byte arrays, so that a copied part does not retain the whole message', async (t) => {
  const [caller, called] = [new Side(true), new Side(false)];
  carry(caller, called, [4_096]);
  const payload = encodeAddrV2([{ time: 1, services: 0n, network: 'ipv4', bytes: Uint8Array.of(8, 8, 8, 8), port: 1 }]);
  caller.transport.send('addrv2', payload);
  called.transport.push(caller.out);
  const frame = called.transport.next();
  t.equal(frame?.command, 'addrv2');
  const received = frame?.payload as Uint8Array;
  t.equal(received.constructor, Uint8Array);
  t.equal(decodeAddrV2(received)[0]?.bytes.buffer.byteLength, 4, 'an address retains only its own bytes of the message');
});

t.test('detects v1 or v2 transport from the first bytes', async (t) => {
  const clear = new Side(false);
  const frame = Buffer.from(encodeFrame(magic, 'version', Uint8Array.of(1, 2, 3), hashes));
  for (const byte of frame) clear.take(Uint8Array.of(byte));
  t.same([clear.transport.type, clear.seen, clear.out.length], ['v1', [['version', '010203']], 0]);
  clear.transport.send('verack', new Uint8Array(0));
  t.equal(clear.out.length, 24);

  const other = new Side(false);
  other.take(encodeFrame(Uint8Array.of(1, 2, 3, 4), 'version', new Uint8Array(0), hashes));
  t.match(other.transport.fault, 'V2 transport error: V1 peer with wrong MessageStart');

  const hesitant = new Side(false);
  hesitant.take(frame.subarray(0, 15));
  t.same([hesitant.transport.type, hesitant.out.length], ['detecting', 0], 'still either');
  hesitant.take(Uint8Array.of(7));
  t.ok(hesitant.out.length >= 64, 'not a v1 version message: the node sends its key at once');

  const caller = new Side(true);
  t.equal(caller.transport.refused, true, 'a key was sent, nothing came');
  caller.take(Uint8Array.of(1));
  t.equal(caller.transport.refused, false);
});

t.test('fails when the garbage terminator is missing after the largest garbage length', async (t) => {
  const called = new Side(false);
  called.take(new Uint8Array(64).fill(9));
  called.take(new Uint8Array(MAX_GARBAGE_BYTES + 15));
  t.equal(called.transport.fault, null);
  called.take(new Uint8Array(1));
  t.match(called.transport.fault, 'V2 transport error: missing garbage terminator');
  t.equal(called.transport.held, 0);
});

t.test('schedules key exchanges for outbound peers first, and cancels those of closed connections', async (t) => {
  mock.timers.enable({ apis: ['setTimeout', 'setImmediate'] });
  t.teardown(() => mock.timers.reset());
  const done: string[] = [];
  let nowMs = 0;
  const slow = {
    ...curve,
    createKey: () => {
      nowMs += 8;
      return curve.createKey();
    },
  };
  const keys = new KeyExchangeQueue(slow, () => nowMs);
  const cancels = Array.from({ length: 20 }, (_, i) => keys.createKey(false, () => done.push(`in${i}`)));
  keys.createKey(true, () => done.push('out'));
  t.equal(keys.waiting, 21);
  for (const cancel of cancels.slice(8)) cancel();
  t.equal(keys.waiting, 9);
  while (keys.waiting > 0) {
    mock.timers.tick(1);
    nowMs++;
  }
  t.same(done, ['out', ...Array.from({ length: 8 }, (_, i) => `in${i}`)]);
  // Before the ninth key, eight keys have taken 64 ms. 20 ms are allowed at once, the rest at a tenth of the time. Then
  // the ninth key and rounding are added.
  t.equal(nowMs, 450, 'the thread was left to others');

  const gone = new Side(false, keys);
  gone.take(new Uint8Array(64).fill(9));
  t.equal(keys.waiting, 1);
  gone.transport.close();
  t.equal(keys.waiting, 0);
});

t.test('rejects modified or repeated packets, and encrypts lengths across rekeying', async (t) => {
  const key = new Uint8Array(32).fill(3);
  const [seal, open] = [new ContentsCipher(key), new ContentsCipher(key)];
  const none = new Uint8Array(0);
  const packet = Buffer.concat(seal.encrypt(Uint8Array.of(1), [Uint8Array.of(5)]));
  t.equal(open.decrypt(Uint8Array.of(2), packet), null, 'other garbage');
  t.same(open.decrypt(Uint8Array.of(1), packet), Uint8Array.of(5));
  t.equal(open.decrypt(none, packet), null, 'twice the same');
  t.equal(open.decrypt(none, new Uint8Array(15)), null, 'shorter than its tag');
  const lengths = new LengthCipher(key);
  const again = new LengthCipher(key);
  for (let i = 0; i < 500; i++) t.same(again.crypt(lengths.crypt(Uint8Array.of(i & 255, i >> 8, 0))), Buffer.of(i & 255, i >> 8, 0));
});

t.test('encodes a key in many ways, each of which decodes to that key', async (t) => {
  const { xonly } = new TestKey(new Uint8Array(32).fill(0x42));
  const seen = new Set<string>();
  for (let i = 0; i < 20; i++) {
    const encoding = encodeEllSwift(xonly, (bytes) => new Uint8Array(Buffer.from(crypto.getRandomValues(new Uint8Array(bytes)))));
    t.same(decodeEllSwift(encoding), xonly);
    seen.add(Buffer.from(encoding).toString('hex'));
  }
  t.equal(seen.size, 20);
});
