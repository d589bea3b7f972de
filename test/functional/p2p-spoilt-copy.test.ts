// Tests blocks whose witnesses a peer has changed. Such copies arrive over a socket while the true blocks are stored
// and not connected yet, because the first block of their branch is sent last. In between, branches replace each other
// and blocks are invalidated and reconsidered, during initial download and at the tip. Only the blocks of the honest
// peer may have an effect.
import t from 'tap';
import { type BuiltBlock, buildBlock, buildChain, GENESIS, reward, spend } from '../framework/chain-builder.js';
import { Daemon } from '../framework/daemon.js';
import { TRUE_SCRIPT, TRUE_WITNESS, type Tx, txid } from '../framework/messages.js';
import { headersPayload, P2pClient } from '../framework/p2p-client.js';
import { freePort } from '../framework/ports.js';
import { withTxs } from '../framework/spoilt-copy.js';
import { until } from '../framework/until.js';

const WRONG_WITNESS = [Buffer.from([0x52])];

/** A block with a witness, and a copy of it with a wrong witness. */
interface Pair {
  readonly block: BuiltBlock;
  readonly copy: Buffer;
}

/**
 * Builds blocks that pass one coin on. The first block makes the coin; each other block spends it with a witness.
 * @param tag makes the blocks of different branches differ
 */
function branch(fork: BuiltBlock, coinOf: BuiltBlock, length: number, tag: number): { first: BuiltBlock; rest: Pair[] } {
  const coin = reward(coinOf);
  let last = spend([coin], [{ value: coin.value, script: TRUE_SCRIPT }]);
  const first = buildBlock(fork, { txs: [last], tag });
  const rest: Pair[] = [];
  for (let tip = first; rest.length < length; ) {
    const plain = spend([{ txid: txid(last), index: 0, value: coin.value }], [{ value: coin.value, script: TRUE_SCRIPT }]);
    const witnessed = (witness: readonly Buffer[]): Tx => ({
      ...plain,
      ins: [{ ...(plain.ins[0] as Tx['ins'][number]), witness: [...witness] }],
    });
    last = witnessed(TRUE_WITNESS);
    tip = buildBlock(tip, { txs: [last], tag });
    rest.push({ block: tip, copy: withTxs(tip, [witnessed(WRONG_WITNESS)]) });
  }
  return { first, rest };
}

const trunk = buildChain(GENESIS, 110);
const fork = trunk[109] as BuiltBlock;
const one = branch(fork, trunk[0] as BuiltBlock, 8, 1);
const two = branch(fork, trunk[1] as BuiltBlock, 12, 2);
const headersOf = (blocks: readonly BuiltBlock[]): Buffer => headersPayload(blocks.map(({ header }) => header));

for (const [where, options] of [
  ['in initial download', []],
  ['at the tip', ['-maxtipage=2000000000']],
] as const) {
  t.test(`spoilt copies of stored blocks change nothing, ${where}`, async (t) => {
    const port = await freePort();
    const node = await Daemon.startFor(t, `-port=${port}`, '-bind=127.0.0.1', ...options);
    for (const { bytes } of trunk) await node.call('submitblock', bytes.toString('hex'));
    const info = await node.call('getblockchaininfo');
    t.equal(info.initialblockdownload, where === 'in initial download');
    const honest = await P2pClient.connect(port, { startHeight: 130 });
    t.teardown(() => honest.close());

    /**
     * Sends copies, each through a new peer, because the node disconnects a peer that sends one. If `before` is set,
     * the peer sends the true block immediately before the copy.
     */
    const attack = async (pairs: readonly Pair[], before: boolean): Promise<void> => {
      for (const { block, copy } of pairs) {
        const peer = await P2pClient.connect(port, { startHeight: 130 });
        if (before) peer.send('block', block.bytes);
        peer.send('block', copy);
        // The node either disconnects the peer for the copy, or ignores the copy because it has the block.
        await Promise.race([peer.ended(), peer.sync().catch(() => undefined)]);
        peer.close();
      }
    };
    /** Sends all blocks of a branch except the first one, with copies before and after, and then the first block. */
    const bring = async ({ first, rest }: ReturnType<typeof branch>, before: boolean): Promise<void> => {
      honest.send('headers', headersOf([first, ...rest.map(({ block }) => block)]));
      await honest.sync();
      await attack(rest.slice(0, 4), before);
      for (const { block } of [...rest].reverse()) honest.send('block', block.bytes);
      await honest.sync();
      await attack(rest, before);
      honest.send('block', first.bytes);
      await attack(rest, before);
    };
    const tipIs = ({ hashHex, height }: BuiltBlock): Promise<void> =>
      until(`tip ${height}`, async () => (await node.call('getbestblockhash')) === hashHex);
    const endOf = ({ rest }: ReturnType<typeof branch>): BuiltBlock => (rest.at(-1) as Pair).block;

    await bring(one, false);
    await tipIs(endOf(one));
    // A branch with more work replaces the first one. Its blocks, too, arrive before their parent.
    await bring(two, true);
    await tipIs(endOf(two));
    await node.call('invalidateblock', (two.rest[5] as Pair).block.hashHex);
    await tipIs(endOf(one));
    await attack(two.rest, false);
    await node.call('invalidateblock', one.first.hashHex);
    await tipIs((two.rest[4] as Pair).block);
    await attack([...one.rest, ...two.rest], false);
    await node.call('reconsiderblock', one.first.hashHex);
    await node.call('reconsiderblock', (two.rest[5] as Pair).block.hashHex);
    await tipIs(endOf(two));
    const tips: { hash: string; status: string }[] = await node.call('getchaintips');
    t.same(
      tips.map(({ hash, status }) => [hash, status]),
      [
        [endOf(two).hashHex, 'active'],
        [endOf(one).hashHex, 'valid-fork'],
      ],
    );
    for (const { block } of [...one.rest, ...two.rest])
      t.equal(await node.call('getblock', block.hashHex, 0), block.bytes.toString('hex'), 'with its own witness');
    t.equal(await node.call('verifychain', 4, 20), true);
    t.equal(honest.closed, false, 'the peer that brought the blocks is not blamed');
    await node.stop();
    await node.up();
    t.equal(await node.call('getbestblockhash'), endOf(two).hashHex);
  });
}
