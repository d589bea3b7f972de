// Templates that clients know or may request: the current one of each reserve, the staged one for the next height, and
// earlier ones. Solutions are accepted for 64 templates of the tip and for all of the three tips before, at most 256
// together. A request about an older one fails as with other providers: stale for ten seconds, then not found.
//
// Templates that clients were sent last are not counted in these limits. Further ids of a template for single clients
// are not counted either: each client has a few of its own, so that none can displace templates that others work on.

import { ByteWriter } from '../../consensus/bytes/writer.js';
import { coinbaseLock } from '../../consensus/rules/cleanup/coinbase-lock.js';
import { pushNumber } from '../../consensus/script/build-script.js';
import type { ServedTemplate, ServedTip } from '../../mining/index.js';
import { transactionsOf } from '../../mining/serve/index.js';
import { encodeNewTemplate, encodeTransactionData, FUTURE_TEMPLATE_AT, type TransactionDataError } from '../codec/template-messages.js';

const COINBASE_VERSION = 2;

/** Returns the NewTemplate payload with future_template = 0. */
function newTemplate(templateId: bigint, { height, version, value, commitment, branch }: ServedTemplate): Uint8Array {
  const lock = coinbaseLock(height);
  return encodeNewTemplate({
    templateId,
    future: false,
    version,
    coinbaseVersion: COINBASE_VERSION,
    coinbasePrefix: pushNumber(height),
    coinbaseSequence: lock.sequence,
    valueRemaining: value,
    outputs: commitment === null ? [] : [new ByteWriter(47).u64(0).varBytes(commitment).finish()],
    coinbaseLocktime: lock.locktime,
    merklePath: branch,
  });
}

const MOST_OF_A_TIP = 64;
const MOST = 256;
const RETAINED_TIPS = 3;
const STALE_MS = 10_000;
/** Maximum number of further ids of one client: those of its last changes of constraints. */
const MOST_OF_A_CLIENT = 8;
/** Maximum number of further ids of all disconnected clients, which may reconnect with a solution. */
const MOST_OF_DISCONNECTED = 64;
/** Owner of templates that are for all clients. Client numbers begin at 1. */
const SHARED = 0;
/** Total size of encoded answers with transactions that are cached. */
const MOST_DATA_BYTES = 16 << 20;

/** A template under an id that clients know. */
export interface NumberedTemplate {
  /** template_id, larger than all earlier ones. */
  readonly id: bigint;
  readonly served: ServedTemplate;
  /**
   * Encoded NewTemplate messages: with future_template = 0, for the tip of the last SetNewPrevHash, and with 1, for
   * that of the next one.
   */
  readonly payload: Uint8Array;
  readonly futurePayload: Uint8Array;
  /** Number of the client that knows the template under this id; 0 if the id is for all clients. */
  readonly owner: number;
  /** The tip on which the template builds; null while the tip is not known. */
  tip: ServedTip | null;
}

export class TemplateTable {
  /** The tip; null while clients get no templates. */
  tip: ServedTip | null = null;
  /** Template for the next height. */
  staged: NumberedTemplate | null = null;
  /** Templates by id, in order of arrival. */
  readonly #templates = new Map<bigint, NumberedTemplate>();
  /** Ids begin at the start time in microseconds, so that a solution from an earlier run matches no template of this one. */
  #lastId: bigint;
  readonly #current = new Map<string, NumberedTemplate>();
  /** Template of the tip without transactions, named by SetNewPrevHash. */
  #active: NumberedTemplate | null = null;
  /** Previous tips, newest first, and the time when each was replaced. */
  #before: { readonly tip: ServedTip; readonly endedMs: number }[] = [];
  /** Ids of single clients, oldest first. */
  readonly #owned = new Map<number, bigint[]>();
  readonly #ofDisconnected: bigint[] = [];
  /** Templates that clients were sent last, and the number of such clients. */
  readonly #held = new Map<ServedTemplate, number>();
  readonly #data = new Map<bigint, Uint8Array>();
  #dataBytes = 0;

  /** @param startedMs since 1970 */
  constructor(startedMs: number) {
    this.#lastId = BigInt(Math.floor(startedMs)) * 1000n;
  }

  /** Number of templates; each is counted once per id. */
  get size(): number {
    return this.#templates.size;
  }

