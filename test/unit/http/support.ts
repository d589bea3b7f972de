// Shared by the HTTP tests: real front threads over a simulated node, and raw sockets as clients.
import fs from 'node:fs';
import net from 'node:net';
import { chainParams } from '../../../src/consensus/params/networks.js';
import { HTTP_DEFAULTS, type HttpOptions } from '../../../src/http/options.js';
import { createFronts, type Fronts, type RemoteThread } from '../../../src/http/server.js';
import type { ExecuteBody } from '../../../src/link/running-call.js';
import { SharedState, STATE_FLAG } from '../../../src/link/shared-state.js';
import { SlabRing } from '../../../src/link/slab-ring.js';
import type { Logger } from '../../../src/log/logger.js';
import type { TemplateFacts } from '../../../src/template/facts.js';
import { freePort } from '../../framework/ports.js';
import { PATIENCE_MS } from '../../framework/until.js';

export const AUTH = `Basic ${Buffer.from('user:pass').toString('base64')}`;

/** A simulated node: numbered tips, templates of any size, and the replies that `execute` returns. */
export class FakeNode {
  readonly state = new SharedState();
  readonly slabs: SlabRing;
  readonly log: string[] = [];
  fronts!: Fronts;
  height = 0;
  refreshes = 0;
  remote: RemoteThread | null = null;
  transactions = '[]';
  /** If set, the next templates fail with this error. */
  templateError: Error | null = null;
  #current: TemplateFacts | null = null;
  #listeners: ((facts: TemplateFacts) => void)[] = [];

  constructor(slabs = 8) {
    this.slabs = new SlabRing(slabs);
    this.state.set(STATE_FLAG.TEST_CHAIN, true);
  }

  get hashHex(): string {
    return this.height.toString(16).padStart(64, '0');
  }

  async start(execute: ExecuteBody, changes: Partial<HttpOptions> = {}, warmup: string | null = null): Promise<void> {
    const line = (level: string) => (message: string) => void this.log.push(`${level} ${message}`);
    const logger: Logger = { info: line('info'), warn: line('warn'), error: line('error'), debug: () => {}, shows: () => false };
    this.fronts = await createFronts(
      {
        ...HTTP_DEFAULTS,
        // Not one that the system gives to an outgoing connection while no front listens.
        binds: [{ host: '127.0.0.1', port: await freePort() }],
        credentials: { plain: ['user:pass'], hashed: [] },
        fronts: 2,
        ...changes,
      },
      {
        execute,
        templates: {
          refresh: () => this.refresh(),
          current: () => this.#current,
          onPublish: (listener) => this.#listeners.push(listener),
        },
        state: this.state,
        slabs: this.slabs,
        params: chainParams('regtest'),
        logger,
        startedSeconds: Math.floor(Date.now() / 1000),
        tip: this.tip(),
        warmup,
        remote: this.remote,
      },
    );
  }

  get port(): number {
    return this.fronts.addresses[0]!.port;
  }

  tip() {
    return { height: this.height, hashHex: this.hashHex, difficulty: 1, chainWorkHex: this.hashHex };
  }

  /** Announces a new block in the same order of steps as the real node. */
  advance(): void {
    this.height++;
    this.state.mempoolCounter++;
    this.fronts.publishTip(this.tip());
    this.state.raiseEpoch();
  }

