// The sockets of Stratum V1 miners, on a thread of their own: jobs out, shares in. Bounds: -stratumconnections, and
// -stratumperaddress of them from one other machine (the oldest without an authorized name is closed); bytes, lines and
// shares of a connection (connection.ts, session/).
import type net from 'node:net';
import { createSecureContext, type SecureContext, TLSSocket } from 'node:tls';
import { hashToHex } from '../../consensus/bytes/hex.js';
import type { Addresses } from '../../lib/supervised-thread.js';
import type { ServedTemplate } from '../../mining/index.js';
import { Admissions, BlockKeeper, countFirstByte, joinBlock, listenAt, ServeLog, sourceOf } from '../../mining/serve/index.js';
import type { SessionContext } from '../session/context.js';
import { StratumSession } from '../session/session.js';
import { type AuthorizedWorker, type FoundBlock, SHARE_RESULTS, type ShareRecord, type ShareResult } from '../session/sink.js';
import { workerPage } from '../statistics/worker-page.js';
import { WorkerTable } from '../statistics/worker-table.js';
import type { Extranonces } from '../work/extranonces.js';
import type { StratumJob } from '../work/job.js';
import { Connection, type ConnectionOwner } from './connection.js';
import type { StratumCloseReason, StratumCounters } from './counters.js';
import { JobSpreader } from './job-spreader.js';
import type { FromStratum, StratumOptions, ToStratum } from './messages.js';
import type { ShareStream } from './share-stream.js';

const NAME = 'Stratum V1';
const TICK_MS = 1_000;
/** Interval between jobs. Miners consider a pool dead if it sends nothing for more than a minute. */
const RENEW_MS = 30_000;

/** Time after which a worker's row is written, and most rows per second. With more changes, rows are written later. */
const ROW_MS = 10_000;
const ROWS_PER_SECOND = 200;

/** Names of the counters of shares, so that no share builds its name. */
const RESULT_COUNTERS = Object.fromEntries(SHARE_RESULTS.map((result) => [result, `shares ${result}`])) as {
  readonly [R in ShareResult]: `shares ${R}`;
};

/** Property of a socket that holds its connection. */
const CONNECTION = Symbol('connection');

const connectionOf = (socket: net.Socket): Connection => (socket as unknown as { readonly [CONNECTION]: Connection })[CONNECTION];

// One function for all sockets: with thousands of connections, functions of their own would take memory.
function onData(this: net.Socket, chunk: Buffer): void {
  connectionOf(this).onData(chunk);
}
function onClose(this: net.Socket): void {
  connectionOf(this).onClose();
}
/** Ends the socket. `close` follows. */
function onError(this: net.Socket): void {
  this.destroy();
}

export interface StratumServerDeps {
  readonly options: Pick<
    StratumOptions,
    'binds' | 'tls' | 'most' | 'perAddress' | 'sharesPerSecond' | 'reserve' | 'solutionsDir' | 'mostWorkers' | 'workerRows'
  >;
  /** Null if shares are not streamed. */
  readonly stream: ShareStream | null;
  readonly context: SessionContext;
  readonly extranonces: Extranonces;
  readonly counters: StratumCounters;
  /** Milliseconds since 1970; never goes back. */
  readonly nowMs: () => number;
  readonly post: (message: FromStratum, transfer?: readonly ArrayBuffer[]) => void;
}

export class StratumServer implements ConnectionOwner {
  readonly counters: StratumCounters;
  readonly sharesPerSecond: number;
  readonly #deps: StratumServerDeps;
  readonly #connections = new Set<Connection>();
  readonly #admissions: Admissions<Connection>;
  readonly #log: ServeLog;
  readonly #keeper: BlockKeeper;
  readonly #spreader = new JobSpreader((connection, job, needed) => this.#guard(connection, () => connection.sendJob(job, needed)));
  readonly #workers: WorkerTable;
  readonly #servers: net.Server[] = [];
  readonly #tls: SecureContext | null;
  /** Template for the height after the next. The next tip may select it. */
  #staged: ServedTemplate | null = null;
  #lastId = 0;
  #lastJobMs = 0;
  #ticker: NodeJS.Timeout | null = null;

