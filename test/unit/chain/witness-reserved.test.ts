// Tests the reserved value that the node adds to a miner's coinbase that lacks it: it is added only there, and nothing
// else changes.

import t from 'tap';
import { withReservedValue } from '../../../src/chain/connect/witness-reserved.js';
import { type BlockView, parseBlock } from '../../../src/consensus/block/block-view.js';
import { createPureHashes } from '../../../src/crypto/pure.js';
import { hex, unhex } from '../../framework/hex.js';

const hashes = createPureHashes();
const HEADER = '02000000'.padEnd(160, 'ab');
const COMMITMENT = `0000000000000000266a24aa21a9ed${'cc'.repeat(32)}`;
const PLAIN = `00f2052a010000000151`;

const count = (n: number): string => (n < 253 ? n.toString(16).padStart(2, '0') : `fd${(n & 255).toString(16)}00`);
const inputs = (n: number): string => count(n) + `${'00'.repeat(32)}ffffffff020101ffffffff`.repeat(n);
const legacy = (n: number, outputs: readonly string[]): string => `01000000${inputs(n)}${count(outputs.length)}${outputs.join('')}07000000`;
const extended = (n: number, outputs: readonly string[], witness: string): string =>
  `010000000001${inputs(n)}${count(outputs.length)}${outputs.join('')}${witness}07000000`;
const parse = (txs: readonly string[]): BlockView => parseBlock(unhex(HEADER + count(txs.length) + txs.join('')), hashes, { exact: true });

const RESERVED = `0120${'00'.repeat(32)}`;
const OTHER = legacy(1, [PLAIN]);

t.test('adds 32 zero bytes to the first input of a coinbase with a commitment and no witness', async (t) => {
  for (const others of [0, 1, 251, 252]) {
    for (const [n, outputs] of [
      [1, [PLAIN, COMMITMENT]],
      [3, [PLAIN, COMMITMENT]],
      [1, [COMMITMENT]],
    ] as const) {
      const rest = new Array<string>(others).fill(OTHER);
      const block = parse([legacy(n, outputs), ...rest]);
      const filled = withReservedValue(block);
      const wanted = parse([extended(n, outputs, RESERVED + '00'.repeat(n - 1)), ...rest]);
      t.equal(hex(filled.bytes), hex(wanted.bytes), `${n} inputs, ${outputs.length} outputs, ${others} other transactions`);
      t.equal(hex(filled.txs[0]!.txid), hex(block.txs[0]!.txid));
    }
  }
});

t.test('leaves every other block unchanged', async (t) => {
  const blocks = {
    'no transactions': parse([]),
    'no commitment': parse([legacy(1, [PLAIN]), OTHER]),
    'no inputs and no outputs': parse(['01000000000007000000']),
    'a commitment elsewhere': parse([legacy(1, [PLAIN]), legacy(1, [COMMITMENT])]),
    'a witness of its own': parse([extended(1, [COMMITMENT], '0101aa')]),
  };
  for (const [name, block] of Object.entries(blocks)) t.equal(withReservedValue(block), block, name);
});
