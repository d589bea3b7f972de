// What the dashboards and the page show of the newest block.
import type { ConnectedBlock } from '../chain/events.js';

/** Sizes in bytes and weight, amounts in satoshi; inputs without the coinbase's. */
export function blockFigures({ node, block, spent }: ConnectedBlock) {
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
  const brought = spent.reduce((total, coins) => total + coins.reduce((sum, coin) => sum + coin.value, 0), 0);
  return {
    height: node.height,
    transactions: block.txs.length,
    bytes: block.totalSize,
    weight: block.weight,
    inputs,
    outputs,
    value: value + claimed,
    fee: brought - value,
  };
}
