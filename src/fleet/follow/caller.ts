// Decides where calls of the front threads go: to the followed node, to the node that has the wallet, or to all nodes
// at once. After a failure a call goes to another node if repeating it can do no harm.

import { randomBytes } from 'node:crypto';
import { wholeBody } from '../../link/messages.js';
import type { CallReply, RunHooks, RunningCallInfo } from '../../link/running-call.js';
import type { Logger } from '../../log/logger.js';
import { RPC_CODE } from '../../rpc/errors.js';
import { submittedHash } from '../block-hash.js';
import { type Judged, judge } from '../verdicts.js';
import type { CallEnd, Calls, OutgoingCall } from './calls.js';
import type { FoundBlocks } from './found.js';
import type { LightTemplates } from './light.js';
import type { SeenNode } from './node-choice.js';
import { type Route, routeOf } from './request.js';

export interface CallerDeps {
  readonly calls: Calls;
  readonly found: FoundBlocks;
  readonly light: LightTemplates;
  /** Nodes that accept calls, the followed one first. */
  nodes(): readonly SeenNode[];
  followed(): string;
  /** Resolves when this front has the node's facts of that epoch. */
  settled(node: string, epoch: number): Promise<void>;
  after(ms: number): Promise<void>;
  nowMs(): number;
  readonly log: Logger;
}

/** Longest search for a node that takes a call. A call that a node has begun waits for that node as long as the node is alive. */
const DEADLINE_MS = 15_000;
const PAUSE_MS = 100;
/** Longest time that an accepted block waits to be stored in the stream before its answer is returned. */
const STORED_MS = 1_500;
/** Time for the other nodes to accept a submission after the followed node has refused it. */
const OTHERS_MS = 500;

const UNREACHABLE = 'No node of the fleet can be reached';
const UNKNOWN_OUTCOME = 'The node went away before it answered; the call may have been carried out';

export class Caller {
  readonly #deps: CallerDeps;
  retries = 0;
  unknown = 0;

  constructor(deps: CallerDeps) {
    this.#deps = deps;
  }

