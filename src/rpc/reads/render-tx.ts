// Writes transactions of blocks and of the mempool: results of getrawtransaction, and what REST returns.
import { parseBlock } from '../../consensus/block/block-view.js';
import { equalBytes } from '../../consensus/bytes/hex.js';
import { DecodeError } from '../../consensus/bytes/reader.js';
import { parseTx, type TxView } from '../../consensus/tx/tx-view.js';
import { StoreError } from '../../storage/store-error.js';
import { type Shaper, versioned } from '../declare/versions.js';
import { fail, RPC_CODE } from '../errors.js';
import { spec as getrawtransaction } from '../methods/rawtransactions/getrawtransaction.js';
import type { RenderContext } from '../render/script.js';
import { feeOf, headMembers, type SpentOutputs, type TxWriter, txHex } from '../render/tx-writer.js';
import { JsonBytes } from '../wire/json-bytes.js';
import { Amount } from '../wire/values.js';
import type { JobFiles } from './job-files.js';
import type { PooledTxJob, TxJob } from './read-job.js';
import { HOLE_VALUE, writeWithHoles } from './with-holes.js';

/** Error text of getrawtransaction for a transaction that the given block does not have. */
const NOT_IN_BLOCK = 'No such transaction found in the provided block. Use gettransaction for wallet transactions.';

export class TxRenderer {
  readonly #render: RenderContext;
  readonly #files: JobFiles;
  readonly #writer: TxWriter;
  readonly #shape: Shaper | null;

  constructor(render: RenderContext, files: JobFiles, writer: TxWriter) {
    this.#render = render;
    this.#files = files;
    this.#writer = writer;
    this.#shape = versioned(getrawtransaction, render.compat).shape;
  }

  /** @throws RpcError, StoreError */
  render(job: TxJob): readonly Uint8Array[] {
    const { tx, spent } = this.#find(job);
    if (job.form === 'bytes') return [tx.bytes];
    if (job.form === 'hex') return [Buffer.from(txHex(tx), 'latin1')];
    const out = new JsonBytes();
    if (job.form === 'string') out.hex(tx.buffer, tx.start, tx.end);
    else this.#writeObject(out, tx, spent, job);
    return out.parts();
  }

  renderPooled(job: PooledTxJob): readonly Uint8Array[] {
    const out = new JsonBytes();
    this.#writeObject(out, parseTx(Buffer.from(job.hex, 'hex'), this.#render.hashes, { exact: true }), null, job);
    return out.parts();
  }

  #find({ block, at, txid, undo }: TxJob): { tx: TxView; spent: SpentOutputs | null } {
    const { hashes } = this.#render;
    const id = Buffer.from(txid, 'hex').reverse();
    if (at !== null && undo === null) return { tx: this.#readAt(block, at, id), spent: null };
    const { txs, header } = parseBlock(this.#files.block(block) as Uint8Array, hashes);
    const i = txs.findIndex((tx) => equalBytes(tx.txid, id));
    if (i < 0) return fail(RPC_CODE.INVALID_ADDRESS_OR_KEY, NOT_IN_BLOCK);
    const coins = i === 0 || undo === null ? null : this.#files.undo(block, undo, header.prevHash)[i - 1];
    return { tx: txs[i], spent: coins && { coins, shown: true } };
  }

  /** Reads a transaction at the position that the index has. */
  #readAt(block: TxJob['block'], at: NonNullable<TxJob['at']>, id: Uint8Array): TxView {
    try {
      const bytes = this.#files.block(block, at);
      if (bytes === null) throw new DecodeError('the block ends before it');
      const tx = parseTx(bytes, this.#render.hashes, { exact: true });
      if (!equalBytes(tx.txid, id)) throw new DecodeError('another transaction');
      return tx;
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      const what = `The transaction index refers to a wrong position in the block files: ${error.message}`;
      throw new StoreError('STORE_CORRUPTION', what, error);
    }
  }

  #writeObject(out: JsonBytes, tx: TxView, spent: SpentOutputs | null, { form, members }: Pick<TxJob, 'form' | 'members'>): void {
    const { in_active_chain, vsize_adjusted, blockhash, ...place } = members;
    const lists = { ...headMembers(tx), vin: HOLE_VALUE, vout: HOLE_VALUE };
    const inputs = (): void => this.#writer.writeInputs(out, tx, spent);
    const outputs = (): void => this.#writer.writeOutputs(out, tx);
    const hex = (): void => out.hex(tx.buffer, tx.start, tx.end);
    if (form === 'rest') {
      writeWithHoles(out, { ...lists, blockhash, hex: HOLE_VALUE }, [inputs, outputs, hex]);
      return;
    }
    const fee = spent ? { fee: new Amount(feeOf(tx, spent.coins)) } : {};
    const value = { in_active_chain, vsize_adjusted, ...lists, ...fee, hex: HOLE_VALUE, blockhash, ...place };
    const shaped = this.#shape ? this.#shape(value) : value;
    // Before release 22 the hex is the first member of some releases.
    const first = Object.keys(shaped as object).indexOf('hex') < Object.keys(shaped as object).indexOf('vin');
    writeWithHoles(out, shaped, first ? [hex, inputs, outputs] : [inputs, outputs, hex]);
  }
}
