// Targets for input from peers and other wallets: messages and their frames, addresses as text, partially signed
// transactions.
import { ByteReader, DecodeError } from '../../../src/consensus/bytes/reader.js';
import { ByteWriter } from '../../../src/consensus/bytes/writer.js';
import { chainParams } from '../../../src/consensus/params/networks.js';
import { buildTx } from '../../../src/consensus/tx/build-tx.js';
import { parseTx } from '../../../src/consensus/tx/tx-view.js';
import { type EllSwiftKey, encodeEllSwift } from '../../../src/crypto/ellswift.js';
import { createEllSwift } from '../../../src/crypto/native/ell-swift.js';
import { createNativeCrypto } from '../../../src/crypto/native/index.js';
import { parseSubnet, subnetContains, subnetText } from '../../../src/net/peer/bans.js';
import { Session } from '../../../src/net/transport/session.js';
import { nameBytes } from '../../../src/net/transport/short-ids.js';
import type { Transport } from '../../../src/net/transport/transport.js';
import { V1Transport } from '../../../src/net/transport/v1-transport.js';
import { MAX_CONTENTS_BYTES, V2Transport } from '../../../src/net/transport/v2-transport.js';
import {
  decodeBlockTxRequest,
  decodeBlockTxs,
  decodeCompactBlock,
  encodeBlockTxRequest,
  encodeBlockTxs,
  encodeCompactBlock,
} from '../../../src/net/wire/compact-block.js';
import { encodeFrame } from '../../../src/net/wire/frame.js';
import {
  decodeAddr,
  decodeAddrV2,
  decodeFilterCheckpoints,
  decodeFilterRange,
  decodeHeaders,
  decodeInv,
  decodeLocator,
  decodeSendCmpct,
  decodeU64,
  decodeVersion,
  encodeAddr,
  encodeAddrV2,
  encodeHeaders,
  encodeInv,
  encodeLocator,
  encodeSendCmpct,
  encodeU64,
  encodeVersion,
  sanitized,
  TooMany,
} from '../../../src/net/wire/messages.js';
import {
  addressText,
  groupOf,
  isLocal,
  isRoutable,
  parseHost,
  readAddressV2,
  splitHostPort,
  writeAddressV2,
} from '../../../src/net/wire/net-address.js';
import { combinePsbts } from '../../../src/psbt/combine-psbts.js';
import { createPsbt } from '../../../src/psbt/create-psbt.js';
import { encodePsbt } from '../../../src/psbt/encode-psbt.js';
import { extractTx } from '../../../src/psbt/extract-tx.js';
import { PsbtError } from '../../../src/psbt/psbt-reader.js';
import { readPsbt } from '../../../src/psbt/read-psbt.js';
import { addressBook } from '../../framework/address-book.js';
import { testKey } from '../../framework/keys.js';
import { type Dice, textOf, utf8, wordsOf } from './dice.js';
import { randomTx } from './law-targets.js';
import { attempt, Find, hold, same, succeeds, type Target } from './target.js';

const crypto = createNativeCrypto();
const { magic } = chainParams('regtest');
const zeros = new Uint8Array(32);

/** A decoder that may say that there are too many of something. */
function decoded<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof DecodeError || error instanceof TooMany) return undefined;
    throw error;
  }
}

/** A payload must decode to a value, and the encoding of this value must decode to the same value. */
interface Message {
  readonly name: string;
  make(dice: Dice): Uint8Array;
  decode(payload: Uint8Array): unknown;
  encode?(value: never): Uint8Array;
}

const hashList = (dice: Dice, most: number): Uint8Array[] => Array.from({ length: dice.below(most) }, () => dice.bytes(32));
const address = (dice: Dice) => ({ network: 'ipv4' as const, bytes: Uint8Array.of(127, 0, dice.below(256), 1), port: dice.below(65536) });
const known = (dice: Dice) => ({ ...address(dice), time: dice.bits(), services: 9n });

