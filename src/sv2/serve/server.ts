// Serves Stratum V2 clients on a thread of its own: sends templates of the node thread, receives solutions. Limits:
// 2,000 connections, -sv2peraddress of them from one address of another machine (the oldest before SetupConnection is
// closed), one handshake per tick, 64 waiting requests of a client, 8 answers with transactions in progress, 4 MB
// unread by a client and 128 MB by all.
import type net from 'node:net';
import type { Hashes } from '../../crypto/crypto.js';
import type { Clock } from '../../lib/clock.js';
import { type Reserve, reserveKey, type ServedTip } from '../../mining/index.js';
import { Admissions, countFirstByte, listenAt, ServeLog, sourceOf } from '../../mining/serve/index.js';
import type { CoinbaseOutputConstraints } from '../codec/template-messages.js';
import { encodeSetNewPrevHash } from '../codec/template-messages.js';
import type { ConnectionDeps, ConnectionEvent } from '../connection.js';
import { reserveFor } from '../reserve.js';
import { Client, type ClientCloseReason, MOST_UNREAD_BYTES } from './client.js';
import type { ServeCounters } from './counters.js';
import type { FromServe, ServeOptions, ToServe } from './messages.js';
import { Solver } from './solver.js';
import { type NumberedTemplate, TemplateTable } from './template-table.js';
import { TransactionAnswers } from './transaction-answers.js';

const MOST_CONNECTIONS = 2_000;
/** Time in which a client must send act 1, and then time from act 2 on in which it must send SetupConnection. */
const SETUP_MS = 15_000;
/** Time after which a client is closed that reads nothing although bytes wait for it. */
const STUCK_MS = 60_000;
/** Interval between two changes of a client's constraints. Each may cost the node a template. */
const CONSTRAINTS_MS = 1_000;
const SWEEP_MS = 1_000;
const MOST_UNREAD_BY_ALL = 128 << 20;

export interface ServerDeps extends ConnectionDeps {
  readonly hashes: Hashes;
  readonly options: ServeOptions;
  readonly counters: ServeCounters;
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
  readonly post: (message: FromServe, transfer?: readonly ArrayBuffer[]) => void;
}

export class Sv2Server {
  readonly #deps: ServerDeps;
  readonly #table: TemplateTable;
  readonly #clients = new Set<Client>();
  /** Limits of connections. Connections before SetupConnection count as pending, ordered by `sinceMs`. */
  readonly #admissions: Admissions<Client>;
  readonly #handshakes = new Set<Client>();
  #handshakeDue = false;
  #needsDue = false;
  readonly #answers: TransactionAnswers;
  readonly #solver: Solver;
  readonly #log: ServeLog;
  readonly #needs = new Map<string, { readonly reserve: Reserve; clients: number }>();
  readonly #servers: net.Server[] = [];
  #lastId = 0;
  #sweeper: NodeJS.Timeout | null = null;

