// The real network module without a network: Net with all its parts, over a real chain in a memory store. Its peers
// belong to the test and are at the other ends of sockets in memory. Tests set the time and start the rounds of
// sending, so nothing depends on how long anything takes.
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
import { emptyBook } from './address-book.js';
import { type BuiltBlock, buildChain, GENESIS } from './chain-builder.js';
import { crypto, type Fixture, type FixtureOptions, openFixture } from './chain-fixture.js';
import { InlineVerifier } from './inline-verifier.js';
import { type MemorySocket, socketPair } from './memory-socket.js';
import { clear, type Greeting, type Message, versionPayload } from './p2p-client.js';
import { PATIENCE_MS } from './until.js';

/** NODE_NETWORK, NODE_WITNESS and NODE_NETWORK_LIMITED. */
const FULL_SERVICES = 1033n;
const NONE = Buffer.alloc(0);
/**
 * Number of event-loop ticks in which a round of sending, and all work that it causes without storage, has certainly
 * ended.
 */
const ROUND_TURNS = 12;

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise(setImmediate);
}

/** Waits until the node has done something by itself. Only a failing test waits for the whole timeout. */
async function happens(what: string, check: () => boolean): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; !check(); await turns(1)) if (Date.now() > end) throw new Error(`did not happen: ${what}`);
}

/** A peer that the test controls. */
export class FakePeer {
  /** Messages that arrived and that next() has not returned, including pings. The peer answers nothing by itself. */
  readonly received: Message[] = [];
  #buffer: Buffer = NONE;
  #closed = false;
  #pings = 0n;

  constructor(
    private readonly socket: MemorySocket,
    /** The node's object of this peer. */
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
  /** Names of the messages in `received`, oldest first. */
  get commands(): string[] {
    return this.received.map(({ command }) => command);
  }

  send(command: string, payload: Uint8Array = NONE): void {
    this.socket.write(clear.encode(command, payload));
  }

  /** Waits for the next message of a kind and removes it from `received`. */
  async next(command: string): Promise<Buffer> {
    const at = (): number => this.received.findIndex((message) => message.command === command);
    await happens(`${command} of the node`, () => at() >= 0 || this.#closed);
    if (at() < 0) throw new Error(`closed while waiting for ${command}`);
    return (this.received.splice(at(), 1)[0] as Message).payload;
  }

  /** Returns all messages of `received` and clears it. */
  take(): Message[] {
    return this.received.splice(0);
  }

  /** Makes the handshake, until both sides have completed it. @returns the node's version message */
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
   * Resolves when the node has handled everything that was sent before, because the node answers in order. The round of
   * sending that follows has then ended too.
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

  /** Waits until the node closes the connection. */
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
  /**
   * The far ends of the connections that the node opened, in order, and the number of those that a FakePeer uses
   * already.
   */
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
    // Only tick() starts rounds.
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

  /** Connects the events as node/wiring.ts does. */
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

  /** Connects a peer to the node. @returns null if the node refused the connection */
  async inbound(host = '8.8.8.8', permissions: Permissions | null = null): Promise<FakePeer | null> {
    const [near, far] = socketPair();
    const before = new Set(this.net.peers);
    const address = parseHost(host, 40_000 + before.size) as NetAddress;
    this.#accept?.({ connection: this.#lines.wrapSocket(near as unknown as Socket), address, bindText: '', permissions, onion: false });
    const peer = this.net.peers.find((one) => !before.has(one));
    return peer === undefined ? null : new FakePeer(far, peer);
  }

  /** Connects a peer to the node and makes the handshake. */
  async guest(greeting: Greeting = {}, host?: string, permissions: Permissions | null = null): Promise<FakePeer> {
    const peer = await this.inbound(host, permissions);
    if (peer === null) throw new Error('the node turned a peer away');
    await peer.greet({ time: this.fixture.clock.seconds, ...greeting });
    return peer;
  }

  /** Makes the node connect to a peer, which has sent nothing yet. */
  async call(host: string, type: ConnectionType = 'outbound-full-relay'): Promise<FakePeer> {
    const peer = await this.net.transport.connections.connect(parseHost(host, 18_444) as NetAddress, type);
    if (peer === null) throw new Error('the node called nobody');
    return this.#take(peer);
  }

  /** Waits until the node connects to a peer by itself, and returns this peer, which has sent nothing yet. */
  async answer(): Promise<FakePeer> {
    const next = (): Peer | undefined => this.net.peers.find((peer) => !peer.inbound && !this.#taken.has(peer));
    await happens('a call of the node', () => next() !== undefined);
    return this.#take(next() as Peer);
  }

  #take(peer: Peer): FakePeer {
    this.#taken.add(peer);
    return new FakePeer(this.#called[this.#answered++] as MemorySocket, peer);
  }

  /** Makes the node connect to a peer, and makes the handshake. */
  async host(host: string, greeting: Greeting = {}, type: ConnectionType = 'outbound-full-relay'): Promise<FakePeer> {
    const peer = await this.call(host, type);
    await peer.greet({ time: this.fixture.clock.seconds, ...greeting });
    return peer;
  }

  /** Advances the clock, and runs one round of sending. */
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

  /** Returns the log lines that contain a text. */
  said(text: string): string[] {
    return this.lines.filter((line) => line.includes(text));
  }

  async end(): Promise<void> {
    await this.net.stop();
    mock.timers.reset();
    await this.fixture.end();
  }
}