  constructor(deps: StratumServerDeps) {
    this.#deps = deps;
    this.counters = deps.counters;
    const { most, perAddress, tls, solutionsDir, sharesPerSecond, mostWorkers, workerRows } = deps.options;
    this.sharesPerSecond = sharesPerSecond;
    this.#log = new ServeLog(NAME, deps.post);
    this.#admissions = new Admissions({
      most,
      perAddress,
      perAddressOption: 'stratumperaddress',
      evict: (connection) => this.end(connection, 'limit', 'it gave way to a newer connection'),
    });
    this.#keeper = new BlockKeeper({ name: NAME, dir: solutionsDir, notes: this.#log, post: deps.post });
    this.#workers = new WorkerTable(mostWorkers);
    const damaged = this.#workers.loadRows(workerRows, this.nowMs());
    if (damaged > 0) this.#log.log('warn', `${NAME}: ${damaged} damaged rows with statistics of workers are ignored`);
    this.counters.set('workers', this.#workers.size);
    this.#tls = tls === null ? null : createSecureContext(tls);
  }

  /** @throws the system's error when an address cannot be bound */
  async listen(): Promise<Addresses> {
    const bound: { host: string; port: number }[] = [];
    for (const { host, port, tls } of this.#deps.options.binds) {
      const accept = (socket: net.Socket): void => this.accept(socket, tls);
      const opened = await listenAt({ host, port }, accept, (error) => this.#log.log('warn', `${NAME}: ${error.message}`));
      this.#servers.push(opened.server);
      bound.push({ host, port: opened.port });
    }
    this.#ticker = setInterval(() => this.tick(), TICK_MS);
    return bound;
  }

  close(): void {
    if (this.#ticker !== null) clearInterval(this.#ticker);
    this.#spreader.stop();
    for (const server of this.#servers) server.close();
    for (const connection of this.#connections) {
      connection.closed = true;
      connection.socket.destroy();
    }
    this.#connections.clear();
    this.#postRows(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY);
    this.#deps.stream?.postMessage();
  }

  /** Handles a message of the node thread. */
  receive(message: ToStratum): void {
    switch (message.kind) {
      case 'tip':
        this.#onTip(message);
        break;
      case 'template':
        this.#spread(this.#deps.context.board.newTemplate(message.template, this.nowMs()));
        break;
      case 'stage':
        this.#staged = message.template;
        break;
      case 'share':
        // All miners have the same reserve, and already have that template.
        break;
      case 'hold':
        this.#deps.context.board.hold(this.nowMs());
        this.#spreader.stop();
        for (const connection of this.#connections) this.end(connection, 'no-work', 'the node has no work for miners');
        break;
      case 'ask': {
        const reply = message.question === null ? null : workerPage(this.#workers, message.question, this.nowMs());
        this.#deps.post({ kind: 'answer', number: message.number, reply });
        break;
      }
      case 'taken':
        this.#deps.stream?.onTaken(message.bytes);
        break;
      case 'close':
        this.close();
        break;
    }
  }

  #onTip({ tip, activate, template }: Extract<ToStratum, { kind: 'tip' }>): void {
    const named = template ?? (this.#staged?.serial === activate ? this.#staged : null);
    this.#staged = null;
    if (named === null) {
      this.#log.log('error', `${NAME}: template ${activate} is not here`);
      return;
    }
    const job = this.#deps.context.board.newTip(tip, named, this.nowMs());
    this.#made(job);
    this.#spreader.sendNow(job, this.#connections);
    if (tip.acceptedMs !== null && this.#connections.size > 0) countFirstByte(this.counters, (this.nowMs() - tip.acceptedMs) / 1000);
  }

  #spread(job: StratumJob | null): void {
    if (job === null) return;
    this.#made(job);
    this.#spreader.spread(job, this.#connections);
  }

  #made(_job: StratumJob): void {
    this.counters.add('jobs');
    this.#lastJobMs = this.nowMs();
  }

  /** Accepts a new connection. @param tls whether the miner must begin with a TLS handshake */
  accept(plain: net.Socket, tls = false): void {
    const { context, extranonces } = this.#deps;
    this.counters.add('connectionsAccepted');
    // A socket without this listener would end the thread.
    plain.on('error', onError);
    const source = sourceOf(plain.remoteAddress, plain.localAddress);
    const refusal = context.board.current === null ? 'the node has no work for miners yet' : this.#admissions.refusal(source);
    const extranonce1 = refusal === null ? extranonces.allocate() : null;
    if (extranonce1 === null) {
      this.counters.add(context.board.current === null ? 'closed no-work' : 'closed limit');
      this.#log.limited(`${NAME}: a connection from ${plain.remoteAddress} was refused, ${refusal ?? 'all extranonces are in use'}`);
      plain.destroy();
      return;
    }
    const socket = tls ? new TLSSocket(plain, { isServer: true, secureContext: this.#tls as SecureContext }) : plain;
    const connection = new Connection(++this.#lastId, socket, { source, extranonce1 }, this);
    connection.session = new StratumSession(context, extranonce1, connection, this.nowMs());
    this.#connections.add(connection);
    this.#admissions.add(connection);
    this.counters.set('connectionsOpen', this.#connections.size);
    Object.assign(socket, { [CONNECTION]: connection });
    socket.on('data', onData);
    if (tls) socket.on('error', onError);
    socket.on('close', onClose);
    if (this.#connections.size === 1) this.#deps.post({ kind: 'needs', reserves: [this.#deps.options.reserve] });
  }

  nowMs(): number {
    return this.#deps.nowMs();
  }

  onAuthorized(connection: Connection, authorized: AuthorizedWorker): void {
    const { address, worker, agent } = authorized;
    this.#workers.startSession(authorized, this.nowMs());
    if (this.#admissions.settle(connection)) {
      connection.settled = true;
      this.counters.add('minersOpen');
    }
    const firmware = agent === '' ? '' : `, ${agent}`;
    this.#log.limited(`${NAME}: ${connection.name} mines for ${address} as ${worker}${firmware}`);
  }

  onShare(_connection: Connection, share: ShareRecord): void {
    const { result, difficulty, shareDifficulty, timeMs } = share;
    this.counters.add(RESULT_COUNTERS[result]);
    if (result === 'accepted') {
      this.counters.add('workAccepted', difficulty);
      this.counters.set('lastShareMs', timeMs);
      this.counters.set('bestShare', Math.max(shareDifficulty, this.counters.get('bestShare')));
    }
    this.#workers.addShare(share);
    this.#deps.stream?.addShare(share);
    this.counters.set('rowsWaiting', this.#workers.changes);
  }

  onLog(level: 'info' | 'debug', text: string): void {
    this.#log.limited(text, level);
  }

  /** Writes a found block to a file before anything else is done with it. */
  onBlock(connection: Connection, { job, hash, header, coinbase, address, worker, late }: FoundBlock): void {
    const hashHex = hashToHex(hash);
    if (!this.#keeper.isNew(hashHex)) return;
    this.counters.add('blocksFound');
    if (late) this.counters.add('blocksLate');
    const template = job.template as ServedTemplate;
    const finder = `miner ${connection.id} (${address}.${worker})`;
    const block = joinBlock(header, coinbase, template);
    this.#keeper.keepBlock({ hashHex, block, finder, late, address: connection.host, height: template.height });
  }

  /** Runs an action of one connection. An exception in it ends that connection only. */
  #guard(connection: Connection, run: () => void): void {
    if (connection.closed) return;
    try {
      run();
    } catch (error) {
      this.onFault(connection, error);
    }
  }

  onFault(connection: Connection, error: unknown): void {
    this.#log.log('error', `${NAME}: ${(error as Error).stack}`);
    this.end(connection, 'fault', 'a fault of this node');
  }

  end(connection: Connection, reason: StratumCloseReason, detail: string): void {
    if (connection.closed) return;
    this.counters.add(`closed ${reason}`);
    this.#log.limited(`${NAME}: ${connection.name} is closed: ${detail}`);
    connection.socket.destroy();
    this.remove(connection);
  }

  remove(connection: Connection): void {
    if (!this.#connections.delete(connection)) return;
    connection.closed = true;
    for (const worker of connection.session.announced) this.#workers.endSession(worker);
    connection.session.end();
    this.#deps.extranonces.release(connection.extranonce1);
    this.#admissions.remove(connection);
    if (connection.settled) this.counters.add('minersOpen', -1);
    this.counters.set('connectionsOpen', this.#connections.size);
    if (this.#connections.size === 0) this.#deps.post({ kind: 'needs', reserves: [] });
  }

  /** Runs time-outs and limits of rate, once per second. */
  tick(): void {
    const nowMs = this.nowMs();
    let unsentBytes = 0;
    for (const connection of this.#connections) {
      // Catch exceptions here instead of in #guard, which needs a function for each call: with thousands of
      // connections, these would be a megabyte of garbage every second.
      try {
        connection.tick(nowMs);
      } catch (error) {
        this.onFault(connection, error);
      }
      unsentBytes += connection.socket.writableLength;
    }
    this.counters.set('unsentBytes', unsentBytes);
    if (this.#connections.size > 0 && nowMs - this.#lastJobMs >= RENEW_MS) this.#spread(this.#deps.context.board.renew(nowMs));
    this.#postRows(nowMs - ROW_MS, ROWS_PER_SECOND);
    this.counters.set('workers', this.#workers.size);
    this.#log.tick();
  }

  /** Posts rows of workers that changed at `untilMs` or earlier. */
  #postRows(untilMs: number, most: number): void {
    const rows = this.#workers.takeChangedRows(untilMs, most);
    if (rows.length > 0) this.#deps.post({ kind: 'rows', rows });
    this.counters.set('rowsWaiting', this.#workers.changes);
  }
}
