// Answers REST requests on the node thread: a request from a front in, status and body out. It uses RPC methods where
// one exists. Replies with blocks are read jobs, which the front runs. Core: rest.cpp.
import { ByteWriter } from '../../consensus/bytes/writer.js';
import type { Coin } from '../../consensus/coin.js';
import type { ReplyBody } from '../../link/messages.js';
import { follows, shows } from '../../policy/compat.js';
import type { RpcCaller } from '../call-executor.js';
import type { HeaderInfo } from '../context/chain.js';
import type { FilterIndexAccess } from '../context/indexes.js';
import type { NodeContext } from '../context/node.js';
import { methodsOf } from '../declare/methods.js';
import type { VersionedMethod } from '../declare/versions.js';
import { type CallInfo, runWith } from '../dispatch.js';
import { RpcError } from '../errors.js';
import { PendingRead } from '../reads/read-job.js';
import { encodeHole, UNFILLED } from '../reads/unfilled.js';
import { bytesHex, hashHex } from '../render/hex.js';
import { scriptMembers } from '../render/script.js';
import { isStored, noSuchFormat, type RestCall, RestFault, type RestFormat, type RestHash, readRest } from '../rest/request.js';
import { encodeJson } from '../wire/json-write.js';
import type { Reply } from '../wire/reply.js';
import { Amount, JsonNumber, type JsonResult, type JsonValue, RawBytes } from '../wire/values.js';
import { searchTransaction } from './getrawtransaction.js';
import { renderContext } from './lookup.js';
import { blockFolder, headersRead, storedBlock, storedUndo } from './read-facts.js';
import { NODE_RUNS } from './runs.js';

/** Height reported for unconfirmed outputs (Core's MEMPOOL_HEIGHT). */
const MEMPOOL_HEIGHT = 0x7fff_ffff;
/** Number of the basic filter type in a serialized filter. */
const BASIC_FILTER = 0;

/** Callbacks of the handler. */
export interface RestHandlerDeps {
  /** Called after each call, except those that the front finishes. @param status of the reply */
  readonly onCall?: (endpoint: string, seconds: number, status: number) => void;
  /** Called with an unexpected exception. The client gets 500; the exception belongs in the log. */
  readonly onFault?: (endpoint: string, error: unknown) => void;
}

type Asked<Endpoint extends RestCall['endpoint']> = Extract<RestCall, { endpoint: Endpoint }>;
type Body = ReplyBody | PendingRead;

/** REST replies have no envelope, and the front knows the endpoint. */
const NO_ENTRY = { idText: '', hasId: false, version: 1, method: '' } as const;

const fault = (status: number, message: string): never => {
  throw new RestFault(status, message);
};

const json = (value: JsonResult): string | PendingRead => (value instanceof PendingRead ? value : `${encodeJson(value)}\n`);

/** Encodes bytes as bytes or hex. @throws RestFault for every other format */
function binary(format: RestFormat, bytes: Uint8Array): Body {
  if (format === 'bin') return bytes;
  return format === 'hex' ? `${bytesHex(bytes)}\n` : noSuchFormat();
}

export class RestHandler {
  readonly #ctx: NodeContext;
  readonly #deps: RestHandlerDeps;

  constructor(ctx: NodeContext, deps: RestHandlerDeps = {}) {
    this.#ctx = ctx;
    this.#deps = deps;
  }

  /** Answers a well-formed request. Never rejects. @param body valid until this returns */
  executeBody(body: Uint8Array, call: RpcCaller): Promise<Reply> {
    const info: CallInfo = { user: '', path: call.uri, signal: call.signal };
    let asked: RestCall | null;
    try {
      asked = readRest(call.uri, body, this.#ctx.compat);
    } catch (error) {
      return Promise.resolve(this.#failed('', error));
    }
    return asked === null ? Promise.resolve({ status: 404, body: '' }) : this.#answer(asked, info);
  }

  async #answer(asked: RestCall, info: CallInfo): Promise<Reply> {
    const { clock } = this.#ctx;
    const startedMs = clock.monotonicMs();
    const seconds = (): number => (clock.monotonicMs() - startedMs) / 1000;
    const reply = await this.#bodyOf(asked, info).then(
      (body): Reply =>
        body instanceof PendingRead ? { status: UNFILLED, body: encodeHole(NO_ENTRY, body.job, seconds()) } : { status: 200, body },
      (error: unknown) => this.#failed(asked.endpoint, error),
    );
    if (reply.status !== UNFILLED) this.#deps.onCall?.(asked.endpoint, seconds(), reply.status);
    return reply;
  }

