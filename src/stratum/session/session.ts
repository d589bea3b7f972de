// One miner's connection without its socket: the caller passes bytes in, and the session calls the sink. The order of its
// messages suits all firmware: the replies to subscribe and authorize, then one set_difficulty and one notify. Before
// these replies the session sends nothing else, because simple miners take the next line for the reply.
import { toHex } from '../../consensus/bytes/hex.js';
import { LineReader } from '../codec/line-reader.js';
import { ERROR, encodeError, encodeResult, encodeSetDifficulty, type StratumError } from '../codec/reply.js';
import { foreignProtocol, numberAt, readLine, textAt } from '../codec/request.js';
import { difficultyOfTargetHex } from '../pace/difficulty.js';
import { SessionPace } from '../pace/session-pace.js';
import { EXTRANONCE2_BYTES } from '../work/coinbase.js';
import type { StratumJob } from '../work/job.js';
import { isNewer } from '../work/job-board.js';
import { MAX_NAME_LENGTH, type ParsedName, printable } from '../work/payouts.js';
import { configure } from './configure.js';
import type { SessionContext } from './context.js';
import { SessionNames } from './session-names.js';
import type { CloseReason, SessionSink } from './sink.js';
import { Submissions } from './submissions.js';

const HANDSHAKE_MS = 30_000;
const MAX_AGENT_LENGTH = 128;
/**
 * Number of refused user names after which a connection is closed. Reading an address costs as much as three shares. Names
 * that are refused because there are too many do not count, because a proxy may have more.
 */
const MOST_REFUSED_NAMES = 32;
const NOT_SUBSCRIBED = { code: ERROR.notSubscribed, text: 'Not subscribed' } as const;
const UNAUTHORIZED = { code: ERROR.unauthorized, text: 'Unauthorized worker' } as const;

export class StratumSession {
  readonly #context: SessionContext;
  readonly #extranonce1: Uint8Array;
  readonly #sink: SessionSink;
  readonly #connectedMs: number;
  readonly #lines = new LineReader();
  readonly #names: SessionNames;
  readonly #submissions: Submissions;
  readonly #pace: SessionPace;
  #subscribed = false;
  #agent = '';
  /** Bits that mining.configure allowed; null before. */
  #versionMask: number | null = null;
  #lastJob: StratumJob | null = null;
  #refusedNames = 0;
  #ended = false;

  /** @param extranonce1 four bytes that no other session has */
  constructor(context: SessionContext, extranonce1: Uint8Array, sink: SessionSink, nowMs: number) {
    this.#context = context;
    this.#extranonce1 = extranonce1;
    this.#sink = sink;
    this.#connectedMs = nowMs;
    this.#names = new SessionNames(context.payouts);
    this.#submissions = new Submissions(context, sink);
    this.#pace = new SessionPace(context.options);
  }

  /** True once the miner has subscribed and authorized a name, so that it gets jobs. */
  get started(): boolean {
    return this.#subscribed && this.#names.payout !== null;
  }

  /** User names for which `sink.authorized` was called. */
  get announced(): readonly ParsedName[] {
    return this.#subscribed ? this.#names.all : [];
  }

