// Runs a front thread: accepts and serves connections, and closes them before the thread ends. The first front listens and
// distributes the sockets among all fronts, itself included. The other fronts receive file descriptors.
import fs from 'node:fs';
import net from 'node:net';
import tls from 'node:tls';
import type { MessagePort } from 'node:worker_threads';
import type { ChainParams } from '../../consensus/params/chain-params.js';
import { CallQuota } from '../../link/call-quota.js';
import { FrontCounters } from '../../link/front-counters.js';
import { FrontLink } from '../../link/front-link.js';
import type { FrontNews, LinkPorts, PublishedTip } from '../../link/messages.js';
import { SharedState } from '../../link/shared-state.js';
import { type SlabInfo, SlabReader } from '../../link/slab-ring.js';
import type { HttpOptions } from '../options.js';
import { addressBytes } from './access.js';
import { Connections } from './connection.js';
import { createDuplicate } from './duplicate.js';
import { Front } from './front.js';

/** Data that a front thread is started with. */
export interface FrontInit {
  readonly index: number;
  readonly options: HttpOptions;
  readonly params: ChainParams;
  readonly startedSeconds: number;
  readonly state: SharedArrayBuffer;
  readonly counters: SharedArrayBuffer;
  readonly slabControl: SharedArrayBuffer;
  readonly slabs: readonly SlabInfo[];
  /** Counts of the leases of this front, for SlabRing.endLeases. */
  readonly leases: SharedArrayBuffer;
  readonly tip: PublishedTip;
  readonly warmup: string | null;
  /** Maximum size in bytes of bodies that may be in progress on other threads. */
  readonly linkBytes: number;
  /** The front's end of its link to the node thread. */
  readonly link: LinkPorts;
}

/** Option of net.Socket, not in its types: do not read before a Connection handles the socket. */
const PAUSED = { pauseOnCreate: true };

/** Number of connections that the kernel may queue before the front accepts them. */
const BACKLOG = 4096;

/** Runs a front until the node thread closes it. @param urgency raises or lowers the priority of this thread */
export function startFront(init: FrontInit, urgency: (urgent: boolean) => void): void {
  const thread = new FrontThread(init, urgency);
  // An exception in one request must not end other requests, so log it and continue.
  const survive = (error: unknown) => thread.notice('error', `front ${init.index}: ${error instanceof Error ? error.stack : error}`);
  process.on('uncaughtException', survive);
  process.on('unhandledRejection', survive);
}

class FrontThread {
  readonly #init: FrontInit;
  readonly #link: FrontLink;
  readonly #quota: CallQuota;
  readonly #front: Front;
  readonly #connections: Connections;
  /** Performs TLS handshakes; null without TLS. */
  readonly #tls: tls.Server | null;
  #listening: net.Server[] = [];
  /** Ports to the other fronts, which receive sockets in round-robin order. */
  #others: readonly MessagePort[] = [];
  #nextFront = 0;
  #duplicate: ((descriptor: number) => number) | null = null;

