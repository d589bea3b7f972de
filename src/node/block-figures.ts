// What the dashboards and the page show of the newest block.
import type { JoinedBlock } from '../chain/events.js';

/** Sizes in bytes and weight, amounts in satoshi; inputs without the coinbase's. */
function blockFigures({ node, block, fees }: JoinedBlock) {
  let outputs = 0;
  let inputs = 0;
  let value = 0;
  let claimed = 0;
  block.txs.forEach((tx, index) => {
    outputs += tx.outputCount;
    let sum = 0;
    for (let i = 0; i < tx.outputCount; i++) sum += tx.outputValue(i);
    if (index === 0) claimed = sum;
    else {
      inputs += tx.inputCount;
      value += sum;
    }
  });
  return {
    height: node.height,
    transactions: block.txs.length,
    bytes: block.totalSize,
    weight: block.weight,
    inputs,
    outputs,
    value: value + claimed,
    fee: fees,
  };
}

/** The newest block; its figures are summed up when they are first asked for, since miners wait while a block joins. */
export class NewestBlock {
  #block: JoinedBlock | undefined;
  #figures: ReturnType<typeof blockFigures> | undefined;

  joined(block: JoinedBlock): void {
    this.#block = block;
    this.#figures = undefined;
  }

  /** Undefined before the first block of this run. */
  get figures(): ReturnType<typeof blockFigures> | undefined {
    if (this.#block !== undefined) this.#figures = blockFigures(this.#block);
    this.#block = undefined;
    return this.#figures;
  }
}
