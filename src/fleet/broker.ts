// The connection to the broker: the one door to NATS' packages. Connects for ever, so that neither end stops working
// because the broker is away; says when it is there. A server that says nothing is given up after some two seconds.
// Used by both ends.
import fs from 'node:fs';
import { DeliverPolicy, jetstream, jetstreamManager, StorageType } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import { type ConnectionOptions, connect, credsAuthenticator, type NatsConnection } from '@nats-io/transport-node';
import type { BrokerOptions } from './options.js';
import { pieceBytes } from './pieces.js';

export { DeliverPolicy, jetstream, jetstreamManager, Kvm, StorageType };

const PING_MS = 700;
const PINGS_OUT = 2;
const RECONNECT_MS = 100;
const RECONNECT_JITTER_MS = 100;
const CONNECT_MS = 2_000;

/** What the owner is told. */
export interface BrokerEvents {
  /** The connection came (back) or went. */
  onChange(connected: boolean, server: string): void;
  /** The broker refuses something, such as a subject. */
  onError(text: string): void;
}

/** A connection that comes back by itself. */
export class Broker {
  #connected = true;

  private constructor(
    readonly nc: NatsConnection,
    events: BrokerEvents,
  ) {
    void this.#watch(events);
  }

  /**
   * Waits for the first server that answers; `aborted` ends the waiting.
   * @throws Error for credentials that cannot be used
   */
  static async connect(options: BrokerOptions, name: string, events: BrokerEvents): Promise<Broker> {
    const { servers, credsFile, tls } = options;
    const urls = servers.map((server) => new URL(server));
    // One user for all of them: the first that is named.
    const named = urls.find(({ username }) => username !== '');
    const given: ConnectionOptions = {
      servers: urls.map(({ hostname, port }) => (port === '' ? hostname : `${hostname}:${port}`)),
      ...(named ? { user: decodeURIComponent(named.username), pass: decodeURIComponent(named.password) } : {}),
      name,
      maxReconnectAttempts: -1,
      reconnectTimeWait: RECONNECT_MS,
      reconnectJitter: RECONNECT_JITTER_MS,
      reconnectJitterTLS: RECONNECT_JITTER_MS,
      waitOnFirstConnect: true,
      pingInterval: PING_MS,
      maxPingOut: PINGS_OUT,
      timeout: CONNECT_MS,
      // A front that waits for its broker must not give up because an account is not there yet.
      ignoreAuthErrorAbort: true,
      ...(credsFile === undefined ? {} : { authenticator: credsAuthenticator(new Uint8Array(fs.readFileSync(credsFile))) }),
      ...(tls === null ? {} : { tls: { caFile: tls.ca, certFile: tls.cert, keyFile: tls.key } }),
    };
    const nc = await connect(given);
    events.onChange(true, nc.getServer());
    return new Broker(nc, events);
  }

  /** Whether what is published goes out now. */
  get connected(): boolean {
    return this.#connected && !this.nc.isClosed();
  }

  /** Bytes of a piece that the server takes. */
  get pieceBytes(): number {
    return pieceBytes(this.nc.info?.max_payload ?? 1 << 20);
  }

  async #watch({ onChange, onError }: BrokerEvents): Promise<void> {
    for await (const status of this.nc.status()) {
      if (status.type === 'disconnect') {
        this.#connected = false;
        onChange(false, status.server);
      } else if (status.type === 'reconnect') {
        this.#connected = true;
        onChange(true, status.server);
      } else if (status.type === 'error') onError(status.error.message);
    }
  }

  /** Sends what is under way and ends. */
  async close(): Promise<void> {
    if (this.nc.isClosed()) return;
    if (!this.#connected) await this.nc.close();
    else await this.nc.drain().catch(() => this.nc.close());
  }
}
