// The real network module without a network: Net with all its parts, over a real chain on a memory store. The peers
// belong to the test and are at the other end of sockets in memory. Time is a number that tests change, and sending
// rounds run when a test starts them, so nothing depends on how long anything takes.
import type { Socket } from 'node:net';
import { mock } from 'node:test';
import type { Logger } from '../../src/log/logger.js';
import { Mempool } from '../../src/mempool/mempool.js';
import type { MempoolOptions } from '../../src/mempool/options.js';
import { Net } from '../../src/net/net.js';
import type { NetOptions, Permissions } from '../../src/net/options.js';
import type { Inbound, Reach } from '../../src/net/peer/connector.js';
import type { InlineConnectionFactory } from '../../src/net/peer/inline-connection-factory.js';
import type { ConnectionType, Peer } from '../../src/net/peer/peer.js';
import { type NetAddress, parseHost } from '../../src/net/wire/net-address.js';
import { InlineVerifier } from '../../src/parallel/inline-verifier.js';
import { emptyBook } from './address-book.js';
import { type BuiltBlock, buildChain, GENESIS } from './chain-builder.js';
import { crypto, type Fixture, type FixtureOptions, openFixture } from './chain-fixture.js';
import { type MemorySocket, socketPair } from './memory-socket.js';
import { clear, type Greeting, type Message, versionPayload } from './p2p-client.js';
import { PATIENCE_MS } from './until.js';

/** NODE_NETWORK, NODE_WITNESS and NODE_NETWORK_LIMITED. */
const FULL_SERVICES = 1033n;
const NONE = Buffer.alloc(0);
/** Turns of the event loop in which a round of sending, and what it leads to without storage, is surely over. */
const ROUND_TURNS = 12;

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise(setImmediate);
}

/** Waits for something that the node does by itself. The patience costs time only where a test fails. */
async function happens(what: string, check: () => boolean): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; !check(); await turns(1)) if (Date.now() > end) throw new Error(`did not happen: ${what}`);
}

/** A peer of the test's own. */
export class FakePeer {
  /** Messages that arrived and that next() has not taken, pings included. The client answers nothing by itself. */
  readonly received: Message[] = [];
  #buffer: Buffer = NONE;
  #closed = false;
  #pings = 0n;

