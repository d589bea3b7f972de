// Opens listeners and outbound connections, directly or through a SOCKS5 proxy. Does not know messages.
import crypto from 'node:crypto';
import dns from 'node:dns/promises';
import type { Logger } from '../../log/logger.js';
import type { Bind, NetOptions, Permissions } from '../options.js';
import { addressText, hostText, isRoutable, type NetAddress, parseHost, splitHostPort } from '../wire/net-address.js';
import type { I2p } from './i2p.js';
import type { InlineConnectionFactory } from './inline-connection-factory.js';
import type { ConnectionFactory, NewConnection } from './peer-connection.js';
import type { Routes } from './routes.js';

export interface Inbound {
  readonly connection: NewConnection;
  readonly address: NetAddress;
  readonly bindText: string;
  /** Permissions of the listener's -whitebind. */
  readonly permissions: Permissions | null;
  /** True if the listener is for connections from Tor. */
  readonly onion: boolean;
}

/** An address of -bind cannot be listened on, or a name of -externalip cannot be resolved. */
export class BindError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BindError';
  }
}

/** Factories of connections. */
export interface ConnectionSources {
  readonly factory: ConnectionFactory;
  /** For I2P addresses, whose sockets come from the router's bridge; null: none. */
  readonly i2p: { readonly way: I2p; readonly factory: InlineConnectionFactory } | null;
}

/** Ways to reach peers: sockets of this machine (Connector), or a stand-in for tests. */
export type Reach = Pick<Connector, 'ready' | 'listening' | 'listen' | 'resolve' | 'dial' | 'close'>;

export class Connector {
  readonly #options: NetOptions;
  readonly #routes: Routes;
  readonly #ways: ConnectionSources;
  /** Default port of the chain, for names without a port. */
  readonly #defaultPort: number;
  readonly #log: Logger;

  constructor(options: NetOptions, routes: Routes, ways: ConnectionSources, defaultPort: number, log: Logger) {
    this.#options = options;
    this.#routes = routes;
    this.#ways = ways;
    this.#defaultPort = defaultPort;
    this.#log = log;
  }

  /** True if connection attempts make sense now. False while the peers' thread is being restarted. */
  get ready(): boolean {
    return this.#ways.factory.ready;
  }

  /** Addresses that are listened on. */
  readonly listening: { host: string; port: number; onion: boolean }[] = [];

  /** Opens the listeners. @throws BindError if a required one fails, or if all fail */
  async listen(onInbound: (inbound: Inbound) => void): Promise<void> {
    for (const bind of this.#options.binds) {
      try {
        await this.#listenAt(bind, onInbound);
        this.#log.info(`Bound to ${bind.host.includes(':') ? `[${bind.host}]` : bind.host}:${bind.port}`);
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException;
        // Without a system error code the port is not the cause.
        if (code === undefined) throw new BindError(`Peers cannot be served: ${message}`);
        const where = `${bind.host.includes(':') ? `[${bind.host}]` : bind.host}:${bind.port}`;
        const text =
          code === 'EADDRINUSE'
            ? `Unable to bind to ${where} on this computer. adit is probably already running.`
            : `Unable to bind to ${where} on this computer (bind returned error ${code}).`;
        if (bind.required) throw new BindError(`${text} Choose another -port or -bind, or use -listen=0.`);
        this.#log.debug('net', text);
      }
    }
    if (this.#options.binds.length > 0 && this.listening.length === 0)
      throw new BindError('Failed to listen on any port. Choose another -port, or use -listen=0.');
  }

  async #listenAt({ host, port, permissions, onion }: Bind, onInbound: (inbound: Inbound) => void): Promise<void> {
    const bound = await this.#ways.factory.listen({ host, port }, ({ connection: line, remote, bindText }) => {
      const address = parseHost(remote.host, remote.port);
      if (address === null) line.drop();
      else onInbound({ connection: line, address, bindText, permissions, onion });
    });
    this.listening.push({ host, port: bound, onion });
  }

  /**
   * Resolves a name; a literal address needs no lookup.
   * @param allowed true for DNS seeds, whatever -dns says
   * @returns all addresses of the name
   */
  async resolve(host: string, port: number, allowed = this.#options.dns): Promise<NetAddress[]> {
    const literal = parseHost(host, port);
    if (literal !== null) return [literal];
    // A proxy resolves names itself. A lookup here would reveal to which peers this node connects.
    if (!allowed || this.#routes.proxyTo('names') !== null || /\.(onion|i2p)$/i.test(host)) return [];
    try {
      const found = await dns.lookup(host, { all: true });
      return found.map(({ address }) => parseHost(address, port)).filter((address) => address !== null);
    } catch {
      return [];
    }
  }

  /**
   * Connects to an address or, through a proxy that resolves names, to a name.
   * @param hidden connect through Tor or I2P only, so that the peer cannot tell who this node is
   * @param named whether the log may contain the target
   * @throws Error with a short reason
   */
  async dial(target: NetAddress | string, hidden = false, named = false): Promise<{ connection: NewConnection; bindText: string }> {
    const options = this.#options;
    if (typeof target !== 'string' && target.network === 'i2p' && this.#ways.i2p !== null) {
      const { way, factory: lines } = this.#ways.i2p;
      const { socket, own } = await way.dial(target, hidden, named);
      return { connection: lines.wrapSocket(socket), bindText: addressText(own) };
    }
    const network = typeof target === 'string' ? (/\.onion(:\d+)?$/i.test(target) ? 'onion' : 'names') : target.network;
    // Use no proxy for a local address: a proxy on another machine could not reach the address.
    const local = typeof target !== 'string' && !isRoutable(target);
    const proxy = local ? null : this.#routes.proxyTo(hidden ? 'onion' : network);
    if (hidden && proxy === null) throw new Error('not to be reached through Tor');
    const where = typeof target === 'string' ? splitHostPort(target, this.#defaultPort) : { host: hostText(target), port: target.port };
    if (where === null) throw new Error('not an address');
    if (proxy === null && (network === 'onion' || network === 'i2p' || network === 'cjdns')) throw new Error('network not reachable');
    const credentials = options.proxyRandomize ? crypto.randomUUID() : null;
    return this.#ways.factory.open(where, proxy === null ? null : { ...proxy, credentials }, options.connectTimeoutMs);
  }

  /** Closes listeners and pending attempts. */
  async close(): Promise<void> {
    await this.#ways.factory.close();
  }
}
