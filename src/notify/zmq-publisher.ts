// Publishes through ZeroMQ with Bitcoin Core's topics (and `share`) and framing (doc/zmq.md,
// zmq/zmqpublishnotifier.cpp): topic, body, and a 32-bit little-endian counter of the topic at its address. Only this
// file uses the library, and loads it when the first address is opened, because the library takes 3 MB.
import type { Publisher } from 'zeromq';
import type { ListenerGuard } from '../lib/listener-guard.js';
import { TimeSlice } from '../lib/time-slice.js';
import type { Logger } from '../log/logger.js';
import { CORE_HIGH_WATER_MARK, type ZmqTopic } from './options.js';

/** One -zmqpub option: what is published where, and how many messages may wait for a subscriber. */
export interface ZmqEndpoint {
  readonly topic: ZmqTopic;
  readonly address: string;
  /** High-water mark of the option; undefined if the operator did not set one. */
  readonly highWaterMark: number | undefined;
}

/** Endpoint as getzmqnotifications shows it. */
export interface ShownEndpoint extends ZmqEndpoint {
  readonly highWaterMark: number;
}

interface Notifier extends ShownEndpoint {
  readonly socket: Publisher;
  counter: number;
}

interface Message {
  readonly notifier: Notifier;
  readonly body: Uint8Array;
  readonly counter: number;
}

/** Name for the log and the metric of failures. */
const NAME = 'zmq';

/**
 * Default limit of queued messages per subscriber (high-water mark). A block of 10,000 transactions is 20,003 messages.
 * libzmq learns in steps of half the mark what a subscriber has read, so only half of the mark is certain to be free.
 */
const USUAL_MARK = 131_072;

/**
 * Maximum size in bytes of messages that wait in this process before ZeroMQ gets them: ten of the largest blocks on all
 * topics.
 */
const MOST_WAITING_BYTES = 128 << 20;

/** Approximate overhead of a waiting message in bytes. */
const MESSAGE_OVERHEAD = 128;

export class ZmqPublisher {
  readonly #sockets: readonly Publisher[];
  readonly #guard: ListenerGuard;
  #notifiers: readonly Notifier[];
  /** Messages that wait to be sent, in order. */
  #waiting: Message[] = [];
  #waitingBytes = 0;
  #sending = false;
  #closed = false;

  private constructor(sockets: readonly Publisher[], notifiers: readonly Notifier[], guard: ListenerGuard) {
    this.#sockets = sockets;
    this.#notifiers = notifiers;
    this.#guard = guard;
  }

  /**
   * Binds every address. Topics of one address share a socket, which has the high-water mark of the first topic.
   * @throws Error that names the address that can't be bound
   */
  static async open(endpoints: readonly ZmqEndpoint[], log: Logger, guard: ListenerGuard): Promise<ZmqPublisher> {
    const sockets = new Map<string, Publisher>();
    const notifiers: Notifier[] = [];
    if (endpoints.length === 0) return new ZmqPublisher([], [], guard);
    const zmq = await import('zeromq');
    for (const endpoint of endpoints) {
      const { topic } = endpoint;
      // Core's prefix for the file of a Unix socket is `unix:`. ZeroMQ's is `ipc://`, and getzmqnotifications shows it.
      const address = endpoint.address.replace(/^unix:/, 'ipc://');
      let socket = sockets.get(address);
      if (!socket) {
        // Without a timeout of 0, send() delays every message after 512 and throws EBUSY while one is delayed.
        socket = new zmq.Publisher({
          // Messages of shares are large, and come in a steady stream instead of thousands for a block.
          sendHighWaterMark: endpoint.highWaterMark ?? (topic === 'share' ? CORE_HIGH_WATER_MARK : USUAL_MARK),
          ...{ sendTimeout: 0, linger: 0, tcpKeepalive: 1, ipv6: isIpv6(address) },
        });
        sockets.set(address, socket);
        try {
          await socket.bind(address);
        } catch (error) {
          for (const open of sockets.values()) open.close();
          throw new Error(`Unable to bind to ${address} for -zmqpub${topic}: ${(error as Error).message}`);
        }
      }
      const highWaterMark = endpoint.highWaterMark ?? CORE_HIGH_WATER_MARK;
      notifiers.push({ ...endpoint, address, highWaterMark, socket, counter: 0 });
      log.debug('zmq', `zmq: Outbound message high water mark for pub${topic} at ${address} is ${highWaterMark}`);
    }
    guard.registerListener(NAME);
    return new ZmqPublisher([...sockets.values()], notifiers, guard);
  }

  /** Endpoints in the order of getzmqnotifications. */
  get list(): readonly ShownEndpoint[] {
    return this.#notifiers;
  }

  /** Returns whether a topic is published, so that bodies of other topics need not be built. */
  wants(topic: ZmqTopic): boolean {
    return this.#notifiers.some((notifier) => notifier.topic === topic);
  }

  /**
   * Publishes at every address of the topic. Never waits and never throws: messages are sent in time slices after the
   * current event-loop task. A lost message leaves a gap in the counters, which subscribers can detect.
   * @param body belongs to the publisher from here on
   */
  publish(topic: ZmqTopic, body: Uint8Array): void {
    for (const notifier of this.#notifiers) {
      if (notifier.topic !== topic) continue;
      const counter = notifier.counter++;
      if (this.#waitingBytes + body.length > MOST_WAITING_BYTES) {
        this.#guard.failed(NAME, new Error(`dropped a ${topic} message, because more than ${MOST_WAITING_BYTES} bytes wait to be sent`));
        continue;
      }
      this.#waitingBytes += body.length + MESSAGE_OVERHEAD;
      this.#waiting.push({ notifier, body, counter });
    }
    if (this.#sending || this.#waiting.length === 0) return;
    this.#sending = true;
    // Send templates and the reply to submitblock first.
    setImmediate(() => void this.#send());
  }

  async #send(): Promise<void> {
    const turns = new TimeSlice('chain');
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      for (const message of batch) {
        this.#waitingBytes -= message.body.length + MESSAGE_OVERHEAD;
        this.#sendOne(message);
        if (turns.over) await turns.next();
      }
    }
    this.#sending = false;
  }

  #sendOne({ notifier, body, counter }: Message): void {
    if (this.#closed) return;
    const number = Buffer.alloc(4);
    // Unlike writeUInt32LE, this starts at 0 again after 2^32 messages.
    new DataView(number.buffer).setUint32(0, counter, true);
    this.#guard.run(NAME, () => notifier.socket.send([notifier.topic, body, number]));
  }

  close(): void {
    this.#closed = true;
    this.#notifiers = [];
    for (const socket of this.#sockets) socket.close();
  }
}

/** Returns whether a socket must allow IPv6 addresses. Such a socket fails on systems without IPv6. */
function isIpv6(address: string): boolean {
  return /^tcp:\/\/\[/.test(address);
}
