// Figures of the newest block, for the metrics.
import type { JoinedBlock } from '../chain/index.js';

/**
 * Sums up a block as getblockstats does. Sizes (bytes), weight, inputs and value (satoshi) exclude the coinbase; outputs
 * include it. `bytes` and `weight` also leave out the header and the transaction count.
 */
function blockFigures({ node, block, fees }: JoinedBlock) {
  const figures = { height: node.height, transactions: block.txs.length, bytes: 0, weight: 0, inputs: 0, outputs: 0, value: 0, fee: fees };
  block.txs.forEach((tx, index) => {
    figures.outputs += tx.outputCount;
    if (index === 0) return;
    figures.bytes += tx.totalSize;
    figures.weight += tx.weight;
    figures.inputs += tx.inputCount;
    for (let i = 0; i < tx.outputCount; i++) figures.value += tx.outputValue(i);
  });
  return figures;
}

/** Keeps the newest block. Computes its figures at the first scrape, because miners wait while a block is connected. */
export class NewestBlock {
  #block: JoinedBlock | undefined;
  #figures: ReturnType<typeof blockFigures> | undefined;

  joined(block: JoinedBlock): void {
    this.#block = block;
    this.#figures = undefined;
  }

  /** Figures of the newest block; undefined before the first block of this run. */
  get figures(): ReturnType<typeof blockFigures> | undefined {
    if (this.#block !== undefined) this.#figures = blockFigures(this.#block);
    this.#block = undefined;
    return this.#figures;
  }
}
