// ZeroMQ publishers with Bitcoin Core's topics and framing (doc/zmq.md, zmq/zmqpublishnotifier.cpp): topic, body, and a
// 32-bit little-endian counter of the topic at its address. The only file that knows the library, which is loaded for
// the first address: it takes 3 MB.
import type { Publisher } from 'zeromq';
import type { Logger } from '../log/logger.js';
import type { ZmqTopic } from './options.js';

/** One -zmqpub option: what is published where, and how many messages may wait for a subscriber. */
export interface ZmqEndpoint {
  readonly topic: ZmqTopic;
  readonly address: string;
  readonly highWaterMark: number;
}

interface Notifier extends ZmqEndpoint {
  readonly socket: Publisher;
  counter: number;
}

export class ZmqPublisher {
  readonly #sockets: Publisher[];
  readonly #log: Logger;
  #notifiers: readonly Notifier[];

  private constructor(sockets: Publisher[], notifiers: readonly Notifier[], log: Logger) {
    this.#sockets = sockets;
    this.#notifiers = notifiers;
    this.#log = log;
  }

  /**
   * Binds every address; topics of one address share a socket.
   * @throws Error that names the address that can't be bound
   */
  static async open(endpoints: readonly ZmqEndpoint[], log: Logger): Promise<ZmqPublisher> {
    const sockets = new Map<string, Publisher>();
    const notifiers: Notifier[] = [];
    if (endpoints.length === 0) return new ZmqPublisher([], [], log);
    const zmq = await import('zeromq');
    for (const endpoint of endpoints) {
      let socket = sockets.get(endpoint.address);
      if (!socket) {
        socket = new zmq.Publisher({ sendHighWaterMark: endpoint.highWaterMark, linger: 0, tcpKeepalive: 1 });
        sockets.set(endpoint.address, socket);
        try {
          // Core's prefix for the file of a Unix socket.
          await socket.bind(endpoint.address.replace(/^unix:/, 'ipc://'));
        } catch (error) {
          for (const open of sockets.values()) open.close();
          throw new Error(`Unable to bind to ${endpoint.address} for -zmqpub${endpoint.topic}: ${(error as Error).message}`);
        }
      }
      notifiers.push({ ...endpoint, socket, counter: 0 });
      log.debug(
        'zmq',
        `zmq: Outbound message high water mark for pub${endpoint.topic} at ${endpoint.address} is ${endpoint.highWaterMark}`,
      );
    }
    return new ZmqPublisher([...sockets.values()], notifiers, log);
  }

  /** What is published, in the order of getzmqnotifications. */
  get list(): readonly ZmqEndpoint[] {
    return this.#notifiers;
  }

  /** Whether a notifier publishes the topic: bodies of other topics need not be made. */
  wants(topic: ZmqTopic): boolean {
    return this.#notifiers.some((notifier) => notifier.topic === topic);
  }

  /**
   * Publishes at every address of the topic. Never waits: a subscriber that is behind its mark misses messages and sees
   * it by the counter.
   */
  publish(topic: ZmqTopic, body: Uint8Array): void {
    for (const notifier of this.#notifiers) {
      if (notifier.topic !== topic) continue;
      const counter = Buffer.alloc(4);
      counter.writeUInt32LE(notifier.counter);
      notifier.counter = (notifier.counter + 1) >>> 0;
      notifier.socket.send([topic, body, counter]).catch((error: Error) => this.#drop(notifier, error));
    }
  }

  close(): void {
    this.#notifiers = [];
    for (const socket of this.#sockets) socket.close();
  }

  /** A notifier that fails is removed for good, as Core does. */
  #drop(notifier: Notifier, error: Error): void {
    if (!this.#notifiers.includes(notifier)) return;
    this.#notifiers = this.#notifiers.filter((one) => one !== notifier);
    this.#log.warn(`zmq: ${notifier.topic} at ${notifier.address} is published no longer: ${error.message}`);
  }
}
