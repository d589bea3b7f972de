// Connection to the broker. This is the only file that imports NATS' packages. The connection is retried until close(). A
// server that does not answer is dropped after about two seconds. If there is no connection for five seconds, the cause is
// reported, and again every five minutes or when the cause changes.
import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { DeliverPolicy, jetstream, jetstreamManager, StorageType } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import {
  type ConnectionOptions,
  connect,
  credsAuthenticator,
  type Msg,
  type NatsConnection,
  type Subscription,
} from '@nats-io/transport-node';
import type { BrokerOptions } from './options.js';
import { pieceBytes } from './pieces.js';

export { DeliverPolicy, jetstream, jetstreamManager, Kvm, StorageType };

const PING_MS = 700;
const PINGS_OUT = 2;
const RECONNECT_MS = 100;
const RECONNECT_JITTER_MS = 100;
const CONNECT_MS = 2_000;
/** Time without a connection after which the cause is reported. */
const REPORT_MS = 5_000;
const REPEAT_MS = 300_000;

/** Events that the owner of a connection handles. */
export interface BrokerEvents {
  /** Called when the connection was established, re-established or lost. */
  onChange(connected: boolean, server: string): void;
  /** Called with a sentence for the log when the broker refuses a request or cannot be reached. */
  onError(text: string): void;
}

/** Describes why a connection failed, and what to check. */
export function adviceFor(error: Error): string {
  const { name, message } = error;
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (name === 'AuthorizationError' || /authori[sz]ation|authentication/i.test(message))
    return `it refuses the user, the password or the credentials (${message}); check those of this process`;
  if (/certificate|CERT|SSL|TLS/i.test(`${message} ${code}`))
    return `the encrypted connection failed (${message}); check the certificates, and whether the server wants TLS`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `its name cannot be resolved (${message})`;
  if (name === 'TimeoutError') return 'it does not answer in time';
  return `${message}; is nats-server running there, and may this machine reach its port`;
}

/** Decides when to report a missing connection. Times in milliseconds. */
export class AbsenceReports {
  #since = 0;
  #reportedMs = Number.NEGATIVE_INFINITY;
  #cause = '';

  /** Starts to count the time without a connection. */
  beginAbsence(nowMs: number): void {
    this.#since = nowMs;
    this.#reportedMs = Number.NEGATIVE_INFINITY;
    this.#cause = '';
  }

  /** Returns whether to report a failed attempt with this cause now. */
  isDue(cause: string, nowMs: number): boolean {
    if (nowMs - this.#since < REPORT_MS || (cause === this.#cause && nowMs - this.#reportedMs < REPEAT_MS)) return false;
    this.#reportedMs = nowMs;
    this.#cause = cause;
    return true;
  }
}

/** A connection that is re-established automatically. */
export class Broker {
  #connected = true;
  readonly #absence = new AbsenceReports();
  #timer: NodeJS.Timeout | undefined;

  /** @param nc an established connection @param servers names of the servers, for messages */
  constructor(
    readonly nc: NatsConnection,
    private readonly servers: string,
    private readonly events: BrokerEvents,
  ) {
    void this.#watchStatus();
  }

