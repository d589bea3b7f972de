// Connects to the peers of -connect, -addnode and addnode, again and again.
import type { NetContext } from '../context.js';
import { addressText, parseHost, splitHostPort } from '../wire/net-address.js';
import type { ConnectionType, Peer } from './peer.js';

/** Pause after a round through all named peers, and base of the pause after a failed round. */
const RETRY_MS = 60_000;
const FIRST_MS = 500;
/** Maximum number of peers of addnode that are connected at a time. */
const MAX_ADDED = 8;

export class Outbound {
  /** True to try encryption, by name. */
  readonly #added = new Map<string, boolean>();
  #timer: NodeJS.Timeout | null = null;
  /** True while a round of connection attempts runs. At most one runs, so that no peer is connected twice. */
  #isConnecting = false;
  /** True if another round starts immediately after the current one. */
  #mustRepeat = false;
  #stopped = false;
  readonly #context: NetContext;
  readonly #connect: (target: string, type: ConnectionType, encrypted: boolean) => Promise<Peer | null>;
  /** Returns whether a peer with that name or address is connected. */
  readonly #connected: (name: string) => Promise<boolean>;

  constructor(
    context: NetContext,
    connect: (target: string, type: ConnectionType, encrypted: boolean) => Promise<Peer | null>,
    connected: (name: string) => Promise<boolean>,
  ) {
    this.#context = context;
    this.#connect = connect;
    this.#connected = connected;
    for (const name of context.options.addNodes) this.add(name);
  }

  /** Names given by -addnode and addnode, in order. */
  get added(): readonly string[] {
    return [...this.#added.keys()];
  }

  start(): void {
    void this.#round();
  }

  /** Connects to peers that are not connected, after the current round. Does nothing before start(). */
  retry(): void {
    if (this.#isConnecting) this.#mustRepeat = true;
    else if (this.#timer !== null) this.#again(0);
  }

  stop(): void {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  /** Handles addnode add. @param encrypted whether to try BIP-0324 first @returns false if the name or its address is listed already */
  add(name: string, encrypted = this.#context.options.v2Transport): boolean {
    const key = this.#keyOf(name);
    if (this.added.some((one) => this.#keyOf(one) === key)) return false;
    this.#added.set(name, encrypted);
    this.retry();
    return true;
  }

  /** Returns a text that is equal for all spellings of a literal address; for a host name the name itself. */
  #keyOf(name: string): string {
    const place = splitHostPort(name, this.#context.params.p2pPort);
    if (place === null) return name;
    // Short forms of IPv4 addresses, such as 127.1, become complete.
    const short =
      /^[\d.]+$/.test(place.host) && URL.canParse(`http://${place.host}`) ? new URL(`http://${place.host}`).hostname : place.host;
    const address = parseHost(short, place.port);
    return address === null ? name : addressText(address);
  }

  /** Handles addnode remove. @returns false if the name was not listed */
  remove(name: string): boolean {
    return this.#added.delete(name);
  }

  /** Connects to a peer unless it is connected already. @returns whether the peer is connected */
  async #connectTo(name: string, encrypted: boolean): Promise<boolean> {
    if (splitHostPort(name, this.#context.params.p2pPort) === null) return false;
    return (await this.#connected(name)) || (await this.#connect(name, 'manual', encrypted)) !== null;
  }

  #again(ms: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#stopped) return;
    this.#timer = setTimeout(() => void this.#round(), ms);
    this.#timer.unref();
  }

  async #round(): Promise<void> {
    this.#isConnecting = true;
    this.#mustRepeat = false;
    await this.#connectAll();
    this.#isConnecting = false;
    const named = this.#context.options.connect.length + this.#added.size;
    // While no peer at all is connected, repeat the round soon.
    const waiting = named > 0 && this.#context.peers.size === 0;
    this.#again(this.#mustRepeat ? 0 : waiting ? FIRST_MS * 4 : RETRY_MS);
  }

  async #connectAll(): Promise<void> {
    const { connect, v2Transport } = this.#context.options;
    for (const name of connect) {
      if (this.#stopped) return;
      await this.#connectTo(name, v2Transport);
    }
    let there = 0;
    for (const name of this.added) {
      if (this.#stopped) return;
      // Count only connected peers, so that peers that are down do not use up the limit.
      if (there >= MAX_ADDED) break;
      // The name has no entry if the operator removed the peer after this round started.
      const encrypted = this.#added.get(name);
      if (encrypted !== undefined && (await this.#connectTo(name, encrypted))) there++;
    }
  }
}
