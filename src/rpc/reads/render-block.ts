// Writes the result of getblock as bytes.
import { type BlockView, parseBlock } from '../../consensus/block/block-view.js';
import type { TxView } from '../../consensus/tx/tx-view.js';
import { type Shaper, versioned } from '../declare/versions.js';
import { spec as getblock } from '../methods/blockchain/getblock.js';
import { headerHead, headerTail } from '../render/header.js';
import { bytesHex } from '../render/hex.js';
import type { RenderContext } from '../render/script.js';
import type { TxWriter } from '../render/tx-writer.js';
import { JsonBytes } from '../wire/json-bytes.js';
import type { JsonResult } from '../wire/values.js';

import type { JobFiles } from './job-files.js';
import type { BlockJob } from './read-job.js';
import { HOLE_VALUE, writeWithHoles } from './with-holes.js';

export class BlockRenderer {
  readonly #render: RenderContext;
  readonly #files: JobFiles;
  readonly #txs: TxWriter;
  readonly #shape: Shaper | null;

  constructor(render: RenderContext, files: JobFiles, txs: TxWriter) {
    this.#render = render;
    this.#files = files;
    this.#txs = txs;
    this.#shape = versioned(getblock, render.compat).shape;
  }

  /** @throws RpcError */
  render(job: BlockJob): readonly Uint8Array[] {
    const bytes = this.#files.block(job.block) as Uint8Array;
    const out = new JsonBytes();
    if (job.verbosity <= 0) out.hex(bytes);
    else this.#writeBlock(out, parseBlock(bytes, this.#render.hashes), job);
    return out.parts();
  }

  #writeBlock(out: JsonBytes, block: BlockView, job: BlockJob): void {
    const { facts } = job;
    const { header } = block;
    const shown = {
      ...facts,
      version: header.version,
      time: header.time,
      bits: header.bits,
      nonce: header.nonce,
      merkleRoot: header.merkleRoot,
      txCount: block.txs.length,
      prevHash: facts.height === 0 ? null : header.prevHash,
    };
    const value = {
      hash: job.block.hash,
      confirmations: facts.confirmations,
      strippedsize: block.strippedSize,
      size: block.totalSize,
      weight: block.weight,
      ...headerHead(shown),
      coinbase_tx: coinbaseMembers(block.txs[0]),
      tx: HOLE_VALUE,
      ...headerTail(shown),
    };
    writeWithHoles(out, this.#shape ? this.#shape(value) : value, [() => this.#writeTransactions(out, block, job)]);
  }

  #writeTransactions(out: JsonBytes, { txs, header }: BlockView, { block, verbosity, undo }: BlockJob): void {
    const spent = undo === null || verbosity < 2 ? null : this.#files.undo(block, undo, header.prevHash);
    out.text('[');
    for (const [i, tx] of txs.entries()) {
      out.beginEntry();
      if (i > 0) out.text(',');
      if (verbosity === 1) out.hash(tx.txid);
      else this.#txs.writeObject(out, tx, spent === null || i === 0 ? null : { coins: spent[i - 1], shown: verbosity > 2 });
    }
    out.text(']');
  }
}

/** Returns the members about the input of a coinbase. */
function coinbaseMembers(tx: TxView): Record<string, JsonResult> {
  const [witness] = tx.witness(0);
  return {
    version: tx.version >>> 0,
    locktime: tx.locktime,
    sequence: tx.sequence(0),
    coinbase: bytesHex(tx.scriptSig(0)),
    ...(witness === undefined ? {} : { witness: bytesHex(witness) }),
  };
}