  /** Processes bytes from the socket. */
  receive(chunk: Uint8Array, nowMs: number): void {
    if (this.#ended || chunk.length === 0) return;
    const foreign = this.#lines.heldBytes === 0 ? foreignProtocol(chunk[0]) : null;
    if (foreign !== null) {
      this.#close('garbage', foreign);
      return;
    }
    const withinLimit = this.#lines.push(chunk, (line) => {
      this.#onLine(line, nowMs);
      return !this.#ended;
    });
    if (!withinLimit) this.#close('garbage', 'a line of more than 8 KiB');
  }

  /** Sends a job, and before it the difficulty if that has changed. A job older than the last one is ignored. */
  setJob(job: StratumJob): void {
    const last = this.#lastJob;
    const { payout } = this.#names;
    if (this.#ended || payout === null || !this.#subscribed || (last !== null && !isNewer(job.number, last.number))) return;
    const newTip = last === null || last.tipNumber !== job.tipNumber;
    const { difficulties, seen } = this.#submissions;
    if (newTip) seen.clear();
    const { difficulty, urgent } = this.#pace.takeDifficulty();
    // On a test network the difficulty of blocks may be lower than that of shares.
    const sent = Math.min(difficulty, job.networkDifficulty);
    if (sent !== difficulties.last) {
      difficulties.add(job.number, sent);
      this.#sink.reply(encodeSetDifficulty(sent));
    }
    this.#lastJob = job;
    this.#sink.send(job.notifyLine(payout, newTip || urgent));
  }

  /** Called regularly. Checks the time-outs, and changes the difficulty if necessary. */
  tick(nowMs: number): void {
    if (this.#ended) return;
    if (this.started) {
      this.#pace.check(nowMs);
      this.#refreshJob(nowMs);
    } else if (nowMs - this.#connectedMs >= HANDSHAKE_MS) {
      this.#close('handshake-timeout', 'no subscription and authorisation within 30 seconds');
    }
  }

  /** Called when the socket was closed. */
  end(): void {
    this.#ended = true;
  }

  #close(reason: CloseReason, detail: string): void {
    this.#ended = true;
    this.#sink.close(reason, detail);
  }

  /** Sends a job to this session only, if its new difficulty should not wait for the next job of all sessions. */
  #refreshJob(nowMs: number): void {
    if (!this.#pace.hasNews || this.#lastJob === null) return;
    const job = this.#context.board.freshJob(this.#lastJob.number, nowMs);
    if (job !== null) this.setJob(job);
  }

  #onLine(bytes: Uint8Array, nowMs: number): void {
    const line = readLine(bytes);
    if (line.kind === 'garbage') this.#close('garbage', 'a line that is no JSON object');
    else if (line.kind === 'request') this.#onRequest(line.id, line.method, line.params, nowMs);
  }

  #onRequest(id: string | null, method: string, params: readonly unknown[], nowMs: number): void {
    switch (method) {
      case 'mining.submit':
        this.#submit(id, params, nowMs);
        break;
      case 'mining.configure':
        this.#configure(id, params, nowMs);
        break;
      case 'mining.subscribe':
        this.#subscribe(id, params, nowMs);
        break;
      case 'mining.authorize':
        this.#authorize(id, params, nowMs);
        break;
      // set_difficulty is the only answer, because miners would take a reply for the reply to a share.
      case 'mining.suggest_difficulty':
        this.#suggest(numberAt(params, 0), nowMs);
        break;
      case 'mining.suggest_target':
        this.#suggest(difficultyOfTargetHex(textAt(params, 0) ?? ''), nowMs);
        break;
      case 'mining.extranonce.subscribe':
        this.#reply(id, true);
        break;
      case 'mining.ping':
        this.#reply(id, 'pong');
        break;
      // pong is an answer to a ping, in the form of a request. The meaning of the other message is unknown.
      case 'pong':
      case 'mining.multi_version':
        break;
      default:
        this.#onOtherRequest(id, method, nowMs);
    }
  }

  #onOtherRequest(id: string | null, method: string, nowMs: number): void {
    const oldForm = /^mining\.suggest_difficulty\(([0-9.]{1,32})\)$/.exec(method);
    if (oldForm !== null) this.#suggest(Number(oldForm[1]), nowMs);
    else this.#refuse(id, { code: ERROR.other, text: 'Method not found' });
  }

  #configure(id: string | null, params: readonly unknown[], nowMs: number): void {
    const { result, versionMask, minimumDifficulty } = configure(params, this.#context.options.versionMask);
    this.#versionMask = versionMask ?? this.#versionMask;
    this.#reply(id, result);
    if (minimumDifficulty === null) return;
    this.#pace.setMinimum(minimumDifficulty, nowMs);
    this.#refreshJob(nowMs);
  }

  /** Answers mining.subscribe. A second subscription gets the same extranonce1. */
  #subscribe(id: string | null, params: readonly unknown[], nowMs: number): void {
    const first = !this.#subscribed;
    this.#subscribed = true;
    const extranonce1 = toHex(this.#extranonce1);
    const subscriptions = [
      ['mining.set_difficulty', `${extranonce1}d`],
      ['mining.notify', `${extranonce1}n`],
    ];
    this.#reply(id, [subscriptions, extranonce1, EXTRANONCE2_BYTES]);
    if (!first) return;
    this.#agent = printable(textAt(params, 0) ?? '', MAX_AGENT_LENGTH);
    this.#pace.setAgent(this.#agent);
    for (const parsed of this.#names.all) this.#announce(parsed);
    this.#start(nowMs);
  }

  #authorize(id: string | null, params: readonly unknown[], nowMs: number): void {
    const name = textAt(params, 0) ?? '';
    const first = this.#names.payout === null;
    const known = this.#names.find(name) !== null;
    const parsed = this.#names.addName(name);
    if ('error' in parsed) {
      this.#sink.log('info', `Stratum V1: refused user name ${printable(name, MAX_NAME_LENGTH)}: ${parsed.error}`);
      this.#refuse(id, { code: ERROR.unauthorized, text: parsed.error });
      if (!this.#names.isFull && ++this.#refusedNames >= MOST_REFUSED_NAMES)
        this.#close('garbage', `${MOST_REFUSED_NAMES} refused user names`);
      return;
    }
    this.#reply(id, true);
    if (this.#subscribed && !known) this.#announce(parsed);
    if (!first) return;
    this.#pace.setPassword(textAt(params, 1) ?? '');
    this.#start(nowMs);
  }

  #announce({ address, worker }: ParsedName): void {
    this.#sink.authorized({ address, worker, agent: this.#agent });
  }

  /** Called after a subscription or an authorisation. Sends the first job if both have succeeded. */
  #start(nowMs: number): void {
    if (!this.started) return;
    this.#pace.start(nowMs);
    const job = this.#context.board.current;
    if (job !== null) this.setJob(job);
  }

  #suggest(difficulty: number | null, nowMs: number): void {
    if (difficulty === null || difficulty <= 0) return;
    this.#pace.suggest(difficulty, nowMs);
    this.#refreshJob(nowMs);
  }

  #submit(id: string | null, params: readonly unknown[], nowMs: number): void {
    const { payout } = this.#names;
    if (!this.#subscribed || payout === null) {
      this.#refuse(id, this.#subscribed ? UNAUTHORIZED : NOT_SUBSCRIBED);
      return;
    }
    const from = {
      extranonce1: this.#extranonce1,
      payout,
      names: this.#names,
      versionMask: this.#versionMask ?? this.#context.options.versionMask,
      agent: this.#agent,
    };
    const { result, error, difficulty } = this.#submissions.submit(params, from, nowMs);
    if (error === null) this.#reply(id, true);
    else this.#refuse(id, error);
    if (result !== 'accepted') return;
    this.#pace.onShare(difficulty, nowMs);
    this.#refreshJob(nowMs);
  }

  #reply(id: string | null, result: unknown): void {
    if (id !== null) this.#sink.reply(encodeResult(id, result));
  }

  #refuse(id: string | null, error: StratumError): void {
    if (id !== null) this.#sink.reply(encodeError(id, error));
  }
}
