// Connections over sockets of the calling thread.
import net, { type Socket } from 'node:net';
import { SpareMemory } from '../../consensus/bytes/spare-memory.js';
import type { Hashes } from '../../crypto/crypto.js';
import type { KeyExchangeQueue } from '../transport/key-exchange-queue.js';
import { V1Transport } from '../transport/v1-transport.js';
import { V2Transport } from '../transport/v2-transport.js';
import { openSocket } from './open-socket.js';
import type { ConnectionFactory, Endpoint, IncomingConnection, NewConnection, SocksProxy } from './peer-connection.js';
import { SocketConnection } from './socket-connection.js';
import { connectThroughSocks } from './socks.js';
import type { Traffic } from './traffic.js';

/** Settings that all connections share. */
export interface ConnectionSettings {
  /** The 4 bytes that every message of the network begins with. */
  readonly magic: Uint8Array;
  readonly maxSendBytes: number;
  readonly maxReceiveBytes: number;
}

export interface InlineConnectionFactoryDeps {
  readonly hashes: Hashes;
  /** Key exchange; null: no encrypted connections. */
  readonly keys: KeyExchangeQueue | null;
  /** Returns seconds since 1970 of the real clock: silence of peers is measured in real time, as in Core. */
  readonly nowSeconds: () => number;
  /** Byte totals of all connections. */
  readonly traffic: Traffic;
  /** Logs a warning. */
  readonly warn: (text: string) => void;
}

/** Bound of the memory for messages that is not in use. */
const SPARE_BYTES = 16 << 20;

export class InlineConnectionFactory implements ConnectionFactory<SocketConnection> {
  readonly ready = true;
  /** Memory of handled messages, for the next ones of all connections. */
  readonly spare = new SpareMemory(SPARE_BYTES);
  readonly #servers: net.Server[] = [];
  readonly #dialing = new Set<Socket>();
  readonly #sockets = new Set<Socket>();
  readonly #settings: ConnectionSettings;
  readonly #deps: InlineConnectionFactoryDeps;

  constructor(settings: ConnectionSettings, deps: InlineConnectionFactoryDeps) {
    this.#settings = settings;
    this.#deps = deps;
  }

  listen(at: Endpoint, onConnection: (incoming: IncomingConnection<SocketConnection>) => void): Promise<number> {
    return new Promise((resolve, reject) => {
      // Accepted sockets are paused, so that no bytes are lost before the socket has an owner.
      const server = net.createServer({ pauseOnConnect: true }, (socket) => {
        const { remoteAddress, remotePort } = socket;
        // The peer has disconnected already.
        if (remoteAddress === undefined || remotePort === undefined) {
          socket.destroy();
          return;
        }
        onConnection({ connection: this.wrapSocket(socket), remote: { host: remoteAddress, port: remotePort }, bindText: endOf(socket) });
      });
      server.once('error', reject);
      server.listen({ ...at, ipv6Only: at.host.includes(':') }, () => {
        server.off('error', reject);
        // The process may be out of file descriptors, for example. Keep listening: the next connection may be accepted.
        server.on('error', (error) => this.#deps.warn(`Error while listening on ${at.host}: ${error.message}`));
        this.#servers.push(server);
        resolve((server.address() as net.AddressInfo).port);
      });
    });
  }

  async open(
    where: Endpoint,
    proxy: SocksProxy | null,
    timeoutMs: number,
  ): Promise<{ connection: NewConnection<SocketConnection>; bindText: string }> {
    const socket = await openSocket(proxy ?? where, timeoutMs, this.#dialing);
    if (proxy !== null) {
      this.#dialing.add(socket);
      try {
        await connectThroughSocks(socket, where, proxy.credentials, timeoutMs);
      } finally {
        this.#dialing.delete(socket);
      }
    }
    return { connection: this.wrapSocket(socket), bindText: endOf(socket) };
  }

  /** Returns a connection over a paused socket that was opened elsewhere. */
  wrapSocket(socket: Socket): NewConnection<SocketConnection> {
    const { magic, maxSendBytes, maxReceiveBytes } = this.#settings;
    const { hashes, keys, nowSeconds, traffic } = this.#deps;
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    return {
      start: ({ encrypted, initiating }, events) => {
        const connection = new SocketConnection(
          socket,
          {
            transport: (transportEvents) =>
              keys === null || !encrypted
                ? new V1Transport(magic, hashes, (bytes) => transportEvents.write(bytes), this.spare)
                : new V2Transport({ magic, hashes, keys, initiating, spare: this.spare }, transportEvents),
            spare: this.spare,
            maxSendBytes,
            maxReceiveBytes,
            nowSeconds,
            traffic,
          },
          events,
        );
        // A socket that closed before it had an owner emits no further event, so close the connection here.
        if (socket.destroyed) setImmediate(() => connection.close());
        else connection.start();
        return connection;
      },
      drop: () => socket.destroy(),
    };
  }

  async close(): Promise<void> {
    for (const socket of [...this.#dialing, ...this.#sockets]) socket.destroy();
    await Promise.all(this.#servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }
}

function endOf({ localAddress, localPort }: Socket): string {
  if (localAddress === undefined) return '';
  const plain = localAddress.startsWith('::ffff:') ? localAddress.slice(7) : localAddress;
  return plain.includes(':') ? `[${plain}]:${localPort}` : `${plain}:${localPort}`;
}