const messages: readonly Message[] = [
  {
    name: 'version',
    make: (dice) =>
      encodeVersion({
        version: 70016,
        services: 1033n,
        time: 1_700_000_000n,
        addressOfReceiver: address(dice),
        addressOfSender: null,
        nonce: BigInt(dice.bits()),
        userAgent: dice.pick(['/x:1/', '', 'é'.repeat(100)]),
        startHeight: dice.below(1e6),
        relay: dice.oneIn(2),
      }),
    decode: (payload) => {
      const version = decodeVersion(payload);
      hold(/^[ -~]*$/.test(sanitized(version.userAgent)), 'a user agent that is not fit to be shown');
      return version;
    },
  },
  {
    name: 'inv',
    make: (dice) => encodeInv(hashList(dice, 4).map((hash) => ({ type: dice.pick([1, 2, 5, 0x40000002, 99]), hash }))),
    decode: decodeInv,
    encode: encodeInv as (value: never) => Uint8Array,
  },
  {
    name: 'getheaders',
    make: (dice) => encodeLocator({ locator: hashList(dice, 4), stop: zeros }, 70016),
    decode: decodeLocator,
    encode: ((value: { locator: Uint8Array[]; stop: Uint8Array }) => encodeLocator(value, 1)) as (value: never) => Uint8Array,
  },
  {
    name: 'headers',
    make: (dice) => encodeHeaders(Array.from({ length: dice.below(3) }, () => dice.bytes(80))),
    decode: decodeHeaders,
    encode: encodeHeaders as (value: never) => Uint8Array,
  },
  {
    name: 'addr',
    make: (dice) => encodeAddr(Array.from({ length: dice.below(4) }, () => known(dice))),
    decode: decodeAddr,
    encode: encodeAddr as (value: never) => Uint8Array,
  },
  {
    name: 'addrv2',
    make: (dice) => encodeAddrV2(Array.from({ length: dice.below(4) }, () => known(dice))),
    decode: (payload) => {
      const found = decodeAddrV2(payload);
      for (const at of found) {
        const writer = new ByteWriter();
        writeAddressV2(writer, at);
        const again = readAddressV2(new ByteReader(writer.finish()));
        hold(again !== null && addressText(again) === addressText(at), 'an address changes');
        isRoutable(at);
        isLocal(at);
        groupOf(at);
      }
      return found;
    },
    encode: encodeAddrV2 as (value: never) => Uint8Array,
  },
  { name: 'ping', make: (dice) => encodeU64(BigInt(dice.bits())), decode: decodeU64, encode: encodeU64 as (value: never) => Uint8Array },
  {
    name: 'sendcmpct',
    make: (dice) => encodeSendCmpct({ announce: dice.oneIn(2) ? 1 : 0, version: 2n }),
    decode: decodeSendCmpct,
    encode: encodeSendCmpct as (value: never) => Uint8Array,
  },
  { name: 'getcfilters', make: (dice) => dice.bytes(37), decode: decodeFilterRange },
  { name: 'getcfcheckpt', make: (dice) => dice.bytes(33), decode: decodeFilterCheckpoints },
  {
    name: 'cmpctblock',
    make: (dice) =>
      encodeCompactBlock({
        header: dice.bytes(80),
        nonce: BigInt(dice.bits()),
        shortIds: Array.from({ length: dice.below(4) }, () => dice.bits()),
        prefilled: dice.oneIn(2) ? [{ index: dice.below(3), tx: parseTx(randomTx(dice), crypto) }] : [],
      }),
    decode: (payload) => decodeCompactBlock(payload, crypto),
    encode: encodeCompactBlock as (value: never) => Uint8Array,
  },
  {
    name: 'getblocktxn',
    make: (dice) => encodeBlockTxRequest({ hash: dice.bytes(32), indexes: [0, 3, 4].slice(0, dice.below(4)) }),
    decode: decodeBlockTxRequest,
    encode: encodeBlockTxRequest as (value: never) => Uint8Array,
  },
  {
    name: 'blocktxn',
    make: (dice) =>
      encodeBlockTxs(
        dice.bytes(32),
        Array.from({ length: dice.below(3) }, () => parseTx(randomTx(dice), crypto)),
      ),
    decode: (payload) => decodeBlockTxs(payload, crypto),
    encode: ((value: ReturnType<typeof decodeBlockTxs>) => encodeBlockTxs(value.hash, value.txs)) as (value: never) => Uint8Array,
  },
];

/** Names of messages with payloads of their own. */
export const messageNames: readonly string[] = messages.map(({ name }) => name);

