// The serving thread's server without its thread: over real sockets, or over pipes in memory with a clock that the test
// moves.
import type net from 'node:net';
import type { Test } from 'tap';
import { createAead } from '../../../../src/crypto/native/aead.js';
import { createEllSwift } from '../../../../src/crypto/native/ell-swift.js';
import { createNativeHashes } from '../../../../src/crypto/native/hashes.js';
import { reserveKey, type ServedTemplate } from '../../../../src/mining/messages.js';
import { ServeCounters } from '../../../../src/sv2/serve/counters.js';
import type { FromServe } from '../../../../src/sv2/serve/messages.js';
import { Sv2Server } from '../../../../src/sv2/serve/server.js';
import { pipe } from '../../../framework/pipe.js';
import { Sv2Client } from '../../../framework/sv2-client.js';

/** Target of regtest. */
const EASY = 2n ** 255n - 1n;
export const LEAST = { weight: 8_000, sigops: 400 };

let serials = 0;

/** @param bytes of its only transaction; 0: it has none @param outputBytes of the outputs it asks for */
export function template(bytes: number, outputBytes = 0): ServedTemplate {
  const count = bytes > 0 ? 1 : 0;
  return {
    serial: ++serials,
    height: 5,
    version: 0x2000_0000,
    value: 5_000_000_000,
    commitment: outputBytes > 0 ? new Uint8Array(outputBytes) : null,
    kind: count > 0 ? 'full' : 'empty',
    branch: [],
    transactions: {
      segments: [new Uint8Array(bytes)],
      segmentOf: new Int32Array(count),
      offsets: new Int32Array(count),
      lengths: new Int32Array(count).fill(bytes),
    },
  };
}

interface Running {
  readonly server: Sv2Server;
  readonly posted: FromServe[];
  readonly counters: ServeCounters;
  /** Lines for the log. */
  lines(): string[];
  /** A template of the tip for some reserves. */
  publish(keys: readonly string[], bytes?: number, outputBytes?: number): void;
}

interface Clock {
  nowMs(): number;
  monotonicMs(): number;
}

function serving(t: Test, clock: Clock, perAddress: number): Running {
  const hashes = createNativeHashes();
  const ellSwift = createEllSwift(hashes);
  const identity = { staticKey: ellSwift.createKey(), certificate: new Uint8Array(74) };
  const posted: FromServe[] = [];
  const counters = new ServeCounters();
  const options = {
    binds: [{ host: '127.0.0.1', port: 0 }],
    perAddress,
    authoritySecret: new Uint8Array(32),
    solutionsDir: t.testdir(),
    maxWeight: 4_000_000,
    leastReserve: LEAST,
    counters: counters.buffer,
    powLimit: EASY,
  };
  const post = (message: FromServe): unknown => posted.push(message);
  const server = new Sv2Server({ hashes, aead: createAead(), ellSwift, identity: () => identity, options, counters, clock, post });
  t.teardown(() => server.close());
  const first = template(0);
  const tip = {
    prevHash: new Uint8Array(32),
    height: 5,
    headerTimestamp: 1_700_000_000,
    minTime: 1_700_000_000,
    bits: 0x207fffff,
    target: EASY,
    acceptedMs: null,
  };
  server.receive({ kind: 'tip', tip, activate: first.serial, template: first });
  server.receive({ kind: 'stage', template: template(0) });
  const publish = (keys: readonly string[], bytes = 0, outputBytes = 0): void =>
    server.receive({ kind: 'template', template: template(bytes, outputBytes), keys });
  publish([reserveKey(LEAST)]);
  const lines = (): string[] => posted.flatMap((one) => (one.kind === 'log' ? [one.text] : []));
  return { server, posted, counters, lines, publish };
}

/** Over real sockets. */
export async function listening(t: Test): Promise<Running & { readonly port: number }> {
  const clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };
  const running = serving(t, clock, 64);
  const [at] = await running.server.listen();
  return { ...running, port: at!.port };
}

export interface Driven extends Running {
  /** Milliseconds of the clock. */
  nowMs: number;
  /** The client's end of a new connection from this address. */
  connect(address?: string): net.Socket;
  /** Connects a client that has set up and received the tip. */
  client(address?: string): Promise<Sv2Client>;
}

/** Without sockets, and without time. */
export function driven(t: Test, perAddress = 64): Driven {
  const clock = { nowMs: () => world.nowMs, monotonicMs: () => world.nowMs };
  const world = { nowMs: 1_000_000 } as Driven;
  Object.assign(world, serving(t, clock, perAddress));
  world.connect = (address = '127.0.0.1') => {
    const [theirs, ours] = pipe(address);
    world.server.accept(ours as unknown as net.Socket);
    return theirs as unknown as net.Socket;
  };
  world.client = async (address) => {
    const client = await Sv2Client.over(world.connect(address));
    await client.setUp();
    await client.nextOf('prevhash');
    await client.nextOf('template');
    return client;
  };
  return world;
}