  /**
   * Starts a new tip.
   * @returns the template that SetNewPrevHash names; null if the table lacks it, which is a bug of the node thread
   */
  newTip(tip: ServedTip, activate: number, given: ServedTemplate | null, nowMs: number): NumberedTemplate | null {
    this.#endTip(nowMs);
    const active = given === null ? this.#find(activate) : this.#add(given, tip);
    this.staged = null;
    if (active === null) return null;
    this.tip = tip;
    // The template has this tip under each of its ids.
    for (const template of this.#templates.values()) if (template.served === active.served) template.tip = tip;
    this.#active = active;
    this.#prune();
    return active;
  }

  /** Retires the templates of the tip and the staged template, because no work can be made for now. */
  holdBack(nowMs: number): void {
    this.#endTip(nowMs);
    this.staged = null;
  }

  /** Adds a template of the tip for these reserves. */
  addTemplate(served: ServedTemplate, keys: readonly string[]): NumberedTemplate {
    const template = this.#add(served, this.tip);
    for (const key of keys) this.#current.set(key, template);
    this.#prune();
    return template;
  }

  /** Makes a template the current one of further reserves. @returns null if the table no longer has the template */
  shareTemplate(serial: number, keys: readonly string[]): NumberedTemplate | null {
    const template = this.#find(serial);
    if (template !== null && template.tip === this.tip) for (const key of keys) this.#current.set(key, template);
    return template;
  }

  stageTemplate(served: ServedTemplate): NumberedTemplate {
    this.staged = this.#add(served, null);
    return this.staged;
  }

  /**
   * Adds the same template under a new id, for a client that knows larger ids: ids must rise on each connection.
   * @param owner number of the client
   */
  reissue({ served, tip }: NumberedTemplate, owner: number): NumberedTemplate {
    const template = this.#add(served, tip, owner);
    const owned = this.#owned.get(owner) ?? [];
    this.#owned.set(owner, owned);
    this.#limit(owned, template.id, MOST_OF_A_CLIENT);
    return template;
  }

  /**
   * Notes that a client was sent this template. The limits then do not remove it while its tip is retained, however many
   * templates are made for other reserves.
   */
  retain({ served }: NumberedTemplate): void {
    this.#held.set(served, (this.#held.get(served) ?? 0) + 1);
  }

  /** Undoes retain() after the client was sent enough later templates. */
  release({ served }: NumberedTemplate): void {
    const left = (this.#held.get(served) ?? 1) - 1;
    if (left > 0) this.#held.set(served, left);
    else this.#held.delete(served);
  }

  /** Moves the ids of a disconnected client to the limit for all such clients. */
  forgetClient(owner: number): void {
    for (const id of this.#owned.get(owner) ?? []) this.#limit(this.#ofDisconnected, id, MOST_OF_DISCONNECTED);
    this.#owned.delete(owner);
  }

  /**
   * Returns the staged template under an id above the given one, assigning a new id if necessary: for one client, or
   * for all clients if the given template is for all.
   */
  stagedAbove({ id, owner }: NumberedTemplate): NumberedTemplate | null {
    const { staged } = this;
    if (staged === null || staged.id > id) return staged;
    if (owner !== SHARED) return this.reissue(staged, owner);
    this.staged = this.#add(staged.served, null);
    return this.staged;
  }

  /** Returns the best template of the tip for a reserve; null if there is none yet. */
  current(key: string): NumberedTemplate | null {
    return this.#current.get(key) ?? null;
  }

  /** The template without transactions, which suits every reserve. */
  get active(): NumberedTemplate | null {
    return this.tip === null ? null : this.#active;
  }

  get(id: bigint): NumberedTemplate | null {
    return this.#templates.get(id) ?? null;
  }

  /**
   * Returns the encoded RequestTransactionData.Success of a template, or the error code.
   * @param staleBelow ids below it are of the client's earlier constraints
   */
  data(id: bigint, staleBelow: bigint, nowMs: number): Uint8Array | TransactionDataError {
    const template = this.#templates.get(id);
    if (template === undefined) return 'template-id-not-found';
    if (template.tip !== null && template.tip !== this.tip) {
      const ended = this.#before.find(({ tip }) => tip === template.tip)?.endedMs ?? Number.NEGATIVE_INFINITY;
      return nowMs - ended < STALE_MS ? 'stale-template-id' : 'template-id-not-found';
    }
    if (id < staleBelow) return 'stale-template-id';
    const known = this.#data.get(id);
    if (known !== undefined) return known;
    const bytes = encodeTransactionData(id, transactionsOf(template.served.transactions));
    this.#data.set(id, bytes);
    this.#dataBytes += bytes.length;
    for (const [old, { length }] of this.#data) {
      if (this.#dataBytes <= MOST_DATA_BYTES || old === id) break;
      this.#data.delete(old);
      this.#dataBytes -= length;
    }
    return bytes;
  }

  #endTip(nowMs: number): void {
    if (this.tip !== null) this.#before = [{ tip: this.tip, endedMs: nowMs }, ...this.#before].slice(0, RETAINED_TIPS);
    this.tip = null;
    this.#active = null;
    this.#current.clear();
    this.#data.clear();
    this.#dataBytes = 0;
  }

  #limit(ids: bigint[], id: bigint, most: number): void {
    ids.push(id);
    if (ids.length > most) this.#templates.delete(ids.shift() as bigint);
  }

  #add(served: ServedTemplate, tip: ServedTip | null, owner = SHARED): NumberedTemplate {
    const id = ++this.#lastId;
    const payload = newTemplate(id, served);
    const futurePayload = payload.slice();
    futurePayload[FUTURE_TEMPLATE_AT] = 1;
    const template = { id, served, payload, futurePayload, owner, tip };
    this.#templates.set(id, template);
    return template;
  }

  #find(serial: number): NumberedTemplate | null {
    for (const template of this.#templates.values()) if (template.served.serial === serial) return template;
    return null;
  }

  #prune(): void {
    const retainedTips = new Set(this.#before.map(({ tip }) => tip));
    let ofTip = 0;
    let shared = 0;
    for (const { tip, owner } of this.#templates.values()) {
      if (owner !== SHARED) continue;
      shared++;
      if (tip !== null && tip === this.tip) ofTip++;
    }
    const remaining = new Set<ServedTemplate>();
    const current = new Set(this.#current.values());
    for (const [id, template] of this.#templates) {
      const { tip, served, owner } = template;
      if (owner !== SHARED) continue;
      remaining.add(served);
      if (served === this.staged?.served || served === this.#active?.served || current.has(template)) continue;
      const old = tip === null || (tip !== this.tip && !retainedTips.has(tip));
      if (!old && this.#held.has(served)) continue;
      const beyond = tip === this.tip && ofTip-- > MOST_OF_A_TIP;
      if (!old && !beyond && shared <= MOST) continue;
      shared--;
      this.#templates.delete(id);
      remaining.delete(served);
    }
    // Ids of single clients are dropped together with the template's id for all clients.
    for (const [id, { served, owner }] of this.#templates) if (owner !== SHARED && !remaining.has(served)) this.#templates.delete(id);
  }
}