/** Makes a payload of a message, valid or damaged. */
export function randomPayload(dice: Dice, place: number): Uint8Array {
  const payload = messages[place % messages.length].make(dice);
  return dice.oneIn(4) ? payload : dice.mutate(payload);
}

const payloads: Target = {
  name: 'p2p-payload',
  share: 12,
  make(dice) {
    const place = dice.below(messages.length);
    return Uint8Array.from([place, ...randomPayload(dice, place)]);
  },
  check(input) {
    const message = messages[(input[0] ?? 0) % messages.length];
    const payload = input.subarray(1);
    const value = decoded(() => message.decode(payload));
    if (value === undefined) return false;
    if (message.encode) {
      const bytes = message.encode(value as never);
      // In the input, counts may be longer than necessary, and bytes may follow the message. After decoding and
      // encoding, there is only one form.
      const again = message.encode(message.decode(bytes) as never);
      hold(same(again, bytes), `${message.name} does not encode back`);
    }
    return true;
  },
};

const frames: Target = {
  name: 'p2p-frame',
  share: 4,
  make(dice) {
    const parts = Array.from({ length: 1 + dice.below(3) }, () =>
      encodeFrame(magic, dice.pick(['ping', 'verack', 'inv', '', 'abcdefghijkl']), dice.bytes(dice.below(30)), crypto),
    );
    const stream = Uint8Array.from(Buffer.concat(parts));
    return dice.oneIn(3) ? stream : dice.mutate(stream, [magic]);
  },
  check(input) {
    return streamReads(input, () => new V1Transport(magic, crypto, () => {}));
  },
};

/**
 * Reads a stream as a whole and in pieces; both must give the same result.
 * @returns true if the stream contained a message
 */
function streamReads(input: Uint8Array, create: () => Transport): boolean {
  const read = (step: number): { frames: string[]; fault: string | null; held: number } => {
    const reader = create();
    const frames: string[] = [];
    for (let at = 0; at < input.length; at += step) {
      reader.push(input.subarray(at, at + step));
      for (let frame = reader.next(); frame !== null; frame = reader.next())
        frames.push(`${frame.command}:${frame.payload === null ? frame.fault : Buffer.from(frame.payload).toString('hex')}`);
    }
    return { frames, fault: reader.fault, held: reader.held };
  };
  const whole = read(input.length || 1);
  hold(whole.held <= input.length, 'holds more than it was sent');
  const pieces = read(1 + ((input[7] ?? 0) % 9));
  hold(JSON.stringify(pieces.frames) === JSON.stringify(whole.frames) && pieces.fault === whole.fault, 'in pieces it is another stream');
  return whole.frames.length > 0;
}

const curve = createEllSwift(crypto);
/** Makes a key that is the same in every process, so that a find can be repeated. */
function fixedKey(index: number): EllSwiftKey {
  const { secret, xonly } = testKey(index);
  let draws = index;
  const random = (bytes: number): Uint8Array => {
    const hash = crypto.sha256(Uint8Array.of(draws & 0xff, draws++ >> 8));
    return Uint8Array.from({ length: bytes }, (_, i) => hash[i % 32] as number);
  };
  return { secret, encoding: encodeEllSwift(xonly, random) };
}
const [callerKey, calledKey] = [fixedKey(1), fixedKey(2)];
const callerSecret = curve.sharedSecret(callerKey, calledKey.encoding, true);
/** Returns the same keys at once for every connection, so that bytes encrypted once can be read many times. */
const sameKeys = {
  createKey: (_initiating: boolean, done: (key: EllSwiftKey) => void) => {
    done({ secret: calledKey.secret.slice(), encoding: calledKey.encoding });
    return () => {};
  },
  computeSecret: (initiating: boolean, ours: EllSwiftKey, theirs: Uint8Array, done: (secret: Uint8Array) => void) => {
    done(same(theirs, callerKey.encoding) ? callerSecret.slice() : curve.sharedSecret(ours, theirs, initiating));
    return () => {};
  },
};

