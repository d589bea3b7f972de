// Life of a front thread: builds its app, joins the acceptor, serves, and closes the app before the thread ends (an
// open app aborts the process). The first front also runs the acceptor: one app on exclusive ports that deals sockets
// out to all fronts, itself among them. Called by workers/front.ts with what http/server.ts put together.
import type { ChainParams } from '../../consensus/params/chain-params.js';
import { CallRoom } from '../../link/call-room.js';
import { FrontCounters } from '../../link/front-counters.js';
import { FrontLink } from '../../link/front-link.js';
import type { FrontNews, LinkPorts, PublishedTip } from '../../link/messages.js';
import { SharedState } from '../../link/shared-state.js';
import { type SlabInfo, SlabReader } from '../../link/slab-ring.js';
import type { HttpBind, HttpOptions } from '../options.js';
import { Exchange } from './exchange.js';
import { Front } from './front.js';
import { type HttpResponse, LISTEN_EXCLUSIVE_PORT, type TemplatedApp, type us_listen_socket, uws } from './uws.js';

/** What a front thread is started with. */
export interface FrontInit {
  readonly index: number;
  readonly options: HttpOptions;
  readonly params: ChainParams;
  readonly startedSeconds: number;
  readonly state: SharedArrayBuffer;
  readonly counters: SharedArrayBuffer;
  readonly slabControl: SharedArrayBuffer;
  readonly slabs: readonly SlabInfo[];
  /** Where it counts its leases. */
  readonly leases: SharedArrayBuffer;
  readonly tip: PublishedTip;
  readonly warmup: string | null;
  /** Bytes of bodies that may be under way to the node thread. */
  readonly linkBytes: number;
  /** Its end of the link to the node thread. */
  readonly link: LinkPorts;
}

/** An app as its native side has it; the declarations leave these two out. */
type ChildApp = TemplatedApp & { getDescriptor(): unknown; addChildAppDescriptor(descriptor: unknown): void };

/**
 * Runs a front until the node thread closes it.
 * @param urgency tells how urgent this thread's work is: not while it sends to a crowd
 */
export function startFront(init: FrontInit, urgency: (urgent: boolean) => void): void {
  const thread = new FrontThread(init, urgency);
  // Nothing may take the thread down while its app is open: it would take the process with it.
  const survive = (error: unknown) => thread.notice('error', `front ${init.index}: ${error instanceof Error ? error.stack : error}`);
  process.on('uncaughtException', survive);
  process.on('unhandledRejection', survive);
}

class FrontThread {
  readonly #init: FrontInit;
  readonly #link: FrontLink;
  readonly #room: CallRoom;
  readonly #front: Front;
  readonly #app: ChildApp;
  #acceptor: ChildApp | null = null;
  #listening: us_listen_socket[] = [];

  constructor(init: FrontInit, urgency: (urgent: boolean) => void) {
    this.#init = init;
    const counters = new FrontCounters(init.counters);
    this.#room = new CallRoom({ calls: init.options.workQueue, bytes: init.linkBytes }, counters);
    this.#link = new FrontLink(init.link, this.#room, (news) => this.#onNews(news));
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
    this.#app = this.#newApp();
    this.#app.filter((res, change) => this.#onSocket(res, Number(change)));
    const { owner } = this.#front;
    this.#app.any('/*', (res, req) => this.#front.handle(new Exchange(res, req, owner)));
    this.#link.tell({ news: 'ready', descriptor: this.#app.getDescriptor() });
  }

  /** @param change 1: it was opened, -1: it was closed */
  #onSocket(res: HttpResponse, change: number): void {
    if (change < 0) this.#front.onClosed();
    else if (!this.#front.onOpened(new Uint8Array(res.getRemoteAddress()))) res.close();
  }

  #newApp(): ChildApp {
    const { tls } = this.#init.options;
    const app = tls ? uws.SSLApp({ cert_file_name: tls.certFile, key_file_name: tls.keyFile }) : uws.App();
    return app as ChildApp;
  }

  notice(level: 'warn' | 'error', text: string): void {
    this.#link.tell({ news: 'notice', level, text });
  }

  #onNews(news: FrontNews): void {
    switch (news.news) {
      case 'children':
        this.#listen(news.descriptors);
        break;
      case 'wallets':
        this.#front.wallets = new FrontLink(news.link, this.#room, () => {});
        break;
      case 'stopListening':
        this.#stopListening();
        break;
      case 'drain':
        this.#front.drain(() => this.#link.tell({ news: 'drained' }));
        break;
      case 'close':
        this.#close();
        break;
      default:
        this.#front.onNews(news);
    }
  }

  #listen(descriptors: readonly unknown[]): void {
    let app = this.#app;
    if (descriptors.length > 1) {
      app = this.#acceptor = this.#newApp();
      for (const descriptor of descriptors) app.addChildAppDescriptor(descriptor);
    }
    let shared = 0;
    const ports = this.#init.options.binds.map((bind) => {
      const port = this.#listenOn(app, bind, shared);
      if (bind.port === 0 && port !== null) shared = port;
      return port;
    });
    this.#link.tell({ news: 'listening', ports });
  }

  /** @param shared port that earlier binds to any port were given: all hosts listen on the same one */
  #listenOn(app: ChildApp, bind: HttpBind, shared: number): number | null {
    let port: number | null = null;
    type Listen = (host: string, port: number, options: number, done: (socket: us_listen_socket | false) => void) => void;
    // Exclusive: without it a second process could listen too and would silently take half the sockets.
    (app.listen as unknown as Listen).call(app, bind.host, bind.port || shared, LISTEN_EXCLUSIVE_PORT, (socket) => {
      if (!socket) return;
      this.#listening.push(socket);
      port = uws.us_socket_local_port(socket as never);
    });
    return port;
  }

  #stopListening(): void {
    for (const socket of this.#listening) uws.us_listen_socket_close(socket);
    this.#listening = [];
  }

  #close(): void {
    this.#stopListening();
    this.#front.close();
    this.#app.close();
    this.#acceptor?.close();
    this.#link.tell({ news: 'closed' });
    this.#front.wallets?.close();
    this.#link.close();
  }
}