  async refresh(): Promise<TemplateFacts> {
    this.refreshes++;
    if (this.templateError) throw this.templateError;
    const old = this.#current;
    if (old && old.prevHashHex === this.hashHex && old.counter === this.state.mempoolCounter) return old;
    await new Promise((resolve) => setTimeout(resolve, 5));
    const bytes = Buffer.from(this.transactions);
    const slab = await this.slabs.takeSlabWhenFree(bytes.byteLength);
    new Uint8Array(slab.buffer).set(bytes);
    this.slabs.publish(slab);
    const facts: TemplateFacts = {
      epoch: this.state.epoch,
      counter: this.state.mempoolCounter,
      builtAt: this.state.nowSeconds(),
      time: 1_700_000_000,
      prevHashHex: this.hashHex,
      height: this.height + 1,
      version: 0x20000000,
      rules: ['csv', '!segwit'],
      requiredRules: [],
      vbAvailable: [],
      coinbaseValue: 5_000_000_000,
      minTime: 1_600_000_000,
      bits: 0x207fffff,
      minDifficulty: null,
      sigopLimit: 80_000,
      sizeLimit: 4_000_000,
      weightLimit: 4_000_000,
      commitmentHex: 'aa',
      signetChallengeHex: null,
      live: null,
      slabIndex: slab.index,
      transactionsOffset: 0,
      transactionsLength: bytes.byteLength,
      txCount: 0,
      weight: 4000,
      fees: 0,
    };
    this.#current = facts;
    for (const listener of this.#listeners) listener(facts);
    return facts;
  }
}

/** A reply: head as text, body as bytes. */
export interface RawReply {
  readonly status: number;
  readonly head: string;
  readonly body: Buffer;
}

/** A raw connection with the parts of HTTP that the tests need. */
export class Client {
  readonly socket: net.Socket;
  closed = false;
  readonly #closing: Promise<void>;
  #chunks: Buffer[] = [];
  #length = 0;
  #arrived: (() => void) | null = null;

  /** @param allowHalfOpen end() closes only the client's sending side */
  constructor(port: number, host = '127.0.0.1', allowHalfOpen = false) {
    this.socket = net.connect({ port, host, allowHalfOpen });
    this.socket.setNoDelay(true);
    this.socket.on('error', () => {});
    this.socket.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk);
      this.#length += chunk.length;
      this.#arrived?.();
    });
    this.#closing = new Promise((resolve) => {
      this.socket.on('close', () => {
        this.closed = true;
        this.#arrived?.();
        resolve();
      });
    });
  }

  send(text: string | Uint8Array): void {
    this.socket.write(text);
  }

  /** Sends a POST with credentials. */
  post(body: string, headers = '', target = '/'): void {
    this.send(
      `POST ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: ${AUTH}\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  }

  /** Returns the next reply; its end is given by Content-Length or by the end of the connection. */
  async reply(): Promise<RawReply> {
    const late = Date.now() + PATIENCE_MS;
    for (;;) {
      const data = this.#joined();
      const end = data.indexOf('\r\n\r\n');
      if (end >= 0) {
        const head = data.toString('latin1', 0, end);
        const declared = /content-length: (\d+)/i.exec(head);
        const size = declared ? Number(declared[1]) : 0;
        if (data.length >= end + 4 + size) {
          this.#chunks = [data.subarray(end + 4 + size)];
          this.#length = this.#chunks[0]!.length;
          return { status: Number(head.slice(9, 12)), head, body: data.subarray(end + 4, end + 4 + size) };
        }
      }
      if (Date.now() > late) throw new Error('no reply in time');
      if (this.closed) throw new Error(`closed after ${this.#length} bytes: ${data.toString('latin1', 0, 300)}`);
      await new Promise<void>((resolve) => {
        this.#arrived = resolve;
        setTimeout(resolve, PATIENCE_MS).unref();
      });
    }
  }

  async call(body: string, headers = '', target = '/'): Promise<RawReply> {
    this.post(body, headers, target);
    return this.reply();
  }

  async ended(): Promise<void> {
    await this.#closing;
  }

  get receivedBytes(): number {
    return this.#length;
  }

  /**
   * True if the other side's system has received all sent bytes. On systems other than Linux: if the bytes were passed
   * to the system.
   */
  get delivered(): boolean {
    const { socket } = this;
    if (socket.connecting || socket.writableLength > 0) return false;
    if (process.platform !== 'linux') return true;
    const local = `:${socket.localPort!.toString(16).toUpperCase().padStart(4, '0')}`;
    const lines = fs.readFileSync('/proc/net/tcp', 'utf8').split('\n');
    const fields = lines.map((line) => line.trim().split(/\s+/)).find((line) => line[1]?.endsWith(local));
    return fields?.[4]?.startsWith('00000000:') === true;
  }

  /** Resets the connection, which the other side notices at once. After destroy() it might still wait for a reply. */
  reset(): void {
    this.socket.resetAndDestroy();
  }

  destroy(): void {
    this.socket.destroy();
  }

  #joined(): Buffer {
    if (this.#chunks.length !== 1) this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0]!;
  }
}