  constructor(deps: ServerDeps) {
    this.#deps = deps;
    this.#table = new TemplateTable(deps.clock.nowMs());
    this.#log = new ServeLog('Stratum V2', deps.post);
    this.#admissions = new Admissions({
      most: MOST_CONNECTIONS,
      perAddress: deps.options.perAddress,
      perAddressOption: 'sv2peraddress',
      evict: (client) => this.#endClient(client, 'limit', 'replaced by a newer connection'),
    });
    this.#answers = new TransactionAnswers(this.#table, deps.clock);
    this.#solver = new Solver(this.#table, deps, this.#log);
  }

  /** @throws the system's error if an address cannot be bound */
  async listen(): Promise<{ host: string; port: number }[]> {
    const bound: { host: string; port: number }[] = [];
    for (const { host, port } of this.#deps.options.binds) {
      const accept = (socket: net.Socket): void => this.accept(socket);
      const opened = await listenAt({ host, port }, accept, (error) => this.#log.log('warn', `Stratum V2: ${error.message}`));
      this.#servers.push(opened.server);
      bound.push({ host, port: opened.port });
    }
    this.#sweeper = setInterval(() => this.sweep(), SWEEP_MS);
    return bound;
  }

  close(): void {
    if (this.#sweeper !== null) clearInterval(this.#sweeper);
    for (const server of this.#servers) server.close();
    for (const client of this.#clients) {
      client.closed = true;
      client.socket.destroy();
    }
    this.#clients.clear();
  }

  /** Processes a message of the node thread. */
  receive(message: ToServe): void {
    switch (message.kind) {
      case 'tip':
        this.#newTip(message);
        break;
      case 'template': {
        const template = this.#table.addTemplate(message.template, message.keys);
        this.#sendToClients(template, message.keys);
        break;
      }
      case 'share': {
        const template = this.#table.shareTemplate(message.serial, message.keys);
        if (template !== null) this.#sendToClients(template, message.keys);
        break;
      }
      case 'stage': {
        const template = this.#table.stageTemplate(message.template);
        for (const client of this.#clients)
          if (client.working !== null && client.ready) this.#guard(client, () => client.sendStaged(template));
        break;
      }
      case 'hold':
        this.#table.holdBack(this.#deps.clock.monotonicMs());
        break;
      case 'ask': {
        const reply = message.question === null ? null : [...this.#clients].map((client) => client.info());
        this.#deps.post({ kind: 'answer', number: message.number, reply });
        break;
      }
      case 'close':
        this.close();
        break;
    }
  }

  /** Sends SetNewPrevHash to every client before anything else. Most clients hold the template and get about a hundred bytes. */
  #newTip({ tip, activate, template }: Extract<ToServe, { kind: 'tip' }>): void {
    const active = this.#table.newTip(tip, activate, template, this.#deps.clock.monotonicMs());
    if (active === null) {
      this.#log.log('error', `Stratum V2: template ${activate} is missing`);
      return;
    }
    // Clients may know a staged template by different ids.
    const payloads = new Map<bigint, Uint8Array>();
    const payloadOf = (named: NumberedTemplate): Uint8Array => {
      const payload = payloads.get(named.id) ?? prevHashOf(tip, named);
      payloads.set(named.id, payload);
      return payload;
    };
    for (const client of this.#clients) {
      if (!client.ready) continue;
      const { staged } = client;
      this.#guard(client, () => {
        if (staged?.served === active.served) client.activate(staged, payloadOf(staged));
        else client.sendPair(active, payloadOf(active));
      });
      if (tip.acceptedMs !== null) countFirstByte(this.#deps.counters, (this.#deps.clock.nowMs() - tip.acceptedMs) / 1000);
    }
  }

  /** Sends a template of the tip to clients that know the tip, and as the first template to those that wait for one. */
  #sendToClients(template: NumberedTemplate, keys: readonly string[]): void {
    if (template.tip === null || template.tip !== this.#table.tip) return;
    const served = new Set(keys);
    for (const client of this.#clients) {
      if (!client.ready || !served.has(client.key as string) || client.working?.served === template.served) continue;
      this.#guard(client, () => {
        if (client.working?.tip !== template.tip) this.#sendFirstPair(client, template);
        else client.sendTemplate(template.id > client.highestId ? template : this.#table.reissue(template, client.id));
      });
    }
  }

  /** Sends the first template under a client's constraints with its SetNewPrevHash, and the staged template. */
  #sendFirstPair(client: Client, template: NumberedTemplate): void {
    const tip = this.#table.tip;
    if (tip === null) return;
    const fresh = template.id <= client.highestId ? this.#table.reissue(template, client.id) : template;
    client.sendPair(fresh, prevHashOf(tip, fresh));
    const staged = this.#table.stagedAbove(fresh);
    if (staged !== null) client.sendStaged(staged);
  }

  /** Accepts or refuses a new connection. */
  accept(socket: net.Socket): void {
    const { counters, clock } = this.#deps;
    counters.add('connectionsAccepted');
    const source = sourceOf(socket.remoteAddress, socket.localAddress);
    const refusal = this.#admissions.refusal(source);
    if (refusal !== null) {
      counters.add('closed limit');
      this.#log.limited(`Stratum V2: a connection from ${socket.remoteAddress} was refused, ${refusal}`);
      socket.destroy();
      return;
    }
    const address = `${socket.remoteAddress}:${socket.remotePort}`;
    const times = { connectedMs: clock.nowMs(), sinceMs: clock.monotonicMs() };
    const client = new Client(++this.#lastId, socket, { address, source }, this.#deps, counters, this.#table, times);
    this.#clients.add(client);
    this.#admissions.add(client);
    counters.set('connectionsOpen', this.#clients.size);
    socket.on('data', (chunk: Buffer) => {
      client.bytesReceived += chunk.length;
      counters.add('bytesReceived', chunk.length);
      this.#guard(client, () => this.#read(client, chunk));
    });
    socket.on('error', () => {
      // Nothing to do: the event 'close' follows.
    });
    socket.on('close', () => this.#onClosed(client));
  }

  #read(client: Client, chunk: Uint8Array): void {
    client.connection.push(chunk);
    if (client.connection.handshakeDue) {
      // One handshake per tick, so that messages can be sent between the key computations of many new connections.
      client.socket.pause();
      this.#handshakes.add(client);
      this.#nextHandshake();
    } else this.#drain(client);
  }

  #nextHandshake(): void {
    if (this.#handshakeDue || this.#handshakes.size === 0) return;
    this.#handshakeDue = true;
    setImmediate(() => {
      this.#handshakeDue = false;
      const [client] = this.#handshakes;
      if (client !== undefined) {
        this.#handshakes.delete(client);
        this.#deps.counters.add('handshakes');
        this.#guard(client, () => this.#drain(client));
        client.socket.resume();
        // The client is not charged for the time that it waited for its handshake.
        if (this.#admissions.renew(client)) client.sinceMs = this.#deps.clock.monotonicMs();
      }
      this.#nextHandshake();
    });
  }

  #drain(client: Client): void {
    for (;;) {
      if (client.closed) return;
      const event = client.connection.next();
      if (event === null) return;
      this.#handle(client, event);
    }
  }

  #handle(client: Client, event: ConnectionEvent): void {
    switch (event.kind) {
      case 'send':
        client.writeBytes(event.bytes);
        break;
      case 'setup': {
        const { vendor, firmware } = event.setup;
        client.vendor = vendor;
        client.firmware = firmware;
        this.#admissions.settle(client);
        this.#deps.counters.add('clientsOpen');
        client.writeBytes(client.connection.sealSetupSuccess());
        this.#log.limited(`Stratum V2: ${client.name} connected from ${client.address}`);
        break;
      }
      case 'constraints':
        this.#constrain(client, event.constraints);
        break;
      case 'data':
        if (!this.#answers.request(client, event.templateId))
          this.#endClient(client, 'unread', 'it requests transactions without reading them');
        break;
      case 'solution':
        this.#solver.solve(client, event.solution);
        break;
      case 'ignored':
        this.#deps.counters.add('messagesIgnored');
        this.#log.limited(`client ${client.id}: message ${event.type} of extension ${event.extension} is ignored`, 'debug');
        break;
      case 'close':
        this.#endClient(client, event.reason, event.detail);
        break;
    }
  }

  #constrain(client: Client, constraints: CoinbaseOutputConstraints): void {
    const { leastReserve, maxWeight } = this.#deps.options;
    const reserve = reserveFor(constraints, leastReserve, maxWeight);
    const { maxAdditionalSize, maxAdditionalSigops } = constraints;
    if (reserve === null) {
      const asked = `${maxAdditionalSize} bytes and ${maxAdditionalSigops} sigops of outputs`;
      this.#endClient(client, 'constraints', `no block has space for ${asked}`);
      return;
    }
    this.#log.limited(`client ${client.id}: ${maxAdditionalSize} bytes and ${maxAdditionalSigops} sigops of outputs`, 'debug');
    client.constraints = constraints;
    const changed = this.#dropNeed(client);
    // Templates of the earlier constraints are stale.
    client.staleBelow = client.highestId + 1n;
    client.working = null;
    client.staged = null;
    client.waiting = reserve;
    if (this.#deps.clock.monotonicMs() >= client.constraintsAtMs) this.#applyConstraints(client, changed);
    else if (changed) this.#postNeeds();
  }

  /**
   * Applies the constraints that a client sent last.
   * @param changed true if the needs must be sent to the node thread
   */
  #applyConstraints(client: Client, changed = false): void {
    const reserve = client.waiting;
    if (reserve === null) return;
    client.waiting = null;
    client.constraintsAtMs = this.#deps.clock.monotonicMs() + CONSTRAINTS_MS;
    client.key = reserveKey(reserve);
    const template = this.#table.current(client.key);
    const need = this.#needs.get(client.key);
    if (need === undefined) this.#needs.set(client.key, { reserve, clients: 1 });
    else need.clients++;
    if (template !== null) this.#sendFirstPair(client, template);
    if (need === undefined || changed) this.#postNeeds();
  }

  /** Removes a client's reserve. @returns true if no other client has that reserve, so that the needs must be posted again */
  #dropNeed(client: Client): boolean {
    const { key } = client;
    client.key = null;
    const need = key === null ? undefined : this.#needs.get(key);
    if (need === undefined || --need.clients > 0) return false;
    return this.#needs.delete(key as string);
  }

  /** Posts the needs once at the end of the tick, however often they change. */
  #postNeeds(): void {
    if (this.#needsDue) return;
    this.#needsDue = true;
    setImmediate(() => {
      this.#needsDue = false;
      this.#deps.post({ kind: 'needs', reserves: [...this.#needs.values()].map(({ reserve }) => reserve) });
    });
  }

  /** Runs work for one client. An exception closes that client only. */
  #guard(client: Client, run: () => void): void {
    if (client.closed) return;
    try {
      run();
    } catch (error) {
      this.#log.log('error', `Stratum V2: ${(error as Error).stack}`);
      this.#endClient(client, 'malformed', 'internal error of this node');
      return;
    }
    if (!client.answering && client.socket.writableLength > MOST_UNREAD_BYTES) {
      this.#endClient(client, 'unread', `${client.socket.writableLength} bytes wait for it`);
    }
  }

  #endClient(client: Client, reason: ClientCloseReason, detail: string): void {
    if (client.closed) return;
    this.#deps.counters.add(`closed ${reason}`);
    this.#log.limited(`Stratum V2: ${client.name} (${client.address}) is closed: ${detail}`);
    client.closed = true;
    // Messages that were written before, such as SetupConnection.Error, are still sent.
    if (reason === 'refused') client.socket.destroySoon();
    else client.socket.destroy();
    this.#onClosed(client);
  }

  #onClosed(client: Client): void {
    if (!this.#clients.delete(client)) return;
    const { counters } = this.#deps;
    if (!this.#admissions.remove(client)) {
      counters.add('clientsOpen', -1);
      if (!client.closed) this.#log.limited(`Stratum V2: client ${client.id} disconnected`);
    }
    client.closed = true;
    client.connection.end();
    counters.set('connectionsOpen', this.#clients.size);
    this.#handshakes.delete(client);
    if (this.#dropNeed(client)) this.#postNeeds();
    this.#answers.forgetClient(client);
    this.#table.forgetClient(client.id);
    client.releaseTemplates();
  }

  /** Closes clients whose time is over, and applies waiting constraints. Called every second. */
  sweep(): void {
    const now = this.#deps.clock.monotonicMs();
    for (const client of this.#admissions.pending) {
      if (client.sinceMs > now - SETUP_MS) break;
      if (this.#handshakes.has(client)) continue;
      this.#endClient(client, 'handshake', `no SetupConnection within ${SETUP_MS / 1000} seconds`);
    }
    let unread = 0;
    for (const client of this.#clients) {
      if (client.waiting !== null && now >= client.constraintsAtMs) this.#guard(client, () => this.#applyConstraints(client));
      const bytes = client.socket.writableLength;
      unread += bytes;
      const { taken } = client;
      if (bytes === 0 || taken !== client.progress.taken) client.progress = { taken, sinceMs: now };
      else if (now - client.progress.sinceMs > STUCK_MS) this.#endClient(client, 'unread', `it reads nothing, ${bytes} bytes wait for it`);
    }
    for (const client of this.#answers.overdueClients(now))
      this.#endClient(client, 'unread', 'it reads its transactions slowly, and others wait');
    if (unread > MOST_UNREAD_BY_ALL) {
      for (const client of [...this.#clients].sort((a, b) => b.socket.writableLength - a.socket.writableLength)) {
        const bytes = client.socket.writableLength;
        this.#endClient(client, 'unread', `${unread} bytes wait for all clients, ${bytes} of them for it`);
        unread -= bytes;
        if (unread <= MOST_UNREAD_BY_ALL) break;
      }
    }
    this.#deps.counters.set('unreadBytes', unread);
    this.#log.tick();
  }
}

const prevHashOf = ({ prevHash, headerTimestamp, bits, target }: ServedTip, { id }: NumberedTemplate): Uint8Array =>
  encodeSetNewPrevHash({ templateId: id, prevHash, headerTimestamp, bits, target });
