// A client's connection as a machine: a session in pieces of any size, and everything that must end it.
import t from 'tap';
import { createAead } from '../../../src/crypto/native/aead.js';
import { createEllSwift } from '../../../src/crypto/native/ell-swift.js';
import { createNativeHashes } from '../../../src/crypto/native/hashes.js';
import { type ConnectionEvent, Sv2Connection } from '../../../src/sv2/connection.js';
import { constraintsPayload, decodeMessage, setupPayload } from '../../framework/sv2-client.js';
import { authorityOf, NoiseInitiator } from '../../framework/sv2-noise.js';
import { fileSuite, readJson, tally } from '../../framework/vector-suite.js';

const hashes = createNativeHashes();
const ellSwift = createEllSwift(hashes);
const identity = { staticKey: ellSwift.createKey(), certificate: new Uint8Array(74) };
const connect = (): Sv2Connection => new Sv2Connection({ hashes, aead: createAead(), ellSwift, identity: () => identity });

/** Pushes and collects what comes of it. */
function feed(connection: Sv2Connection, bytes: Uint8Array): ConnectionEvent[] {
  const events: ConnectionEvent[] = [];
  connection.push(bytes);
  for (let event = connection.next(); event !== null; event = connection.next()) events.push(event);
  return events;
}

/** Act 1 and act 2. */
function shake(connection: Sv2Connection): NoiseInitiator {
  const client = new NoiseInitiator();
  const [answer] = feed(connection, client.act1);
  if (answer?.kind !== 'send') throw new Error('no act 2');
  client.finish(answer.bytes, null, 0);
  return client;
}

/** The same, with SetupConnection. */
function open(connection: Sv2Connection): NoiseInitiator {
  const client = shake(connection);
  if (feed(connection, client.frame(0, 0, setupPayload()))[0]?.kind !== 'setup') throw new Error('no setup');
  return client;
}

const close = (events: ConnectionEvent[]): string => {
  const last = events.at(-1);
  return last?.kind === 'close' ? last.reason : `not closed: ${last?.kind}`;
};

t.test('processes a session that arrives in pieces of any size', async (t) => {
  for (const size of [1, 7, 1_000_000]) {
    const connection = connect();
    const client = shake(connection);
    const solution = Buffer.alloc(22 + 3, 9);
    solution.writeUInt16LE(3, 20);
    const bytes = Buffer.concat([
      client.frame(0, 0x00, setupPayload({ vendor: 'v'.repeat(255) })),
      client.frame(1, 0x00, Buffer.from([5, 0, 1, 0, 2, 0])),
      client.frame(0, 0x70, constraintsPayload(66, 400)),
      client.frame(0x7abc, 0x76, Buffer.from('of an extension')),
      client.frame(0x8000, 0x76, Buffer.from('of a channel')),
      client.frame(0, 0x00, setupPayload()),
      client.frame(0, 0x73, Buffer.from('0100000000000080', 'hex')),
      client.frame(0, 0x76, solution),
    ]);
    const events: ConnectionEvent[] = [];
    for (let at = 0; at < bytes.length; at += size) events.push(...feed(connection, bytes.subarray(at, at + size)));
    t.same(
      events.map(({ kind }) => kind),
      ['setup', 'send', 'constraints', 'ignored', 'ignored', 'ignored', 'data', 'solution'],
      `pieces of ${size}`,
    );
    t.match(events[2], { constraints: { maxAdditionalSize: 66, maxAdditionalSigops: 400 } });
    t.match(events[6], { templateId: 0x8000000000000001n });
    const refusal = events[1];
    const plain = refusal?.kind === 'send' ? client.open(refusal.bytes.subarray(0, 22)) : Buffer.alloc(6);
    t.equal(plain.toString('hex'), '010002080000', 'RequestExtensions.Error under its extension');
    const payload = refusal?.kind === 'send' ? client.open(refusal.bytes.subarray(22)) : Buffer.alloc(0);
    t.same(decodeMessage(1, 2, payload), { kind: 'extensions-error', request: 5, unsupported: [2], required: 0 });
    t.equal(connection.held, 0);
  }
});

