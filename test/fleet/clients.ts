// Clients of a fleet's fronts: miners that wait for work and find blocks, and software that makes calls which must be
// carried out once or not at all. Everything that was asked and answered is kept for the judge.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FrontProcess } from '../framework/fleet.js';
import { blockOf, type Template } from '../soak/template-block.js';
import type { Member } from './world.js';

export type Front = Member<FrontProcess>;

/** Work that was asked for. */
export interface WorkRequest {
  readonly front: string;
  /** Process of the front. */
  readonly pid: number;
  readonly began: number;
  /** Tip that the client had; '' when it had none and did not wait. */
  readonly had: string;
  ended: number | null;
  /** Parent of the template that came; '' when the request failed. */
  parent: string;
  /** Height of that parent. */
  height: number;
}

/** A block that a miner found. */
export interface Found {
  readonly hash: string;
  readonly height: number;
  /** Answer of the first front process that replied; undefined before. */
  answer: string | null | undefined;
}

/** A call that must be carried out once or not at all. */
export interface OnceCall {
  /** In display order; of a transaction that does not exist. */
  readonly mark: string;
  outcome: 'done' | 'failed' | 'unknown';
  words: string;
}

/** A reply that tells that nobody knows what became of the call. */
const UNKNOWN_STATUS = 504;
const RETRY_MS = 100;
const RULES = ['segwit'];

export class Clients {
  readonly work: WorkRequest[] = [];
  readonly found: Found[] = [];
  readonly calls: OnceCall[] = [];
  readonly templates = new Map<string, Template>();
  #over = false;
  #tag = 0;

  /** @param random in [0, 1) */
  constructor(
    private readonly fronts: readonly Front[],
    private readonly random: () => number,
  ) {}

  /** No client asks for anything new. */
  end(): void {
    this.#over = true;
  }

  /** Asks a front for work and waits for the next, until the end. */
  async poll(front: Front): Promise<void> {
    let id: string | null = null;
    while (!this.#over) {
      const template = await this.ask(front, id);
      id = template?.longpollid ?? null;
      if (template === null) await sleep(RETRY_MS);
    }
  }

  /** One request for work. @param id long poll from there; null: at once */
  async ask(front: Front, id: string | null): Promise<Template | null> {
    const { process } = front;
    if (!process.running) return null;
    const request: WorkRequest = {
      front: front.name,
      pid: process.child?.pid ?? 0,
      began: performance.now(),
      had: id?.slice(0, 64) ?? '',
      ended: null,
      parent: '',
      height: 0,
    };
    this.work.push(request);
    const params = [id === null ? { rules: RULES } : { rules: RULES, longpollid: id }];
    const reply = await process.post(JSON.stringify({ id: 1, method: 'getblocktemplate', params })).catch(() => null);
    request.ended = performance.now();
    if (reply?.status !== 200) return null;
    const template: Template = JSON.parse(reply.body).result;
    request.parent = template.previousblockhash;
    request.height = template.height - 1;
    this.templates.set(front.name, template);
    return template;
  }

  /** Finds a block on what a front gave last, and submits it until a front answers. */
  async find(front: Front): Promise<Found | null> {
    const template = this.templates.get(front.name);
    if (!template) return null;
    const block = blockOf(template, ++this.#tag, true);
    const found: Found = { hash: block.hashHex, height: block.height, answer: undefined };
    this.found.push(found);
    const body = JSON.stringify({ id: 1, method: 'submitblock', params: [block.bytes.toString('hex')] });
    const first = this.fronts.indexOf(front);
    for (let tried = 0; tried < 20 && !this.#over; tried++) {
      const { process } = this.fronts[(first + tried) % this.fronts.length] as Front;
      const reply = process.running ? await process.post(body).catch(() => null) : null;
      if (reply?.status === 200) {
        found.answer = JSON.parse(reply.body).result;
        return found;
      }
      await sleep(RETRY_MS);
    }
    return found;
  }

  /** A call that changes a node. */
  async callOnce(front: Front): Promise<OnceCall | null> {
    const { process } = front;
    if (!process.running) return null;
    let mark = '';
    while (mark.length < 64) mark += Math.floor(this.random() * 16).toString(16);
    const call: OnceCall = { mark, outcome: 'unknown', words: '' };
    this.calls.push(call);
    const body = JSON.stringify({ id: 1, method: 'prioritisetransaction', params: [mark, 0, 1] });
    // Without a reply nothing is known.
    const reply = await process.post(body).catch((error: Error) => {
      call.words = error.message;
      return null;
    });
    if (reply === null) return call;
    call.words = `HTTP ${reply.status} ${reply.body.trim()}`;
    if (reply.status === 200) call.outcome = 'done';
    else if (reply.status !== UNKNOWN_STATUS) call.outcome = 'failed';
    return call;
  }
}