/** The bytes of a caller: key, garbage, its terminator, packets; complete, or damaged before or after encryption. */
const encrypted: Target = {
  name: 'p2p-v2',
  share: 2,
  make(dice) {
    const session = new Session(callerSecret.slice(), magic, true);
    const garbage = dice.bytes(dice.below(dice.oneIn(8) ? 4_097 : 40));
    const packets = Array.from({ length: 1 + dice.below(6) }, (_, i) => {
      const named = [nameBytes(dice.pick(['ping', 'inv', 'abcdefghijkl', 'verack'])), dice.bytes(dice.below(40))];
      const contents = dice.oneIn(4) ? dice.mutate(Buffer.concat(named)).subarray(0, MAX_CONTENTS_BYTES) : Buffer.concat(named);
      return session.encrypt([contents], i === 0 ? garbage : new Uint8Array(0), dice.oneIn(4));
    });
    const stream = new Uint8Array(Buffer.concat([callerKey.encoding, garbage, session.sendTerminator, ...packets]));
    return dice.oneIn(2) ? stream : dice.mutate(stream, [magic, session.sendTerminator]);
  },
  check: (input) =>
    streamReads(
      input,
      () => new V2Transport({ magic, hashes: crypto, initiating: false, keys: sameKeys }, { write: () => {}, progress: () => {} }),
    ),
};

const hostWords = wordsOf(...'127.0.0.1 ::1 [::1]:8333 /24 /255.255.255.0 onion fc00:: . : / 0 abcdefghijklmnop.onion'.split(' '));

const hosts: Target = {
  name: 'host-subnet',
  share: 6,
  make: (dice) =>
    dice.mutate(
      utf8(
        dice.pick([
          ...'127.0.0.1 10.0.0.0/8 [2001:db8::1]:18444 2001:db8::/32 1.2.3.4:8333'.split(' '),
          ...'pg6mmjiyjmcrsslvykfwnntlaru7p5svn6y2ymmju6nubxndf4pscryd.onion localhost'.split(' '),
        ]),
      ),
      hostWords,
    ),
  check(input) {
    const text = textOf(input);
    const split = splitHostPort(text, 8333);
    let good = false;
    if (split !== null) {
      hold(Number.isInteger(split.port) && split.port >= 0 && split.port <= 65535, 'port');
      const at = parseHost(split.host, split.port);
      if (at !== null) {
        const shown = splitHostPort(addressText(at), 1);
        const again = shown === null ? null : parseHost(shown.host, shown.port);
        hold(again !== null && addressText(again) === addressText(at), `${addressText(at)} does not read back`);
        good = true;
      }
    }
    const subnet = parseSubnet(text);
    if (subnet !== null) {
      const again = parseSubnet(subnetText(subnet));
      hold(again !== null && subnetText(again) === subnetText(subnet), `${subnetText(subnet)} does not read back`);
      hold(subnetContains(subnet, subnet.address), 'a subnet without its own address');
      good = true;
    }
    return good;
  },
};

const book = addressBook(
  () => 1_700_000_000,
  () => 0.5,
);
for (let i = 0; i < 3; i++) {
  const at = { network: 'ipv4' as const, bytes: Uint8Array.of(8, 8 + i, 8, 8), port: 8333 };
  book.add({ ...at, time: 1_699_999_000, services: 9n }, at);
}
const bookBytes = new Uint8Array(book.encode());

const addressBooks: Target = {
  name: 'peers.dat',
  share: 0.3,
  make(dice) {
    const body = dice.mutate(bookBytes.subarray(0, -4));
    // In most cases the checksum is correct, so that the checks after it are reached.
    return dice.oneIn(8) ? body : Uint8Array.from([...body, ...crypto.sha256(body).subarray(0, 4)]);
  },
  check(input) {
    const manager = addressBook(
      () => 1_700_000_000,
      () => 0.5,
    );
    if (!succeeds(DecodeError, () => manager.load(input))) return false;
    hold(manager.size <= input.length, 'more addresses than bytes');
    manager.encode();
    return true;
  },
};

const key = testKey(1);
const signature = key.signForScript(new Uint8Array(32).fill(3), 1);
const previous = parseTx(
  buildTx({
    version: 2,
    inputs: [{ prevHash: new Uint8Array(32).fill(1), prevIndex: 0, scriptSig: new Uint8Array(0), sequence: 1 }],
    outputs: [{ value: 5000, script: Uint8Array.from([0, 20, ...new Uint8Array(20)]) }],
    locktime: 0,
  }),
  crypto,
);

