// Regtest chains for benches of wallets: coins and payments in large numbers, without signatures, since nothing here
// measures those.
import { ANYONE, type BuiltBlock, buildBlock, buildChain, GENESIS, spend } from '../../test/framework/chain-builder.js';
import type { Daemon } from '../../test/framework/daemon.js';
import type { Tx } from '../../test/framework/messages.js';

const PER_BLOCK = 2_000;
/** Satoshis of each payment: more than dust, and the subsidy allows for thousands of them in a coinbase. */
const VALUE = 1_000;
const MATURITY = 100;
/**
 * Old enough that a scan "from now" leaves them out, young enough that the node does not believe to be in its initial
 * download.
 */
const startTime = (): number => Math.floor(Date.now() / 1000) - 20_000;

const withCoins = (tip: BuiltBlock, scripts: readonly Uint8Array[], value: number): BuiltBlock =>
  buildBlock(tip, {
    time: tip === GENESIS ? startTime() : tip.time + 1,
    fees: -scripts.length * value,
    outs: scripts.map((script) => ({ value, script })),
  });
const empty = (tip: BuiltBlock, count: number): BuiltBlock[] => {
  const blocks: BuiltBlock[] = [];
  for (let at = tip; blocks.length < count; blocks.push(at)) at = buildChain(at, 1, { time: at.time + 1 })[0];
  return blocks;
};
const ranges = (count: number): number[][] =>
  Array.from({ length: Math.ceil(count / PER_BLOCK) }, (_, b) =>
    Array.from({ length: Math.min(PER_BLOCK, count - b * PER_BLOCK) }, (_, i) => b * PER_BLOCK + i),
  );

/** Ripe coins of coinbases. @param script where coin i goes @param value of each, in satoshis; 2,000 are in a block */
export function chainOfCoins(count: number, script: (i: number) => Uint8Array, value = VALUE): BuiltBlock[] {
  const blocks: BuiltBlock[] = [];
  for (const range of ranges(count)) blocks.push(withCoins(blocks.at(-1) ?? GENESIS, range.map(script), value));
  return [...blocks, ...empty(blocks.at(-1)!, MATURITY)];
}

/**
 * Payments of one input and one output each, 2,000 a block, on top of what they spend.
 * @param script where payment i goes
 */
export function chainOfPayments(count: number, script: (i: number) => Uint8Array): BuiltBlock[] {
  const blocks = chainOfCoins(count, () => ANYONE);
  const sources = blocks.slice(0, Math.ceil(count / PER_BLOCK));
  for (const [b, range] of ranges(count).entries()) {
    const txs: Tx[] = range.map((i) => {
      const coin = { txid: sources[b].txids[0]!, index: 1 + (i % PER_BLOCK), value: VALUE };
      return spend([coin], [{ value: VALUE, script: script(i) }]);
    });
    blocks.push(buildBlock(blocks.at(-1)!, { txs, time: blocks.at(-1)!.time + 1 }));
  }
  return blocks;
}

/** Hands a chain to a daemon. */
export async function feed(node: Pick<Daemon, 'call'>, blocks: readonly BuiltBlock[]): Promise<void> {
  for (const block of blocks) {
    const answer = await node.call('submitblock', block.bytes.toString('hex'));
    if (answer !== null) throw new Error(`block ${block.height}: ${answer}`);
  }
}
