// Makes regtest chains for benches of wallets: large numbers of coins and payments without signatures, because these
// benches do not measure signatures.
import { ANYONE, type BuiltBlock, buildBlock, buildChain, GENESIS, spend } from '../../test/framework/chain-builder.js';
import type { Daemon } from '../../test/framework/daemon.js';
import type { Tx } from '../../test/framework/messages.js';

const PER_BLOCK = 2_000;
/** Value of each payment in satoshis: above dust, and small enough that the subsidy pays for thousands of outputs. */
const VALUE = 1_000;
const MATURITY = 100;
/**
 * Returns the time of the first block: old enough that a scan "from now" leaves the blocks out, and recent enough that
 * the node is not in the initial block download.
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

/**
 * Returns a chain whose coinbases, all spendable, create coins, 2,000 per block.
 * @param script returns the script of coin i
 * @param value value of each coin in satoshis
 */
export function chainOfCoins(count: number, script: (i: number) => Uint8Array, value = VALUE): BuiltBlock[] {
  const blocks: BuiltBlock[] = [];
  for (const range of ranges(count)) blocks.push(withCoins(blocks.at(-1) ?? GENESIS, range.map(script), value));
  return [...blocks, ...empty(blocks.at(-1)!, MATURITY)];
}

/**
 * Returns a chain of payments with one input and one output each, 2,000 per block, after the blocks that create the
 * spent coins.
 * @param script returns the script that payment i pays
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

/** Submits a chain to a daemon. */
export async function feed(node: Pick<Daemon, 'call'>, blocks: readonly BuiltBlock[]): Promise<void> {
  for (const block of blocks) {
    const answer = await node.call('submitblock', block.bytes.toString('hex'));
    if (answer !== null) throw new Error(`block ${block.height}: ${answer}`);
  }
}
