// Attacks that need to know nothing of the chain: bytes, lengths, floods of small messages, peers that don't read, many
// connections.
import { randomBytes, randomFillSync } from 'node:crypto';
import { compactSize, hash256, serializeTx } from '../framework/messages.js';
import { framed, invPayload, locatorPayload, versionPayload } from '../framework/p2p-client.js';
import type { Attack } from './attack.js';
import { rand } from './hostile-peer.js';

const LARGEST = 4_000_000;
const HOLD_MS = 20_000;
const INV_ENTRIES = 50_000;

/** A header that promises so many bytes. */
function promise(command: string, length: number): Buffer {
  const header = framed(command).subarray(0, 24);
  header.writeUInt32LE(length, 16);
  return header;
}

/** Makes an inv or getdata message with unknown entries. */
function unheardOf(type: number, entries = INV_ENTRIES): Buffer {
  const rows = Buffer.alloc(entries * 36);
  randomFillSync(rows);
  for (let at = 0; at < rows.length; at += 36) rows.writeUInt32LE(type, at);
  return Buffer.concat([compactSize(entries), rows]);
}

function addresses(): Buffer {
  const rows = Buffer.alloc(1_000 * 30);
  const now = Math.floor(Date.now() / 1000);
  for (let at = 0; at < rows.length; at += 30) {
    rows.writeUInt32LE(now - rand(500), at);
    rows.writeUInt32LE(1033, at + 4);
    rows.fill(0xff, at + 22, at + 24);
    rows.writeUInt32BE((20 + rand(150)) * 2 ** 24 + rand(2 ** 24), at + 24);
    rows.writeUInt16BE(8333, at + 28);
  }
  return Buffer.concat([compactSize(1_000), rows]);
}

const pings = Buffer.concat(Array.from({ length: 2_000 }, () => framed('ping', Buffer.alloc(8, 9))));
const nonsense = framed('nonsense', randomBytes(1_000_000));
const tiny = Buffer.concat(Array.from({ length: 2_000 }, () => framed('noise')));

/** A transaction without known inputs. @param inputs how many */
function orphan(inputs: number): Buffer {
  const ins = Array.from({ length: inputs }, () => ({ txid: randomBytes(32), index: 0, script: Buffer.alloc(0) }));
  return serializeTx({ version: 2, ins, outs: [{ value: 1_000, script: Buffer.alloc(40, 0x51) }], locktime: 0 });
}

