// Runs scan jobs on render threads: derives the scripts and addresses of descriptors, and finds what they received and spent in a block.
import { parseBlock } from '../../consensus/block/block-view.js';
import { DecodeError } from '../../consensus/bytes/reader.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import { packScripts, unpackScripts } from '../../jobs/script-marks.js';
import { SyncRecords } from '../../storage/sync-records.js';
import { RPC_CODE, RpcError } from '../errors.js';
import { JOB_WORD } from '../reads/coin-job.js';
import { type JobError, jobErrorOf } from '../reads/job-error.js';
import { JobFiles, ReadError, undecodable } from '../reads/job-files.js';
import type { ActivityJob, AddressJob, ExpandJob, ScriptSet } from '../reads/scan-job.js';
import { hashHex } from '../render/hex.js';
import { type RenderContext, scriptMembers } from '../render/script.js';
import { JsonBytes } from '../wire/json-bytes.js';
import { parseJson } from '../wire/json-parse.js';
import { encodeJson } from '../wire/json-write.js';
import { TakenSecrets } from '../wire/taken-secrets.js';
import { Amount, type JsonResult, type JsonValue } from '../wire/values.js';
import { deriveAddresses } from './derive-addresses.js';
import { sharedText } from './mempool-text.js';
import { expandScanObject, ScanScripts } from './scan-object.js';

/** Creates the functions that run scan jobs on one thread. */
export function createScanRunner(render: RenderContext) {
  const files = new JobFiles(new SyncRecords(render.hashes, 0));
  let last: { readonly number: number; readonly wanted: ScanScripts } | null = null;
  // A set may have a million scripts, and is searched for in many blocks.
  const wantedOf = ({ number, packed }: ScriptSet): ScanScripts => {
    if (last?.number !== number) {
      last = { number, wanted: new ScanScripts() };
      for (const script of unpackScripts(packed)) last.wanted.add(script);
    }
    return last.wanted;
  };
  return {
    deriveAddresses: (job: AddressJob): Uint8Array | JobError => orError(() => deriveAddresses(job, render)),
    expandScripts: (job: ExpandJob): SharedArrayBuffer | JobError => orError(() => expandScripts(job, render)),
    findActivity: (job: ActivityJob): Uint8Array | JobError => orError(() => findActivity(job, wantedOf(job.scripts), files, render)),
  };
}

function orError<T>(work: () => T): T | JobError {
  try {
    return work();
  } catch (fault) {
    const error = fault instanceof DecodeError ? undecodable(fault) : fault;
    if (error instanceof RpcError) return jobErrorOf(error, error instanceof ReadError ? error.log : null);
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    return { code: RPC_CODE.MISC_ERROR, message, log: `A scan failed: ${stack}` };
  }
}

function expandScripts({ objects, secrets, words }: ExpandJob, { descriptors }: RenderContext): SharedArrayBuffer {
  const taken = secrets === null ? undefined : TakenSecrets.of(secrets);
  const scripts = new ScanScripts();
  try {
    for (const object of parseJson(Buffer.from(objects)) as JsonValue[]) {
      for (const expansion of expandScanObject(descriptors, object, taken)) {
        for (const script of expansion.scripts) scripts.add(script);
        Atomics.add(words, JOB_WORD.PROGRESS, 1);
        if (Atomics.load(words, JOB_WORD.STOP) !== 0) return packScripts([]);
      }
    }
  } finally {
    taken?.wipe();
  }
  return packScripts([...scripts.values()]);
}

function findActivity(job: ActivityJob, wanted: ScanScripts, files: JobFiles, render: RenderContext): Uint8Array {
  const block = parseBlock(files.block(job.block) as Uint8Array, render.hashes);
  const spent = job.undo === null ? [] : files.undo(job.block, job.undo, block.header.prevHash);
  const out = new ActivityWriter(wanted, render);
  const place = { blockhash: job.block.hash, height: job.height };
  for (const [i, tx] of block.txs.entries()) out.add(tx, i === 0 ? [] : spent[i - 1], place);
  return sharedText(out.json);
}

/** The output that an input spends: the facts that an event contains. */
export interface SpentFacts {
  readonly value: number;
  readonly script: Uint8Array;
}

/** Writes the events of transactions that pay to some scripts or spend from them, separated by commas. */
export class ActivityWriter {
  readonly json = new JsonBytes();
  readonly #wanted: ScanScripts;
  readonly #render: RenderContext;

  constructor(wanted: ScanScripts, render: RenderContext) {
    this.#wanted = wanted;
    this.#render = render;
  }

  /** @param spent by input; empty for a coinbase @param place empty if the transaction is in no block */
  add(tx: TxView, spent: readonly (SpentFacts | undefined)[], place: { readonly blockhash?: string; readonly height?: number }): void {
    for (const [i, coin] of spent.entries()) {
      if (coin === undefined || !this.#wanted.has(coin.script)) continue;
      this.#addEvent('spend', coin.value, {
        ...place,
        spend_txid: hashHex(tx.txid),
        spend_vin: i,
        prevout_txid: hashHex(tx.prevHash(i)),
        prevout_vout: tx.prevIndex(i),
        prevout_spk: this.#shown(coin.script),
      });
    }
    for (let o = 0; o < tx.outputCount; o++) {
      const script = tx.outputScript(o);
      if (!this.#wanted.has(script)) continue;
      this.#addEvent('receive', tx.outputValue(o), { ...place, txid: hashHex(tx.txid), vout: o, output_spk: this.#shown(script) });
    }
  }

  #shown(script: Uint8Array): JsonResult {
    return scriptMembers(script, this.#render, true);
  }

  #addEvent(type: string, value: number, members: Record<string, JsonResult | undefined>): void {
    if (this.json.size > 0) this.json.text(',');
    this.json.beginEntry();
    this.json.text(encodeJson({ type, amount: new Amount(value), ...members }));
  }
}