  /** Runs a body. Copies the body's bytes before it returns. */
  async execute(body: Uint8Array, call: RunningCallInfo, hooks: RunHooks): Promise<CallReply> {
    const begun = this.#deps.nowMs();
    const own = new Uint8Array(body);
    const route = routeOf(own, call.uri);
    // If the block is on a light template, add the template's transactions here, so that the nodes and the stream get
    // the whole block.
    const whole = route.method === 'submitblock' && call.block === null ? this.#deps.light.completeBlock(own) : null;
    const outgoing: OutgoingCall = {
      method: route.method,
      user: call.user,
      uri: call.uri,
      plain: call.plain,
      body: whole?.body ?? own,
      block: whole?.block ?? call.block,
      held: !route.repeatable,
    };
    const reply = await (route.everywhere ? this.#everywhere(outgoing) : this.#somewhere(outgoing, route, call.signal));
    if (route.method === 'getblocktemplate') this.#deps.light.noteReply(wholeBody(reply.body));
    hooks.onCall(route.method, (this.#deps.nowMs() - begun) / 1000, reply.status === 200);
    return reply;
  }

  /** Submits a block, given as bytes, to all nodes. @returns the refusal in BIP-0022's words; null if a node accepted it */
  async submitBlock(bytes: Uint8Array, user: string): Promise<string | null> {
    const token = newToken();
    const body = new Uint8Array(Buffer.from(JSON.stringify({ id: 0, method: 'submitblock', params: [token] })));
    const call = { method: 'submitblock', user, uri: '/', plain: true, body, block: { token, bytes }, held: false };
    const reply = await this.#everywhere(call);
    const { words, taken } = judge('submitblock', reply, true);
    return taken ? null : words;
  }

  async #somewhere(call: OutgoingCall, route: Route, signal: AbortSignal): Promise<CallReply> {
    if (route.mixed) this.#sendBatchEntries(call);
    const until = this.#deps.nowMs() + DEADLINE_MS;
    const tried = new Set<string>();
    let why = UNREACHABLE;
    while (!signal.aborted) {
      const nodes = this.#deps.nodes().filter((node) => hasWallet(node, route.wallet));
      const node = nodes.find(({ name }) => !tried.has(name));
      if (node) {
        const end = await this.#send(node.name, call, signal);
        if (end.kind === 'reply') {
          await this.#deps.settled(node.name, end.epoch);
          return { status: end.status, body: end.body };
        }
        if (end.kind === 'unknown') {
          this.unknown++;
          return failure(504, UNKNOWN_OUTCOME);
        }
        if (end.kind === 'refused') ({ why } = end);
        this.retries++;
        tried.add(node.name);
      } else {
        // No node has the wallet: any node refuses the call, in Core's words.
        if (nodes.length === 0 && route.wallet !== null && this.#deps.nodes().length > 0) {
          return this.#somewhere(call, { ...route, wallet: null, mixed: false }, signal);
        }
        if (this.#deps.nowMs() >= until) break;
        tried.clear();
        await this.#deps.after(PAUSE_MS);
      }
    }
    return failure(503, why);
  }

  /** Sends a call to all nodes at once, and to nodes that appear while none has answered. */
  #everywhere(call: OutgoingCall): Promise<CallReply> {
    const { log } = this.#deps;
    const until = this.#deps.nowMs() + DEADLINE_MS;
    const name = nameOf(call);
    return new Promise((resolve) => {
      const asked = new Set<string>();
      let open = 0;
      let best: Judged | null = null;
      let over = false;
      // The answer waits until the stream has stored the block, but only briefly if a node accepted it: that node has it on disk.
      const { found } = this.#deps;
      const stored = Promise.all([call, ...entriesOf(call)].filter((one) => found.isFound(one)).map((one) => found.storeBlock(one)));
      const finish = (): void => {
        if (over) return;
        over = true;
        const reply = best?.reply ?? failure(503, UNREACHABLE);
        void Promise.race([stored, this.#deps.after(best?.taken ? STORED_MS : DEADLINE_MS)]).then(() => resolve(reply));
      };
      const onCallEnd = async (node: string, end: CallEnd): Promise<void> => {
        open--;
        if (end.kind === 'reply') {
          const judged = judge(call.method, { status: end.status, body: end.body }, node === this.#deps.followed());
          log.info(`fleet: ${name}: ${node} answered ${judged.words}`);
          await this.#deps.settled(node, end.epoch);
          if (best === null || judged.rank > best.rank) best = judged;
          if (judged.taken) finish();
          else if (node === this.#deps.followed()) void this.#deps.after(OTHERS_MS).then(() => best && finish());
        } else {
          asked.delete(node);
          log.info(`fleet: ${name}: ${node} ${end.kind === 'refused' ? `refused it: ${end.why}` : 'gave no answer'}`);
        }
        if (open === 0 && best !== null) finish();
      };
      const sendToNodes = (): void => {
        if (over) return;
        for (const node of this.#deps.nodes()) {
          if (asked.has(node.name)) continue;
          asked.add(node.name);
          open++;
          this.#deps.calls.send(node.name, call, null, (end) => void onCallEnd(node.name, end));
        }
        if (this.#deps.nowMs() >= until) finish();
        else if (best === null) void this.#deps.after(PAUSE_MS).then(sendToNodes);
      };
      sendToNodes();
    });
  }

  /** Sends the submissions in a mixed batch to every node. The nodes' answers to them are only logged. */
  #sendBatchEntries(call: OutgoingCall): void {
    for (const entry of entriesOf(call)) if (routeOf(entry.body, call.uri).everywhere) void this.#everywhere(entry);
  }

  #send(node: string, call: OutgoingCall, signal: AbortSignal): Promise<CallEnd> {
    return new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve({ kind: 'lost' }));
      this.#deps.calls.send(node, call, signal, resolve);
    });
  }
}

function hasWallet({ fact }: SeenNode, wallet: string | null): boolean {
  const wallets = fact?.wallets ?? [];
  return wallet === null || (wallet === '' ? wallets.length > 0 : wallets.includes(wallet));
}

/** Name of a submission in the log: its method, and the hash of its block or header. */
function nameOf(call: OutgoingCall): string {
  if (call.method === 'batch') return 'a batch of submissions';
  const hash = call.method === 'sendrawtransaction' ? null : submittedHash(call);
  return hash === null ? call.method : `${call.method} ${hash}`;
}

/** Returns a token that stands for a block in a body. It is random, so that no argument equals it by chance. */
export const newToken = (): string => `block:${randomBytes(16).toString('hex')}`;

/** Returns an error reply made by the front. */
function failure(status: number, message: string): CallReply {
  return { status, body: `${JSON.stringify({ result: null, error: { code: RPC_CODE.MISC_ERROR, message }, id: null })}\n` };
}

/** Returns the calls of a batch one by one; an empty array if the call is not a batch. */
function entriesOf(call: OutgoingCall): OutgoingCall[] {
  if (call.method !== 'batch') return [];
  let entries: unknown;
  try {
    entries = JSON.parse(Buffer.from(call.body).toString());
  } catch {
    return [];
  }
  if (!Array.isArray(entries)) return [];
  return entries.map((entry) => {
    const body = new Uint8Array(Buffer.from(JSON.stringify(entry)));
    return { ...call, body, block: null, method: routeOf(body, call.uri).method, held: false };
  });
}