/** Makes fields of a map as bytes: valid ones, ones of the wrong size, unknown ones. */
function randomMap(dice: Dice, fields: readonly (readonly [key: Uint8Array, value: Uint8Array])[]): Uint8Array {
  const writer = new ByteWriter();
  for (const [name, value] of fields) {
    if (dice.oneIn(3)) continue;
    writer.varBytes(name).varBytes(dice.oneIn(12) ? dice.mutate(value) : value);
  }
  if (dice.oneIn(3)) writer.varBytes(Uint8Array.of(dice.below(256), ...dice.bytes(dice.below(4)))).varBytes(dice.bytes(dice.below(40)));
  return writer.u8(0).finish();
}

function randomPsbt(dice: Dice): Uint8Array {
  const spends = 1 + dice.below(2);
  const tx = parseTx(
    buildTx({
      version: 2,
      inputs: Array.from({ length: spends }, () => ({ prevHash: previous.txid, prevIndex: 0, scriptSig: new Uint8Array(0), sequence: 0 })),
      outputs: [{ value: 1000, script: Uint8Array.of(0x51) }],
      locktime: 0,
    }),
    crypto,
  );
  if (dice.oneIn(4)) return encodePsbt(createPsbt(tx, crypto), crypto);
  const origin = Uint8Array.from([1, 2, 3, 4, 0, 0, 0, 128]);
  const utxo = Uint8Array.from([...new ByteWriter().u64(5000n).finish(), 22, 0, 20, ...new Uint8Array(20)]);
  const inputFields = [
    [Uint8Array.of(0), previous.bytes],
    [Uint8Array.of(1), utxo],
    [Uint8Array.from([2, ...key.publicKey]), signature],
    [Uint8Array.of(3), Uint8Array.of(1, 0, 0, 0)],
    [Uint8Array.of(4), Uint8Array.of(0x51)],
    [Uint8Array.of(5), Uint8Array.of(0x51)],
    [Uint8Array.from([6, ...key.publicKey]), origin],
    [Uint8Array.of(7), Uint8Array.of(0x51)],
    [Uint8Array.of(8), Uint8Array.of(1, 1, 7)],
    [Uint8Array.of(0x13), new Uint8Array(64).fill(1)],
    [Uint8Array.from([0x15, 0xc0, ...key.xonly]), Uint8Array.of(0x51, 0xc0)],
    [Uint8Array.from([0x16, ...key.xonly]), Uint8Array.from([0, ...origin])],
    [Uint8Array.of(0x17), key.xonly],
    [Uint8Array.of(0x18), zeros],
  ] as const;
  const outputFields = [
    [Uint8Array.of(0), Uint8Array.of(0x51)],
    [Uint8Array.of(1), Uint8Array.of(0x51)],
    [Uint8Array.from([2, ...key.publicKey]), origin],
    [Uint8Array.of(5), key.xonly],
    [Uint8Array.of(6), Uint8Array.of(0, 0xc0, 1, 0x51)],
    [Uint8Array.from([7, ...key.xonly]), Uint8Array.from([0, ...origin])],
  ] as const;
  const parts = [
    Uint8Array.of(0x70, 0x73, 0x62, 0x74, 0xff),
    new ByteWriter().varBytes(Uint8Array.of(0)).varBytes(tx.bytes).u8(0).finish(),
    ...Array.from({ length: spends }, () => randomMap(dice, inputFields)),
    randomMap(dice, outputFields),
  ];
  return Uint8Array.from(Buffer.concat(parts));
}

const psbts: Target = {
  name: 'psbt',
  share: 6,
  make: (dice) => (dice.oneIn(2) ? randomPsbt(dice) : dice.mutate(randomPsbt(dice))),
  check(input) {
    const psbt = attempt(PsbtError, () => readPsbt(input, crypto));
    if (psbt === undefined) return false;
    const bytes = encodePsbt(psbt, crypto);
    const again = attempt(PsbtError, () => readPsbt(bytes, crypto));
    if (again === undefined) throw new Find('what was written is not read');
    hold(same(encodePsbt(again, crypto), bytes), 'does not encode back');
    const both = combinePsbts([psbt, again], crypto);
    hold(both !== null && same(encodePsbt(both, crypto), bytes), 'combined with itself it is another');
    parseTx(extractTx(psbt), crypto);
    return true;
  },
};

export const peerTargets: readonly Target[] = [payloads, frames, encrypted, hosts, addressBooks, psbts];
