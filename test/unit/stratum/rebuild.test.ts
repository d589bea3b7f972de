// A simulated miner that shares no code with the server builds coinbase, merkle root and header from the messages. The
// block that the server passes on must be the same, and must satisfy the node's own block rules.
import assert from 'node:assert/strict';
import t from 'tap';
import { parseBlock } from '../../../src/consensus/block/block-view.js';
import { buildBlock } from '../../../src/consensus/block/build-block.js';
import { coinbaseBranch, merkleRoot } from '../../../src/consensus/block/merkle.js';
import { checkMerkleRoot } from '../../../src/consensus/rules/check-block.js';
import { checkWitnessCommitment } from '../../../src/consensus/rules/contextual-check-block.js';
import { pushNumber } from '../../../src/consensus/script/build-script.js';
import { buildTx } from '../../../src/consensus/tx/build-tx.js';
import { parseTx, type TxView } from '../../../src/consensus/tx/tx-view.js';
import type { FoundBlock } from '../../../src/stratum/session/sink.js';
import { commitmentScript } from '../../../src/template/coinbase.js';
import { fc } from '../../framework/fast-check.js';
import { EASY_TIP, hashes, NOW_MS, SCRIPT_HEX, stratumWorld } from '../../framework/stratum-world.js';

/** A transaction with a witness. */
const someTx = (seed: number) =>
  parseTx(
    buildTx({
      version: 2,
      inputs: [
        {
          prevHash: Buffer.alloc(32, seed + 1),
          prevIndex: seed,
          scriptSig: Buffer.alloc(0),
          sequence: 0,
          witness: [Buffer.alloc(1 + (seed % 70), seed)],
        },
      ],
      outputs: [{ value: seed, script: Buffer.alloc(seed % 30, 0x51) }],
      locktime: seed,
    }),
    hashes,
  );

const digits = (bytes: number) => fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((value) => Buffer.from(value).toString('hex'));

t.test('hands on exactly the block that the miner found', async (t) => {
  let blocks = 0;
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.integer({ min: 0, max: 250 }), { maxLength: 20 }),
      fc.integer({ min: 1, max: 8_000_000 }),
      fc.uint8Array({ minLength: 32, maxLength: 32 }),
      digits(4),
      digits(8),
      digits(4),
      fc.integer({ min: 0, max: 0xffff }).map((bits) => ((bits << 13) >>> 0).toString(16).padStart(8, '0')),
      fc.boolean(),
      (seeds, height, prevHash, extranonce1, extranonce2, nonce, versionBits, withFee) => {
        const txs = seeds.map(someTx);
        const witnessRoot = merkleRoot([new Uint8Array(32), ...txs.map((tx) => tx.wtxid)], hashes).root;
        const template = {
          height,
          version: 0x20000004,
          value: 5_000_000_000,
          commitment: commitmentScript(witnessRoot, hashes),
          branch: coinbaseBranch([new Uint8Array(32), ...txs.map((tx) => tx.txid)], hashes),
        };
        const { board, connect } = stratumWorld(withFee ? { fee: '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy:2' } : {});
        board.newTip({ ...EASY_TIP, prevHash }, template, NOW_MS);
        const miner = connect(NOW_MS, extranonce1);
        miner.start();
        const work = miner.mine((_difficulty, hash) => (hash[31] as number) < 0x7f, {
          extranonce2,
          versionBits,
          start: Number.parseInt(nonce, 16) % 2 ** 31,
        });
        assert.equal(miner.submit(work), null);
        assert.equal(miner.blocks.length, 1);
        const found = miner.blocks[0] as FoundBlock;
        assert.deepEqual(Buffer.from(found.header), work.built.header);
        const block = parseBlock(buildBlock(found.header, [found.coinbase, ...txs.map((tx) => tx.bytes)]), hashes, { exact: true });
        const coinbase = block.txs[0] as TxView;
        assert.deepEqual(Buffer.from(block.hash), work.built.hash);
        assert.equal(checkMerkleRoot(block), null);
        assert.equal(checkWitnessCommitment(block, true), null);
        assert.ok(coinbase.isCoinbase);
        assert.ok(coinbase.scriptSig(0).length <= 100);
        const push = pushNumber(height);
        assert.deepEqual(Buffer.from(coinbase.scriptSig(0).subarray(0, push.length)), Buffer.from(push));
        assert.equal(coinbase.locktime, height - 1);
        assert.equal(Buffer.from(coinbase.outputScript(0)).toString('hex'), SCRIPT_HEX);
        assert.deepEqual(
          [0, 1].slice(0, coinbase.outputCount - 1).map((i) => coinbase.outputValue(i)),
          withFee ? [4_900_000_000, 100_000_000] : [5_000_000_000],
        );
        blocks++;
      },
    ),
    { numRuns: 60 },
  );
  t.ok(blocks >= 60, `${blocks} blocks`);
});