export const streamAttacks: readonly Attack[] = [
  {
    name: 'garbage',
    async run(lane) {
      const peer = await lane.open();
      await peer?.write(rand(2) === 0 ? randomBytes(65_536) : Buffer.concat([framed('x').subarray(0, 4), randomBytes(65_536)]));
      await peer?.lingers(1_000);
    },
  },
  {
    name: 'lengths',
    async run(lane) {
      const peer = await (rand(2) === 0 ? lane.open() : lane.greet());
      const length = [0xffffffff, LARGEST + 1, LARGEST, 0x7fffffff][rand(4)] as number;
      await peer?.write(promise(['block', 'version', 'tx', 'whatever'][rand(4)] as string, length));
      await peer?.lingers(2_000);
    },
  },
  {
    name: 'half-messages',
    async run(lane) {
      const peer = await lane.greet();
      await peer?.write(promise('block', LARGEST));
      for (let sent = 0; sent < 3_900_000 && lane.running() && peer?.closed === false; sent += 65_000)
        await peer.write(randomBytes(65_000), 0);
      await peer?.lingers(HOLD_MS);
    },
  },
  {
    name: 'slow-loris',
    async run(lane) {
      const late = rand(2) === 0;
      const peer = await (late ? lane.open() : lane.greet());
      const bytes = late ? framed('version', versionPayload({})) : promise('headers', 100_000);
      for (let at = 0; at < bytes.length - 1 && lane.running() && peer?.closed === false; at++) {
        await peer.write(bytes.subarray(at, at + 1), 0);
        await peer.lingers(500);
      }
      await peer?.lingers(HOLD_MS);
    },
  },
  {
    name: 'inv-flood',
    async run(lane) {
      const peer = await lane.greet();
      while (lane.running() && peer?.closed === false) await peer.send('inv', unheardOf(rand(4) === 0 ? 2 : 5));
    },
  },
  {
    name: 'addr-flood',
    async run(lane) {
      const peer = await lane.greet();
      await peer?.send('getaddr');
      while (lane.running() && peer?.closed === false) await peer.send('addr', addresses());
    },
  },
  {
    name: 'ping-flood',
    async run(lane) {
      const peer = await lane.greet();
      while (lane.running() && peer?.closed === false) await peer.write(rand(2) === 0 ? pings : tiny, 2_000);
    },
  },
  {
    name: 'unknown-messages',
    async run(lane) {
      const peer = await lane.greet();
      while (lane.running() && peer?.closed === false) await peer.write(nonsense);
    },
  },
  {
    name: 'getdata-unknown',
    async run(lane) {
      const peer = await lane.greet();
      while (lane.running() && peer?.closed === false) await peer.send('getdata', unheardOf([1, 2, 5][rand(3)] as number));
    },
  },
  {
    name: 'slow-readers',
    async run(lane) {
      const peer = await lane.greet();
      if (peer === null) return;
      peer.stopReading();
      const large = lane.facts().large.map((hash) => [rand(2) === 0 ? 2 : 0x40000002, Buffer.from(hash, 'hex').reverse()] as const);
      await peer.send('getdata', invPayload(Array.from({ length: 1_000 }, (_, i) => large[i % large.length] as readonly [number, Buffer])));
      for (let i = 0; i < 200 && lane.running() && !peer.closed; i++) await peer.send('getheaders', locatorPayload([]));
      await peer.lingers(HOLD_MS);
    },
  },
  {
    name: 'getheaders-flood',
    async run(lane) {
      const peer = await lane.greet();
      const locator = Array.from({ length: 101 }, () => randomBytes(32));
      const ask = framed(rand(2) === 0 ? 'getheaders' : 'getblocks', locatorPayload(locator));
      const many = Buffer.concat(Array.from({ length: 20 }, () => ask));
      while (lane.running() && peer?.closed === false) await peer.write(many, 20);
    },
  },
  {
    name: 'orphan-flood',
    async run(lane) {
      const peer = await lane.greet();
      for (let i = 0; lane.running() && peer?.closed === false; i++) await peer.send('tx', orphan(i % 10 === 0 ? 2_000 : 10));
    },
  },
  {
    // Orphans with thousands of inputs, and another peer that announces them again and again.
    name: 'orphan-echo',
    async run(lane) {
      const [peer, echo] = [await lane.greet({ wtxidRelay: true }), await lane.greet({ wtxidRelay: true })];
      while (lane.running() && peer?.closed === false && echo?.closed === false) {
        const orphans = Array.from({ length: 10 }, () => orphan(2_400));
        for (const bytes of orphans) await peer.send('tx', bytes);
        // Without witnesses: their txid is their wtxid.
        const rows = orphans.map((bytes) => [5, hash256(bytes)] as const);
        await echo.send('inv', invPayload(Array.from({ length: 5_000 }, (_, i) => rows[i % rows.length] as (typeof rows)[0])));
      }
    },
  },
  {
    name: 'mempool-requests',
    async run(lane) {
      const peer = await lane.greet();
      await peer?.send(['mempool', 'filterload', 'getcfilters', 'verack', 'version'][rand(5)] as string, Buffer.alloc(40));
      await peer?.lingers(500);
    },
  },
  {
    name: 'connections',
    async run(lane) {
      const peer = await (rand(3) === 0 ? lane.greet() : lane.open());
      await peer?.lingers(rand(4_000));
    },
  },
];
