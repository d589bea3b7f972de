// Runs coin jobs: walks over all coins, and writes the results of gettxoutsetinfo and scantxoutset as bytes. Runs on
// threads of its own (workers/coins.ts), or on the node thread if the database cannot be read elsewhere.
import type { Expansion } from '../../address/descriptor/expansion.js';
import { inferDescriptor, type ScriptProvider } from '../../address/descriptor/infer.js';
import { sumCoins, WalkStoppedError, walkCoins } from '../../chain/index.js';
import { hashKey } from '../../consensus/bytes/hex.js';
import { readU32 } from '../../consensus/bytes/reader.js';
import type { Coin } from '../../consensus/coin.js';
import { TimeSlice } from '../../lib/time-slice.js';
import type { StoreCursor } from '../../storage/store.js';
import { StoreError } from '../../storage/store-error.js';
import { versioned } from '../declare/versions.js';
import { RPC_CODE, RpcError } from '../errors.js';
import { spec as gettxoutsetinfo } from '../methods/blockchain/gettxoutsetinfo.js';
import { spec as scantxoutset } from '../methods/blockchain/scantxoutset.js';
import { type CoinHashType, type CoinJob, type CoinJobResult, type CoinTip, JOB_WORD, type JobWords } from '../reads/coin-job.js';
import { jobErrorOf } from '../reads/job-error.js';
import { ScanSize } from '../reads/scan-job.js';
import { HOLE_VALUE, writeWithHoles } from '../reads/with-holes.js';
import { bytesHex, hashHex } from '../render/hex.js';
import type { RenderContext } from '../render/script.js';
import { JsonBytes } from '../wire/json-bytes.js';
import { parseJson } from '../wire/json-parse.js';
import { encodeJson } from '../wire/json-write.js';
import { TakenSecrets } from '../wire/taken-secrets.js';
import { Amount, type JsonValue } from '../wire/values.js';
import { expandScanObject } from './scan-object.js';

/** Number of block hashes that are requested at once. */
const HASHES_AT_ONCE = 1000;
const HASH_BYTES = 32;

/** Version of Core's serialised hash by hash type. */
const SERIALIZED: Partial<Record<CoinHashType, 2 | 3>> = { hash_serialized_2: 2, hash_serialized_3: 3 };

/** Memory and functions of the thread that runs a job. */
export interface CoinJobHost {
  readonly render: RenderContext;
  readonly words: JobWords;
  /** Opens a cursor over the coins at the tip. */
  openCoins(): Promise<{ readonly tip: CoinTip; readonly cursor: StoreCursor }>;
  /** Returns the hashes of blocks below that tip, 32 bytes each, internal order. */
  hashesAt(heights: Uint32Array): Promise<Uint8Array>;
  /** Estimates the bytes of the coins in the database. */
  diskSize(): Promise<number>;
}

/** Runs a job. Never rejects. @param size counts the result of a scan */
export async function runCoinJob(job: CoinJob, host: CoinJobHost, size = new ScanSize()): Promise<CoinJobResult> {
  try {
    return { parts: job.kind === 'stats' ? await showStats(job.hashType, host) : await new CoinScan(host, size).run(job) };
  } catch (error) {
    if (error instanceof WalkStoppedError) return { code: RPC_CODE.CLIENT_NOT_CONNECTED, message: 'Shutting down', log: null };
    if (error instanceof RpcError) return jobErrorOf(error);
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    if (error instanceof StoreError) return { fault: message };
    return { code: RPC_CODE.MISC_ERROR, message, log: `A job over all coins failed: ${stack}` };
  }
}

const isStopped = ({ words }: CoinJobHost): boolean => Atomics.load(words, JOB_WORD.STOP) !== 0;

async function showStats(type: CoinHashType, host: CoinJobHost): Promise<readonly Uint8Array[]> {
  const { hashes, compat } = host.render;
  const { tip, cursor } = await host.openCoins();
  const hashing = { hashes, serialized: SERIALIZED[type] ?? null, muhash: type === 'muhash' };
  const stats = await sumCoins(cursor, tip, hashing, () => isStopped(host));
  const { shape } = versioned(gettxoutsetinfo, compat);
  const value = {
    height: stats.height,
    bestblock: hashHex(stats.bestBlock),
    transactions: stats.transactions,
    txouts: stats.outputs,
    bogosize: stats.bogoSize,
    ...(stats.hashSerialized && { [type]: hashHex(stats.hashSerialized) }),
    muhash: stats.muhash ? hashHex(stats.muhash) : undefined,
    disk_size: await host.diskSize(),
    total_amount: new Amount(stats.totalSats),
  };
  return [Buffer.from(encodeJson(shape ? shape(value) : value))];
}

/** Bytes of an output in the result besides its script and descriptor: names, hashes, and numbers. */
const SHOWN_BYTES = 300;

/** A coin that a scan has found. */
interface Found {
  readonly coin: Coin;
  readonly outpoint: Uint8Array;
  readonly desc: string;
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');

/** One scan of scantxoutset. */
class CoinScan {
  readonly #host: CoinJobHost;
  /** Facts about each wanted script, by its bytes. */
  readonly #wanted = new Map<string, ScriptProvider>();
  readonly #found: Found[] = [];
  readonly #size: ScanSize;
  #outputs = 0;
  #total = 0;

  constructor(host: CoinJobHost, size: ScanSize) {
    this.#host = host;
    this.#size = size;
  }