  /**
   * Connects to the first server that answers. Retries until one does.
   * @throws Error for credentials that cannot be read, and when `signal` is aborted
   */
  static async connect(options: BrokerOptions, name: string, events: BrokerEvents, signal: AbortSignal): Promise<Broker> {
    const { servers, credsFile, tls } = options;
    const urls = servers.map((server) => new URL(server));
    // NATS authenticates one user for all servers. The first user named in an address is taken.
    const named = urls.find(({ username }) => username !== '');
    const hosts = urls.map(({ hostname, port }) => (port === '' ? hostname : `${hostname}:${port}`));
    const given: ConnectionOptions = {
      servers: hosts,
      ...(named ? { user: decodeURIComponent(named.username), pass: decodeURIComponent(named.password) } : {}),
      name,
      maxReconnectAttempts: -1,
      reconnectTimeWait: RECONNECT_MS,
      reconnectJitter: RECONNECT_JITTER_MS,
      reconnectJitterTLS: RECONNECT_JITTER_MS,
      pingInterval: PING_MS,
      maxPingOut: PINGS_OUT,
      timeout: CONNECT_MS,
      // A front that waits for its broker must not give up because its account does not exist yet.
      ignoreAuthErrorAbort: true,
      ...(credsFile === undefined ? {} : { authenticator: credsAuthenticator(new Uint8Array(fs.readFileSync(credsFile))) }),
      ...(tls === null ? {} : { tls: { caFile: tls.ca, certFile: tls.cert, keyFile: tls.key } }),
    };
    const absence = new AbsenceReports();
    absence.beginAbsence(performance.now());
    for (;;) {
      try {
        const nc = await connect(given);
        events.onChange(true, nc.getServer());
        return new Broker(nc, hosts.join(', '), events);
      } catch (error) {
        const cause = adviceFor(error as Error);
        if (absence.isDue(cause, performance.now())) events.onError(`no connection to the broker ${hosts.join(', ')} yet: ${cause}.`);
      }
      await sleep(RECONNECT_MS + Math.random() * RECONNECT_JITTER_MS, undefined, { signal });
    }
  }

  /** True if messages that are published now are sent at once. */
  get connected(): boolean {
    return this.#connected && !this.nc.isClosed();
  }

  /** Largest number of bytes in a piece that the server accepts. */
  get pieceBytes(): number {
    return pieceBytes(this.nc.info?.max_payload ?? 1 << 20);
  }

  /**
   * Subscribes. Reports an exception of the callback, which would otherwise end the whole connection.
   * @param refused is called when the broker refuses the subscription
   */
  subscribe(subject: string, take: (message: Msg) => void, refused: (error: Error) => void = () => {}): Subscription {
    return this.nc.subscribe(subject, {
      callback: (error, message) => this.#attempt(`a message on ${subject}`, () => (error === null ? take(message) : refused(error))),
    });
  }

  /**
   * Publishes if there is a connection. Reports messages that the library refuses, such as an invalid subject.
   * @returns whether the library took the message
   */
  publish(subject: string, body: Uint8Array, reply?: string): boolean {
    let isTaken = false;
    if (this.connected)
      this.#attempt(`publishing on ${subject}`, () => {
        this.nc.publish(subject, body, reply === undefined ? {} : { reply });
        isTaken = true;
      });
    return isTaken;
  }

  /** Resolves when the broker has received everything that was published. @throws Error if the connection is lost before */
  flush(): Promise<void> {
    return this.nc.flush();
  }

  #attempt(what: string, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.events.onError(`${what} failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  async #watchStatus(): Promise<void> {
    const { onError } = this.events;
    const onChange = (connected: boolean, server: string): void =>
      this.#attempt('following the connection', () => this.events.onChange(connected, server));
    let cause = 'no server answers';
    const report = (): void => {
      if (this.#absence.isDue(cause, performance.now())) onError(`still no connection to the broker ${this.servers}: ${cause}.`);
    };
    for await (const status of this.nc.status()) {
      if (status.type === 'disconnect') {
        this.#connected = false;
        cause = 'no server answers';
        this.#absence.beginAbsence(performance.now());
        clearInterval(this.#timer);
        this.#timer = setInterval(report, REPORT_MS);
        onChange(false, status.server);
      } else if (status.type === 'reconnect') {
        this.#connected = true;
        clearInterval(this.#timer);
        onChange(true, status.server);
      } else if (status.type === 'error') {
        if (this.#connected) onError(`the broker says: ${status.error.message}`);
        else cause = adviceFor(status.error);
      }
    }
    clearInterval(this.#timer);
  }

  /** Sends pending messages and closes the connection. */
  async close(): Promise<void> {
    if (this.nc.isClosed()) return;
    if (!this.#connected) await this.nc.close();
    else await this.nc.drain().catch(() => this.nc.close());
  }
}
