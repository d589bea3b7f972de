// Sockets: where peers may come in, and how others are reached, directly or through a SOCKS5 proxy. Knows nothing of
// messages.
import crypto from 'node:crypto';
import dns from 'node:dns/promises';
import net from 'node:net';
import type { Logger } from '../../log/logger.js';
import type { Bind, NetOptions, Permissions } from '../options.js';
import { addressText, hostText, isRoutable, type NetAddress, parseHost, splitHostPort } from '../wire/net-address.js';
import type { I2p } from './i2p.js';
import { openSocket } from './open-socket.js';
import type { Routes } from './routes.js';
import { connectThroughSocks } from './socks.js';

/** An inbound connection. */
export interface Inbound {
  readonly socket: net.Socket;
  readonly address: NetAddress;
  readonly bindText: string;
  /** Granted by the listener's -whitebind. */
  readonly permissions: Permissions | null;
  /** What comes there comes from Tor. */
  readonly onion: boolean;
}

/** An address of -bind cannot be listened on, or a name of -externalip cannot be resolved. */
export class BindError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BindError';
  }
}

/** How peers reach us and we reach them: sockets of this machine (Connector), or a stand-in for them. */
export type Reach = Pick<Connector, 'listening' | 'listen' | 'resolve' | 'dial' | 'close'>;

export class Connector {
  readonly #servers: net.Server[] = [];
  readonly #dialing = new Set<net.Socket>();
  readonly #options: NetOptions;
  readonly #routes: Routes;
  readonly #i2p: I2p | null;
  /** Where nodes of the chain listen: the port of a name without one. */
  readonly #defaultPort: number;
  readonly #log: Logger;

  /** @param i2p the way to addresses of I2P; null: none */
  constructor(options: NetOptions, routes: Routes, i2p: I2p | null, defaultPort: number, log: Logger) {
    this.#options = options;
    this.#routes = routes;
    this.#i2p = i2p;
    this.#defaultPort = defaultPort;
    this.#log = log;
  }

  /** Ports that are listened on. */
  readonly listening: { host: string; port: number; onion: boolean }[] = [];

  /** Opens the listeners. @throws BindError where one was asked for */
  async listen(onInbound: (inbound: Inbound) => void): Promise<void> {
    for (const bind of this.#options.binds) {
      try {
        await this.#listenAt(bind, onInbound);
        this.#log.info(`Bound to ${bind.host.includes(':') ? `[${bind.host}]` : bind.host}:${bind.port}`);
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        const where = `${bind.host.includes(':') ? `[${bind.host}]` : bind.host}:${bind.port}`;
        const text =
          code === 'EADDRINUSE'
            ? `Unable to bind to ${where} on this computer. adit is probably already running.`
            : `Unable to bind to ${where} on this computer (bind returned error ${code ?? (error as Error).message})`;
        if (bind.required) throw new BindError(text);
        this.#log.debug('net', text);
      }
    }
    // No -bind was given, and another node has the default port: the node goes on with outbound peers only.
    if (this.#options.binds.length > 0 && this.#servers.length === 0) {
      this.#log.warn('Nothing is left to listen on, so no peers can come in; choose another -port, or -listen=0.');
    }
  }

  #listenAt(bind: Bind, onInbound: (inbound: Inbound) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      // Paused, so that nothing is read before it has an owner.
      const server = net.createServer({ pauseOnConnect: true }, (socket) => {
        const address = parseHost(socket.remoteAddress ?? '', socket.remotePort ?? 0);
        if (address === null) {
          socket.destroy();
          return;
        }
        onInbound({
          socket,
          address,
          bindText: endOf(socket.localAddress, socket.localPort),
          permissions: bind.permissions,
          onion: bind.onion,
        });
      });
      server.once('error', reject);
      server.listen({ host: bind.host, port: bind.port, ipv6Only: bind.host.includes(':') }, () => {
        server.off('error', reject);
        // Out of descriptors, say: the next one may be taken.
        server.on('error', (error) => this.#log.warn(`Listening on ${bind.host}: ${error.message}`));
        this.#servers.push(server);
        this.listening.push({ host: bind.host, port: (server.address() as net.AddressInfo).port, onion: bind.onion });
        resolve();
      });
    });
  }

  /**
   * Looks a name up; a literal needs no look-up.
   * @param allowed whatever -dns says: DNS seeds
   * @returns every address it has
   */
  async resolve(host: string, port: number, allowed = this.#options.dns): Promise<NetAddress[]> {
    const literal = parseHost(host, port);
    if (literal !== null) return [literal];
    // A proxy looks names up itself: asking here would tell others whom we call.
    if (!allowed || this.#options.proxy !== null || /\.(onion|i2p)$/i.test(host)) return [];
    try {
      const found = await dns.lookup(host, { all: true });
      return found.map(({ address }) => parseHost(address, port)).filter((address) => address !== null);
    } catch {
      return [];
    }
  }

  /**
   * Connects to an address or, through a proxy that looks names up itself, to a name.
   * @param hidden so that the peer can't tell who we are: through Tor or I2P, or not at all
   * @param named whether the log may name the target
   * @throws Error with a short reason
   */
  async dial(target: NetAddress | string, hidden = false, named = false): Promise<{ socket: net.Socket; bindText: string }> {
    const options = this.#options;
    if (typeof target !== 'string' && target.network === 'i2p' && this.#i2p !== null) {
      const { socket, own } = await this.#i2p.dial(target, hidden, named);
      return { socket, bindText: addressText(own) };
    }
    const onion = typeof target === 'string' ? /\.onion(:\d+)?$/i.test(target) : target.network === 'onion';
    // A proxy on another machine cannot reach an address that only this one can.
    const local = typeof target !== 'string' && !isRoutable(target);
    const tor = this.#routes.proxyTo('onion');
    if (hidden && (tor === null || local)) throw new Error('not to be reached through Tor');
    const proxy = local ? null : onion || hidden ? tor : options.proxy;
    const where = typeof target === 'string' ? splitHostPort(target, this.#defaultPort) : { host: hostText(target), port: target.port };
    if (where === null) throw new Error('not an address');
    if (proxy === null && (onion || (typeof target !== 'string' && (target.network === 'i2p' || target.network === 'cjdns')))) {
      throw new Error('network not reachable');
    }
    const socket = await openSocket(proxy ?? where, options.connectTimeoutMs, this.#dialing);
    if (proxy !== null) {
      const credentials = options.proxyRandomize ? crypto.randomUUID() : null;
      await connectThroughSocks(socket, where, credentials, options.connectTimeoutMs);
    }
    return { socket, bindText: endOf(socket.localAddress, socket.localPort) };
  }

  /** Closes listeners and attempts under way. */
  async close(): Promise<void> {
    for (const socket of this.#dialing) socket.destroy();
    await Promise.all(this.#servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }
}

function endOf(host: string | undefined, port: number | undefined): string {
  if (host === undefined) return '';
  const plain = host.startsWith('::ffff:') ? host.slice(7) : host;
  return plain.includes(':') ? `[${plain}]:${port}` : `${plain}:${port}`;
}