  async run({ objects, secrets }: Extract<CoinJob, { kind: 'scan' }>): Promise<readonly Uint8Array[]> {
    const taken = secrets === null ? undefined : TakenSecrets.of(secrets);
    try {
      await this.#addScripts(parseJson(Buffer.from(objects)) as JsonValue[], taken);
    } finally {
      taken?.wipe();
    }
    const { tip, cursor } = await this.#host.openCoins();
    const complete = await walkCoins(cursor, {
      scripts: this.#scripts(),
      scriptCount: this.#wanted.size,
      visit: (outpoint, coin) => this.#visit(outpoint, coin),
      passed: (coins, outpoint) => {
        this.#outputs += coins;
        // Coins are ordered by txid, so the first bytes tell the progress.
        const percent = Math.floor((((outpoint[0] << 8) | outpoint[1]) * 100) / 65_536 + 0.5);
        Atomics.store(this.#host.words, JOB_WORD.PROGRESS, percent);
      },
      stopped: () => isStopped(this.#host),
    });
    return this.#show(tip, complete);
  }

  /** Adds the scripts of scan objects, with enough facts to infer the descriptor of each coin that is found. */
  async #addScripts(objects: readonly JsonValue[], taken: TakenSecrets | undefined): Promise<void> {
    const { descriptors, hashes } = this.#host.render;
    const slice = new TimeSlice();
    for (const object of objects) {
      for (const expansion of expandScanObject(descriptors, object, taken)) {
        const provider = providerOf(expansion, hashes.hash160.bind(hashes));
        for (const script of expansion.scripts) this.#wanted.set(textOf(script), provider);
        if (slice.over) await slice.next();
        if (isStopped(this.#host)) return;
      }
    }
  }

  *#scripts(): Generator<Uint8Array> {
    for (const text of this.#wanted.keys()) yield new Uint8Array(Buffer.from(text, 'latin1'));
  }

  #visit(outpoint: Uint8Array, coin: Coin): void {
    const provider = this.#wanted.get(textOf(coin.script));
    if (provider === undefined) return;
    const desc = String(inferDescriptor(coin.script, provider, this.#host.render.descriptors));
    this.#size.add(SHOWN_BYTES + 2 * coin.script.length + desc.length);
    this.#total += coin.value;
    this.#found.push({ coin, outpoint, desc });
  }

  async #show(tip: CoinTip, complete: boolean): Promise<readonly Uint8Array[]> {
    const { shape } = versioned(scantxoutset, this.#host.render.compat);
    const hashes = await this.#hashes();
    // Blocks are those of the tip of the scan: there may have been a reorganisation meanwhile.
    const shown = ({ coin, outpoint, desc }: Found) => ({
      txid: hashHex(outpoint.subarray(0, HASH_BYTES)),
      vout: readU32(outpoint, HASH_BYTES),
      scriptPubKey: bytesHex(coin.script),
      desc,
      amount: new Amount(coin.value),
      height: coin.height,
      coinbase: coin.coinbase,
      blockhash: hashes.get(coin.height) ?? '',
      confirmations: tip.height - coin.height + 1,
    });
    const value = (unspents: ReturnType<typeof shown>[]) => ({
      success: complete,
      txouts: this.#outputs,
      height: tip.height,
      bestblock: hashHex(tip.hash),
      unspents,
      total_amount: new Amount(this.#total),
    });
    const shaped = (entries: ReturnType<typeof shown>[]) => (shape ? shape(value(entries)) : value(entries)) as ReturnType<typeof value>;
    const out = new JsonBytes();
    writeWithHoles(out, { ...shaped([]), unspents: HOLE_VALUE }, [
      () => {
        out.text('[');
        for (const [i, found] of this.#found.entries()) {
          out.beginEntry();
          if (i > 0) out.text(',');
          out.text(encodeJson(shaped([shown(found)]).unspents[0]));
        }
        out.text(']');
      },
    ]);
    return out.parts();
  }

  /** Returns the hashes of the blocks that contain the coins, in display order, by height. */
  async #hashes(): Promise<Map<number, string>> {
    const heights = [...new Set(this.#found.map(({ coin }) => coin.height))];
    const hashes = new Map<number, string>();
    for (let from = 0; from < heights.length; from += HASHES_AT_ONCE) {
      const some = heights.slice(from, from + HASHES_AT_ONCE);
      const bytes = await this.#host.hashesAt(Uint32Array.from(some));
      for (const [i, height] of some.entries()) hashes.set(height, hashHex(bytes.subarray(HASH_BYTES * i, HASH_BYTES * (i + 1))));
    }
    return hashes;
  }
}

/**
 * Returns what inference of a descriptor may know about one index. The hashes are computed when a coin is found, which
 * is rare, and only once, because a taproot tree may have many keys.
 */
function providerOf({ hashedKeys, innerScripts, keys, taproot }: Expansion, hash160: (bytes: Uint8Array) => Uint8Array): ScriptProvider {
  const byHash = <T>(list: readonly T[], bytesOf: (one: T) => Uint8Array): (() => Map<string, T>) => {
    let found: Map<string, T> | undefined;
    return () => {
      found ??= new Map(list.map((one) => [hashKey(hash160(bytesOf(one))), one] as const).reverse());
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
    taproot: (outputKey) => (taproot && bytesHex(taproot.outputKey) === bytesHex(outputKey) ? taproot : undefined),
  };
}