  constructor(init: FrontInit, urgency: (urgent: boolean) => void) {
    this.#init = init;
    const counters = new FrontCounters(init.counters);
    this.#quota = new CallQuota({ calls: init.options.workQueue, bytes: init.linkBytes }, counters);
    this.#tls = this.#newTls();
    this.#link = new FrontLink(init.link, this.#quota, (news) => this.#onNews(news));
    this.#front = new Front({
      options: init.options,
      params: init.params,
      startedSeconds: init.startedSeconds,
      state: new SharedState(init.state),
      counters,
      slabs: new SlabReader(init.slabControl, init.slabs, init.leases),
      link: this.#link,
      tip: init.tip,
      warmup: init.warmup,
      urgency,
    });
    this.#connections = new Connections(init.options.serverTimeoutSeconds);
    this.#link.postNews({ news: 'ready' });
  }

  #newTls(): tls.Server | null {
    const { tls: files, serverTimeoutSeconds } = this.#init.options;
    if (files === null) return null;
    const server = tls.createServer({
      cert: fs.readFileSync(files.certFile),
      key: fs.readFileSync(files.keyFile),
      handshakeTimeout: serverTimeoutSeconds * 1000,
    });
    server.on('secureConnection', (socket) => this.#serveSocket(socket));
    server.on('tlsClientError', (error: NodeJS.ErrnoException, socket) => {
      // The client disconnected before the handshake, so the front did not refuse it.
      if (error.code !== 'ECONNRESET')
        this.#front.admission.logRefusal(
          socket.remoteAddress ?? 'an unknown address',
          `the TLS handshake failed (${error.code ?? error.message})`,
        );
      socket.destroy();
    });
    return server;
  }

  notice(level: 'warn' | 'error', text: string): void {
    this.#link.postNews({ news: 'notice', level, text });
  }

  #onNews(news: FrontNews): void {
    switch (news.news) {
      case 'listen':
        void this.#listen(news.others);
        break;
      case 'deal':
        news.sockets.on('message', (fd: number) =>
          this.#open(new net.Socket({ fd, readable: true, writable: true, allowHalfOpen: true, ...PAUSED }).setNoDelay(true)),
        );
        break;
      case 'wallets':
        this.#front.wallets = new FrontLink(news.link, this.#quota, () => {});
        break;
      case 'stopListening':
        this.#stopListening();
        break;
      case 'drain':
        this.#front.drain(() => this.#link.postNews({ news: 'drained' }));
        break;
      case 'close':
        this.#close();
        break;
      default:
        this.#front.onNews(news);
    }
  }

  async #listen(others: readonly MessagePort[]): Promise<void> {
    this.#others = others;
    // Send no sockets to a front whose thread has ended: they would stay open without an owner.
    for (const port of others) port.once('close', () => (this.#others = this.#others.filter((other) => other !== port)));
    if (others.length > 0) {
      this.#duplicate = createDuplicate();
      if (this.#duplicate === null)
        this.notice(
          'warn',
          'One front thread serves all HTTP clients, because the package koffi cannot be loaded. Install adit again to use all of them.',
        );
    }
    let shared = 0;
    const ports: (number | null)[] = [];
    for (const { host, port } of this.#init.options.binds) {
      const bound = await this.#listenOn(host, port || shared);
      if (port === 0 && bound !== null) shared = bound;
      ports.push(bound);
    }
    this.#link.postNews({ news: 'listening', ports });
  }

  #listenOn(host: string, port: number): Promise<number | null> {
    const server = net.createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true }, (socket) => this.#deal(socket));
    return new Promise((resolve) => {
      server.once('error', () => resolve(null));
      server.listen({ host, port, backlog: BACKLOG }, () => {
        // Later errors concern one connection only, such as a lack of file descriptors.
        server.on('error', () => {});
        this.#listening.push(server);
        resolve((server.address() as net.AddressInfo).port);
      });
    });
  }

  /** Gives a socket to the next front in round-robin order. */
  #deal(socket: net.Socket): void {
    const index = this.#nextFront++ % (this.#others.length + 1);
    const descriptor = (socket as net.Socket & { readonly _handle?: { readonly fd?: number } | null })._handle?.fd ?? -1;
    if (index > 0 && this.#duplicate !== null && descriptor >= 0) {
      const copy = this.#duplicate(descriptor);
      if (copy >= 0) {
        this.#others[index - 1].postMessage(copy);
        socket.destroy();
        return;
      }
    }
    this.#open(socket);
  }

  /** Opens a socket on this front. */
  #open(socket: net.Socket): void {
    // The client reset the connection before this thread received it.
    if (socket.remoteAddress === undefined) {
      socket.destroy();
      return;
    }
    const closed = (): void => this.#front.admission.socketClosed();
    if (!this.#front.admission.socketOpened(addressBytes(socket.remoteAddress))) socket.once('close', closed).destroy();
    else if (this.#tls === null) this.#serveSocket(socket).once('close', closed);
    else
      this.#tls.emit(
        'connection',
        socket.once('close', closed).on('error', () => {}),
      );
  }

  #serveSocket(socket: net.Socket): net.Socket {
    return this.#connections.add(socket, {
      exchanges: this.#front.owner,
      handle: (exchange) => this.#front.handle(exchange),
      refuse: (exchange, cause) => this.#front.refuse(exchange, cause),
    });
  }

  #stopListening(): void {
    for (const server of this.#listening) server.close();
    this.#listening = [];
  }

  #close(): void {
    this.#stopListening();
    this.#front.close();
    this.#connections.close();
    for (const port of this.#others) port.close();
    this.#link.postNews({ news: 'closed' });
    this.#front.wallets?.close();
    this.#link.close();
  }
}