  #failed(endpoint: string, error: unknown): Reply {
    if (error instanceof RestFault) return { status: error.status, body: error.message };
    if (!(error instanceof RpcError)) this.#deps.onFault?.(endpoint, error);
    return { status: 500, body: error instanceof Error ? error.message : 'unknown error' };
  }

  async #bodyOf(asked: RestCall, info: CallInfo): Promise<Body> {
    switch (asked.endpoint) {
      case 'tx':
        return this.#tx(asked);
      case 'block':
      case 'blockpart':
        return this.#block(asked, info);
      case 'headers':
        return this.#headers(asked);
      case 'blockfilter':
        return this.#filter(asked);
      case 'blockfilterheaders':
        return this.#filterHeaders(asked);
      case 'chaininfo':
        return this.#method('getblockchaininfo', [], info);
      case 'mempool':
        return asked.contents
          ? this.#method('getrawmempool', [asked.verbose, asked.sequence], info)
          : this.#method('getmempoolinfo', [], info);
      case 'deploymentinfo':
        return this.#deployments(asked, info);
      case 'getutxos':
        return this.#utxos(asked);
      case 'blockhashbyheight':
        return this.#blockHash(asked);
      case 'spenttxouts':
        return this.#spent(asked);
    }
  }

  /** Returns the result of an RPC method as JSON. */
  async #method(name: string, args: readonly JsonValue[], info: CallInfo): Promise<Body> {
    const result = await runWith(NODE_RUNS, this.#spec(name), args, this.#ctx, info);
    const shared = result instanceof RawBytes ? result.sharedPart : null;
    if (shared !== null) return { before: '', shared, after: '\n' };
    return json(result instanceof PendingRead ? result : this.#shaped(name, result));
  }

  #spec(name: string): VersionedMethod {
    return methodsOf(this.#ctx.passOn !== null, this.#ctx.compat).get(name)!;
  }

  /** Converts a result to the members of the release. */
  #shaped(name: string, result: JsonResult): JsonResult {
    const { shape } = this.#spec(name);
    return shape ? shape(result) : result;
  }

  #known(hash: RestHash): HeaderInfo {
    return this.#ctx.chain.node(hash.bytes) ?? fault(404, `${hash.text} not found`);
  }

  async #tx({ hash, format }: Asked<'tx'>): Promise<Body> {
    const ctx = this.#ctx;
    const { found } = await searchTransaction(ctx, hash.bytes);
    if (found === undefined) return fault(404, `${hash.text} not found`);
    if ('tx' in found) {
      const { bytes } = found.tx;
      if (format !== 'json') return binary(format, bytes);
      return new PendingRead({ kind: 'pooled-tx', hex: bytesHex(bytes), form: 'rest', members: {} });
    }
    if (format === null) return noSuchFormat();
    const { file, pos, offset, size } = found.place;
    const block = { ...blockFolder(ctx), file, pos, hash: '' };
    const form = ({ bin: 'bytes', hex: 'hex', json: 'rest' } as const)[format];
    const members = format === 'json' ? { blockhash: hashHex(await ctx.txIndex!.blockHashAt(found.place)) } : {};
    return new PendingRead({ kind: 'tx', block, at: { offset, size }, txid: hashHex(hash.bytes), form, members, undo: null });
  }

  async #block(asked: Asked<'block' | 'blockpart'>, info: CallInfo): Promise<Body> {
    const { blocks, compat } = this.#ctx;
    const { hash } = asked;
    const node = this.#known(hash);
    const place = blocks.blockPlace(node);
    if (place === null) {
      if (blocks.isPruned(node)) fault(404, `${hash.text} not available (pruned data)`);
      fault(404, follows(compat, 29) ? `${hash.text} not available (not fully downloaded)` : `${hash.text} not found`);
    } else if (isStored(asked)) {
      const part = asked.endpoint === 'blockpart' ? { offset: Number(asked.part.offset), size: Number(asked.part.size) } : null;
      return new PendingRead({ kind: 'bytes', block: storedBlock(this.#ctx, node), part, hex: asked.format === 'hex' });
    }
    if (asked.format === null) return noSuchFormat();
    const verbosity = asked.endpoint === 'block' && asked.details ? (shows(compat, { since: 23 }) ? '3' : '2') : '1';
    return this.#method('getblock', [node.hashHex, new JsonNumber(verbosity)], info);
  }

  /** Returns blocks of the active chain from the requested one on; none if the requested block is not in the active chain. */
  #fromHere({ hash, count }: Asked<'headers' | 'blockfilterheaders'>): HeaderInfo[] {
    const { chain } = this.#ctx;
    const first = chain.node(hash.bytes);
    const nodes: HeaderInfo[] = [];
    for (let at = first && chain.contains(first) ? first : undefined; at && nodes.length < count; at = chain.next(at)) nodes.push(at);
    return nodes;
  }

  #headers(asked: Asked<'headers'>): Body {
    const nodes = this.#fromHere(asked);
    if (asked.format !== 'json') {
      return binary(asked.format, Buffer.concat(nodes.map(({ headerBytes }) => headerBytes)));
    }
    return nodes.length === 0 ? json([]) : headersRead(this.#ctx, nodes);
  }

  #filterIndex(type: string): FilterIndexAccess {
    return this.#ctx.filterIndex ?? fault(400, `Index is not enabled for filtertype ${type}`);
  }

  #noFilter(ready: boolean): never {
    const reason = ready
      ? 'This error is unexpected and indicates index corruption.'
      : 'Block filters are still in the process of being indexed.';
    return fault(404, `Filter not found. ${reason}`);
  }

  async #filter({ hash, type, format }: Asked<'blockfilter'>): Promise<Body> {
    const index = this.#filterIndex(type);
    const node = this.#known(hash);
    const connected = this.#ctx.chain.blockState(node).valid;
    const ready = await index.state.waitUntilSynced();
    const found = await index.find(node.hash);
    if (found === undefined) {
      return connected ? this.#noFilter(ready) : fault(404, 'Filter not found. Block was not connected to active chain.');
    }
    const { filter } = found;
    if (format === 'json') return json({ filter: bytesHex(filter) });
    return binary(format, new ByteWriter(filter.length + 40).u8(BASIC_FILTER).bytes(node.hash).varBytes(filter).finish());
  }

  async #filterHeaders(asked: Asked<'blockfilterheaders'>): Promise<Body> {
    const index = this.#filterIndex(asked.type);
    const nodes = this.#fromHere(asked);
    const ready = await index.state.waitUntilSynced();
    const heads = await index.heads(nodes.map((node) => node.hash));
    const headers = heads.map((head) => head?.header ?? this.#noFilter(ready));
    return asked.format === 'json' ? json(headers.map(hashHex)) : binary(asked.format, Buffer.concat(headers));
  }

  #deployments({ hash }: Asked<'deploymentinfo'>, info: CallInfo): Promise<Body> {
    if (hash !== null && this.#ctx.chain.node(hash.bytes) === undefined) fault(400, 'Block not found');
    return this.#method('getdeploymentinfo', hash === null ? [] : [hash.text], info);
  }

  #blockHash({ height, format }: Asked<'blockhashbyheight'>): Body {
    const node = this.#ctx.chain.atHeight(height) ?? fault(404, 'Block height out of range');
    if (format === 'json') return json({ blockhash: node.hashHex });
    if (format === 'hex') return `${node.hashHex}\n`;
    return binary(format, node.hash);
  }

  async #utxos(asked: Asked<'getutxos'>): Promise<Body> {
    const { tip, coins } = await this.#coins(asked);
    const bitmap = new Uint8Array(Math.ceil(coins.length / 8));
    coins.forEach((coin, i) => {
      if (coin) bitmap[i >> 3] |= 1 << (i & 7);
    });
    const found = coins.filter((coin) => coin !== undefined);
    if (asked.format === 'json') {
      const render = renderContext(this.#ctx);
      return json({
        chainHeight: tip.height,
        chaintipHash: tip.hashHex,
        bitmap: coins.map((coin) => (coin ? '1' : '0')).join(''),
        utxos: found.map(({ height, value, script }) => ({
          height,
          value: new Amount(value),
          scriptPubKey: scriptMembers(script, render, true),
        })),
      });
    }
    // BIP-0064: each coin has a transaction version, which is no longer stored and always 0.
    const out = new ByteWriter(256).i32(tip.height).bytes(tip.hash).varBytes(bitmap).compactSize(found.length);
    for (const { height, value, script } of found) out.u32(0).u32(height).u64(value).varBytes(script);
    return binary(asked.format, out.finish());
  }

  /**
   * Returns outputs that are unspent at a tip. With checkmempool, outputs of mempool transactions count too, and outputs
   * that a mempool transaction spends do not count.
   */
  async #coins({
    outpoints,
    checkMempool,
  }: Asked<'getutxos'>): Promise<{ tip: HeaderInfo; coins: readonly (Pick<Coin, 'height' | 'value' | 'script'> | undefined)[] }> {
    const { chain, mempool } = this.#ctx;
    if (!checkMempool) return this.#ctx.coins.coinsAtTip(outpoints);
    await mempool.settled();
    for (;;) {
      const { tip, coins } = await this.#ctx.coins.coinsAtTip(outpoints);
      // Look the coins up again if the tip changed, because the mempool belongs to the current tip.
      if (chain.tip !== tip) continue;
      const pooled = outpoints.map((outpoint, i) => {
        if (mempool.spender(outpoint)) return undefined;
        const tx = mempool.get(outpoint.subarray(0, 32))?.tx;
        const index = new DataView(outpoint.buffer, outpoint.byteOffset).getUint32(32, true);
        if (tx === undefined || index >= tx.outputCount) return coins[i];
        return { height: MEMPOOL_HEIGHT, value: tx.outputValue(index), script: tx.outputScript(index) };
      });
      return { tip, coins: pooled };
    }
  }

  #spent({ hash, format }: Asked<'spenttxouts'>): Body {
    const ctx = this.#ctx;
    const node = this.#known(hash);
    const undo = storedUndo(ctx, node);
    if (node.prev !== null && (undo === null || ctx.blocks.isPruned(node))) return fault(404, `${hash.text} undo not available`);
    if (format === null) return noSuchFormat();
    const form = ({ bin: 'bytes', hex: 'hex', json: 'object' } as const)[format];
    const block = { ...blockFolder(ctx), file: node.file, pos: node.blockPos, hash: node.hashHex };
    return new PendingRead({ kind: 'spent', block, prevHash: hashHex(node.prevHash), undo, form });
  }
}