  constructor(
    private readonly socket: MemorySocket,
    /** The node's record of this peer. */
    readonly peer: Peer,
  ) {
    socket.on('data', (chunk: Buffer) => {
      this.#buffer = Buffer.concat([this.#buffer, chunk]);
      for (let cut = clear.cut(this.#buffer); cut !== null; cut = clear.cut(this.#buffer)) {
        this.#buffer = this.#buffer.subarray(cut.used);
        if (cut.message !== null) this.received.push(cut.message);
      }
    });
    socket.on('close', () => {
      this.#closed = true;
    });
  }

  get closed(): boolean {
    return this.#closed;
  }
  /** Names of what came, oldest first. */
  get commands(): string[] {
    return this.received.map(({ command }) => command);
  }

  send(command: string, payload: Uint8Array = NONE): void {
    this.socket.write(clear.encode(command, payload));
  }

  /** Takes the next message of a kind. */
  async next(command: string): Promise<Buffer> {
    const at = (): number => this.received.findIndex((message) => message.command === command);
    await happens(`${command} of the node`, () => at() >= 0 || this.#closed);
    if (at() < 0) throw new Error(`closed while waiting for ${command}`);
    return (this.received.splice(at(), 1)[0] as Message).payload;
  }

  /** Everything that came, which is then forgotten. */
  take(): Message[] {
    return this.received.splice(0);
  }

  /** The handshake, to its end on both sides. @returns the node's version message */
  async greet(greeting: Greeting = {}): Promise<Buffer> {
    this.send('version', versionPayload(greeting));
    const version = await this.next('version');
    this.send('verack');
    await this.next('verack');
    await happens('the end of the handshake', () => this.peer.ready || this.#closed);
    await turns(ROUND_TURNS);
    return version;
  }

  /**
   * Resolves once everything sent before was handled: the node answers in order. Then its round of sending is over too.
   */
  async sync(): Promise<void> {
    const nonce = Buffer.alloc(8);
    nonce.writeBigUInt64LE(++this.#pings);
    this.send('ping', nonce);
    const at = (): number => this.received.findIndex(({ command, payload }) => command === 'pong' && payload.equals(nonce));
    await happens('the answer to a ping', () => at() >= 0 || this.#closed);
    if (at() < 0) throw new Error('closed while waiting for pong');
    this.received.splice(at(), 1);
    await turns(ROUND_TURNS);
  }

  /** The node hangs up. */
  async ended(): Promise<void> {
    await happens('the end of the connection', () => this.#closed);
  }

  close(): void {
    this.socket.destroy();
  }
}

export interface WorldOptions {
  readonly net?: Partial<NetOptions>;
  readonly chain?: FixtureOptions;
  readonly mempool?: Partial<MempoolOptions>;
}

export class NetWorld {
  /** Log lines, debug lines included. */
  readonly lines: string[] = [];
  net!: Net;
  #accept: ((inbound: Inbound) => void) | null = null;
  #lines!: InlineConnectionFactory;
  /** The far ends of what the node called, in order, and how many of them have a peer of the test's. */
  readonly #called: MemorySocket[] = [];
  #answered = 0;
  readonly #taken = new Set<Peer>();

  private constructor(
    readonly fixture: Fixture,
    readonly mempool: Mempool,
  ) {}

  static async open({ net = {}, chain = {}, mempool: poolOptions = {} }: WorldOptions = {}): Promise<NetWorld> {
    const lines: string[] = [];
    const note = (text: string): void => {
      lines.push(text);
    };
    const log: Logger = { info: note, warn: note, error: note, debug: (_, text) => note(text), shows: () => true };
    const fixture = await openFixture({ log, ...chain });
    const { clock } = fixture;
    const mempool = new Mempool(poolOptions, { chain: fixture.chain.view, verifier: new InlineVerifier(crypto), clock, log });
    const world = new NetWorld(fixture, mempool);
    // Rounds come by tick() alone.
    mock.timers.enable({ apis: ['setInterval'] });
    world.net = new Net(
      { services: FULL_SERVICES, discover: false, dnsSeed: false, fixedSeeds: false, connectOnly: true, v2Transport: false, ...net },
      {
        params: fixture.chain.view.params,
        chain: fixture.chain,
        mempool,
        crypto,
        clock: {
          nowSeconds: () => clock.seconds,
          nowMs: () => clock.seconds * 1000,
          realSeconds: () => clock.seconds,
        },
        log,
        filters: null,
        banFile: null,
        peersFile: null,
        anchorsFile: null,
        random: () => 0.5,
        reach: (lines) => world.#reach(lines),
      },
    );
    world.net.transport.addresses.load(emptyBook());
    world.#wire();
    (world as { lines: string[] }).lines = lines;
    await world.net.listen();
    return world;
  }

  /** As node/wiring.ts does. */
  #wire(): void {
    const { net, mempool } = this;
    const { chain } = this.fixture;
    chain.events.tip.add((tip, change) => {
      mempool.onTip(tip, change);
      net.onTip(change);
    });
    chain.events.stored.add((node, block) => net.onStored(node, block));
    chain.events.checked.add((hash, block, reject) => net.onChecked(hash, block, reject));
    mempool.listen({ added() {}, removed: (entry, reason) => net.onLeft(entry, reason), changed() {} });
    mempool.onBroadcast((entry) => net.relay.announcer.relayTx(entry), 'peers');
  }

  #reach(lines: InlineConnectionFactory): Reach {
    this.#lines = lines;
    return {
      ready: true,
      listening: [],
      listen: async (onInbound) => {
        this.#accept = onInbound;
      },
      resolve: async (host, port) => {
        const address = parseHost(host, port);
        return address === null ? [] : [address];
      },
      dial: async () => {
        const [near, far] = socketPair();
        this.#called.push(far);
        return { connection: lines.wrapSocket(near as unknown as Socket), bindText: '' };
      },
      close: async () => {},
    };
  }

  /** A peer that calls the node. @returns null when it was turned away */
  async inbound(host = '8.8.8.8', permissions: Permissions | null = null): Promise<FakePeer | null> {
    const [near, far] = socketPair();
    const before = new Set(this.net.peers);
    const address = parseHost(host, 40_000 + before.size) as NetAddress;
    this.#accept?.({ connection: this.#lines.wrapSocket(near as unknown as Socket), address, bindText: '', permissions, onion: false });
    const peer = this.net.peers.find((one) => !before.has(one));
    return peer === undefined ? null : new FakePeer(far, peer);
  }

  /** A peer that calls the node and goes through the handshake. */
  async guest(greeting: Greeting = {}, host?: string, permissions: Permissions | null = null): Promise<FakePeer> {
    const peer = await this.inbound(host, permissions);
    if (peer === null) throw new Error('the node turned a peer away');
    await peer.greet({ time: this.fixture.clock.seconds, ...greeting });
    return peer;
  }

  /** A peer that the node calls. It has said nothing yet. */
  async call(host: string, type: ConnectionType = 'outbound-full-relay'): Promise<FakePeer> {
    const peer = await this.net.transport.connections.connect(parseHost(host, 18_444) as NetAddress, type);
    if (peer === null) throw new Error('the node called nobody');
    return this.#take(peer);
  }

  /** The next peer that the node calls by itself. It has said nothing yet. */
  async answer(): Promise<FakePeer> {
    const next = (): Peer | undefined => this.net.peers.find((peer) => !peer.inbound && !this.#taken.has(peer));
    await happens('a call of the node', () => next() !== undefined);
    return this.#take(next() as Peer);
  }

  #take(peer: Peer): FakePeer {
    this.#taken.add(peer);
    return new FakePeer(this.#called[this.#answered++] as MemorySocket, peer);
  }

  /** A peer that the node calls, after the handshake. */
  async host(host: string, greeting: Greeting = {}, type: ConnectionType = 'outbound-full-relay'): Promise<FakePeer> {
    const peer = await this.call(host, type);
    await peer.greet({ time: this.fixture.clock.seconds, ...greeting });
    return peer;
  }

  /** Time passes, and then one round of sending. */
  async pass(seconds = 0): Promise<void> {
    this.fixture.clock.seconds += seconds;
    await this.round();
  }
  async round(): Promise<void> {
    mock.timers.tick(100);
    await turns(ROUND_TURNS);
  }

  /** Adds this number of empty blocks to the chain, ten minutes apart. The newest one is `ageSeconds` old. */
  async grow(count: number, { prev = GENESIS, ageSeconds = 60 }: { prev?: BuiltBlock; ageSeconds?: number } = {}): Promise<BuiltBlock[]> {
    const first = this.fixture.clock.seconds - ageSeconds - (count - 1) * 600;
    const [one] = buildChain(prev, 1, { time: first });
    const blocks = [one as BuiltBlock, ...buildChain(one as BuiltBlock, count - 1)];
    for (const { bytes } of blocks) await this.fixture.chain.commands.submitBlock(bytes);
    return blocks;
  }

  /** Lines of the log with a text in them. */
  said(text: string): string[] {
    return this.lines.filter((line) => line.includes(text));
  }

  async end(): Promise<void> {
    await this.net.stop();
    mock.timers.reset();
    await this.fixture.end();
  }
}
