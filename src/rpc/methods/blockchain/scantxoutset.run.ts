// Finds all unspent outputs of some descriptors, by one iteration over the coins on worker threads. A scan reports its
// progress and can be stopped at any time. Only one scan runs at a time. Core 0.21: rpc/blockchain.cpp.
import type { Expansion } from '../../../address/descriptor/expansion.js';
import { inferDescriptor, type ScriptProvider } from '../../../address/descriptor/infer.js';
import { hashKey } from '../../../consensus/bytes/hex.js';
import { readU32 } from '../../../consensus/bytes/reader.js';
import type { Coin } from '../../../consensus/coin.js';
import { follows } from '../../../policy/compat.js';
import { asArray } from '../../args.js';
import type { ChainContext } from '../../context/chain.js';
import type { NodeContext, NodeRun } from '../../context/node.js';
import type { ParametersOf } from '../../declare/parameters.js';
import type { CallInfo } from '../../dispatch.js';
import { fail, RPC_CODE } from '../../errors.js';
import { expandScanObject } from '../../node/scan-object.js';
import { Slicer } from '../../node/slices.js';
import { hashHex, hex } from '../../render/hex.js';
import { Amount, type JsonResult } from '../../wire/values.js';
import type { scantxoutset as spec } from './scantxoutset.spec.js';

/** A running scan. */
interface Scan {
  /** Progress in percent. */
  progress: number;
  aborted: boolean;
}

/** The running scan of each chain. A process has one chain, but a test may have several. */
const scans = new WeakMap<ChainContext['chain'], Scan>();

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');

export const scantxoutset: NodeRun<typeof spec> = (params, ctx, call) => {
  const { action } = params;
  const running = scans.get(ctx.chain);
  switch (action) {
    case 'status':
      return running ? { progress: running.progress } : null;
    case 'abort':
      if (running) running.aborted = true;
      return running !== undefined;
    case 'start':
      if (running) fail(RPC_CODE.INVALID_PARAMETER, 'Scan already in progress, use action "abort" or "status"');
      return start(ctx, params, call);
    default:
      return fail(RPC_CODE.INVALID_PARAMETER, follows(ctx.compat, 25) ? `Invalid action '${action}'` : 'Invalid command');
  }
};

async function start(ctx: NodeContext, { args, scanobjects }: ParametersOf<typeof spec>, call: CallInfo): Promise<JsonResult> {
  const own: Scan = { progress: 0, aborted: false };
  scans.set(ctx.chain, own);
  try {
    if (args.length < 2 || (scanobjects === null && ctx.compat.strictArguments))
      fail(RPC_CODE.MISC_ERROR, 'scanobjects argument is required for the start action');
    const stopped = (): boolean => own.aborted || ctx.stopping.aborted || call.signal?.aborted === true;
    const wanted = new Map<string, ScriptProvider>();
    for (const object of asArray(scanobjects)) await addScripts(ctx, expandScanObject(ctx, object, call), wanted, stopped);
    return await walk(ctx, wanted, own, stopped);
  } finally {
    scans.delete(ctx.chain);
  }
}

/** Adds the scripts of a scan object, with enough facts to infer the descriptor of each coin that is found. */
async function addScripts(
  ctx: NodeContext,
  expansions: Iterable<Expansion>,
  wanted: Map<string, ScriptProvider>,
  stopped: () => boolean,
): Promise<void> {
  const slicer = new Slicer();
  for (const expansion of expansions) {
    const provider = providerOf(expansion, ctx);
    for (const script of expansion.scripts) wanted.set(textOf(script), provider);
    if (!slicer.due) continue;
    await slicer.pause();
    if (stopped()) return;
  }
}

/**
 * Returns what inference of a descriptor may know about one index. The hashes are computed when a coin is found, which
 * is rare, and only once, because a taproot tree may have many keys.
 */
function providerOf({ hashedKeys, innerScripts, keys, taproot }: Expansion, { crypto }: NodeContext): ScriptProvider {
  const byHash = <T>(list: readonly T[], bytesOf: (one: T) => Uint8Array): (() => Map<string, T>) => {
    let found: Map<string, T> | undefined;
    return () => {
      found ??= new Map(list.map((one) => [hashKey(crypto.hash160(bytesOf(one))), one] as const).reverse());
      return found;
    };
  };
  const byKey = byHash(hashedKeys, (key) => key);
  // Leaf scripts contain keys without their first byte.
  const byLeafKey = byHash(taproot ? hashedKeys : [], (key) => key.subarray(1));
  const scripts = byHash(innerScripts, (script) => script);
  const origins = byHash(keys, ({ publicKey }) => publicKey);
  return {
    publicKey: (id) => byKey().get(hashKey(id)) ?? byLeafKey().get(hashKey(id)),
    script: (id) => scripts().get(hashKey(id)),
    origin: (id) => origins().get(hashKey(id))?.origin,
    taproot: (outputKey) => (taproot && hex(taproot.outputKey) === hex(outputKey) ? taproot : undefined),
  };
}

async function walk(ctx: NodeContext, wanted: ReadonlyMap<string, ScriptProvider>, own: Scan, stopped: () => boolean): Promise<JsonResult> {
  let outputs = 0;
  let total = 0;
  const found: { coin: Coin; outpoint: Uint8Array; desc: string }[] = [];
  const scripts = [...wanted.keys()].map((text) => new Uint8Array(Buffer.from(text, 'latin1')));
  const passed = (coins: number, outpoint: Uint8Array): void => {
    outputs += coins;
    // Coins are ordered by txid, so the first bytes tell the progress.
    own.progress = Math.floor((((outpoint[0] << 8) | outpoint[1]) * 100) / 65_536 + 0.5);
  };
  const visit = (outpoint: Uint8Array, coin: Coin): void => {
    const provider = wanted.get(textOf(coin.script));
    if (provider === undefined) return;
    total += coin.value;
    found.push({ coin, outpoint, desc: String(inferDescriptor(coin.script, provider, ctx.descriptors)) });
  };
  const { tip, complete } = await ctx.coins.walkCoins({ scripts, visit, passed, stopped });
  // Blocks are those of the tip of the scan: there may have been a reorganisation meanwhile.
  const unspents = found.map(({ coin, outpoint, desc }) => ({
    txid: hashHex(outpoint.subarray(0, 32)),
    vout: readU32(outpoint, 32),
    scriptPubKey: hex(coin.script),
    desc,
    amount: new Amount(coin.value),
    height: coin.height,
    coinbase: coin.coinbase,
    blockhash: tip.ancestor(coin.height)?.hashHex ?? '',
    confirmations: tip.height - coin.height + 1,
  }));
  return {
    success: complete,
    txouts: outputs,
    height: tip.height,
    bestblock: tip.hashHex,
    unspents,
    total_amount: new Amount(total),
  };
}