t.test('ends a connection at malformed, oversized, repeated or out-of-order messages', async (t) => {
  const random = connect();
  feed(random, Buffer.alloc(64, 7));
  t.equal(close(feed(random, Buffer.alloc(40, 9))), 'handshake', 'any 64 bytes are a key, what follows must decrypt');

  const early = connect();
  t.equal(close(feed(early, shake(early).frame(0, 0x70, constraintsPayload(1, 1)))), 'out-of-order', 'constraints before SetupConnection');

  const replayed = connect();
  const client = open(replayed);
  const frame = client.frame(0, 0x70, constraintsPayload(1, 1));
  t.equal(feed(replayed, frame)[0]?.kind, 'constraints');
  t.equal(close(feed(replayed, frame)), 'decryption', 'the same bytes again');

  const changed = connect();
  const bytes = open(changed).frame(0, 0x70, constraintsPayload(1, 1));
  bytes[bytes.length - 1]! ^= 1;
  t.equal(close(feed(changed, bytes)), 'decryption');

  const oversized = connect();
  const header = open(oversized).frame(0, 0x76, Buffer.alloc(0), 65_558);
  t.equal(close(feed(oversized, header)), 'oversized', 'by its header alone');
  t.equal(feed(oversized, Buffer.alloc(1_000_000)).length, 0);
  t.equal(oversized.held, 0, 'no more bytes are held');

  const largest = connect();
  const most = open(largest);
  const solution = Buffer.alloc(65_557);
  solution.writeUInt16LE(65_535, 20);
  t.equal(feed(largest, most.frame(0, 0x76, solution))[0]?.kind, 'solution', 'the longest solution');

  for (const [type, length] of [
    [0x70, 0],
    [0x70, 3],
    [0x70, 7],
    [0x73, 7],
    [0x76, 21],
    [0x76, 23],
  ] as const) {
    const malformed = connect();
    const payload = Buffer.alloc(length);
    t.equal(close(feed(malformed, open(malformed).frame(0, type, payload))), 'malformed', `${type} of ${length} bytes`);
  }

  const versions = connect();
  const events = feed(versions, shake(versions).frame(0, 0, setupPayload({ min: 3, max: 3 })));
  t.same(
    events.map(({ kind }) => kind),
    ['send', 'close'],
    'the error goes out before the end',
  );
  t.equal(versions.open, false);
});

interface Reject {
  readonly name: string;
  readonly expect: string;
  readonly now: number;
  readonly initiator_ephemeral_secret: string;
  readonly act1: string;
  readonly act2: string;
  readonly authority_x: string;
}

// The tests' own client, on which the tests above rely.
fileSuite('sv2/noise_reject.json', (t) => {
  const rows = readJson<Reject[]>('sv2/noise_reject.json');
  const failures = rows.filter((row) => {
    const client = new NoiseInitiator({
      secret: Buffer.from(row.initiator_ephemeral_secret, 'hex'),
      encoding: Buffer.from(row.act1, 'hex'),
    });
    let found = 'accept';
    try {
      client.finish(Buffer.from(row.act2, 'hex'), Buffer.from(row.authority_x, 'hex'), row.now);
    } catch (error) {
      found = (error as Error).message;
    }
    return found !== row.expect;
  });
  tally(
    t,
    'what a client refuses',
    failures.map(({ name }) => name),
    rows.length,
  );
});

fileSuite('sv2/authority_key.json', (t) => {
  const rows = readJson<{ valid: boolean; base58check: string; public_key: string }[]>('sv2/authority_key.json');
  const failures = rows.filter((row) => {
    try {
      const key = authorityOf(row.base58check).toString('hex');
      return !row.valid || key !== row.public_key;
    } catch {
      return row.valid;
    }
  });
  tally(
    t,
    'authority keys as a client reads them',
    failures.map(({ base58check }) => base58check),
    rows.length,
  );
});
