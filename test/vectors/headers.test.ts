// Real mainnet headers and an alternative main chain under the contextual header rules; compact targets; header fields.

import { parseHeader } from '../../src/consensus/block/header-view.js';
import { fromHex, hashToHex, toHex } from '../../src/consensus/bytes/hex.js';
import { chainParams } from '../../src/consensus/params/chain-params.js';
import { blockProof, decodeCompact, encodeCompact } from '../../src/consensus/rules/bits.js';
import { checkProofOfWork } from '../../src/consensus/rules/check-block.js';
import { checkHeaderContext } from '../../src/consensus/rules/check-header-context.js';
import { requiredBits } from '../../src/consensus/rules/required-bits.js';
import { createNativeCrypto } from '../../src/crypto/native/index.js';
import { ModelNode } from '../framework/law-model.js';
import { readJson, readVector, type Tap, tally, vectorSuite } from '../framework/vectors.js';

const crypto = createNativeCrypto();
const main = chainParams('main');

/** Walks a file of headers from genesis; returns its last node. */
function walk(t: Tap, path: string, now: number): ModelNode {
  const bytes = readVector(path);
  const failures: string[] = [];
  let node: ModelNode | null = null;
  let work = 0n;
  const count = bytes.length / 80;
  for (let height = 0; height < count; height++) {
    const header = parseHeader(bytes, crypto, height * 80);
    const pow = checkProofOfWork(header, main);
    if (pow !== null) failures.push(`${height}: ${pow.reason}`);
    if (node !== null) {
      if (toHex(header.prevHash) !== toHex(node.hash)) failures.push(`${height}: not a chain`);
      const verdict = checkHeaderContext(header, node, main, now);
      if (verdict !== null) failures.push(`${height}: ${verdict.reason}`);
    }
    node = ModelNode.of(node, header);
    work += blockProof(header.bits);
  }
  tally(t, path, failures, count);
  t.comment(`work ${work.toString(16)}`);
  if (node === null) throw new Error('no headers');
  return node;
}

vectorSuite('headers/main-0-4199.bin.gz', (t) => {
  const tip = walk(t, 'headers/main-0-4199.bin.gz', 1_300_000_000);
  t.equal(tip.height, 4199);
  const genesis = tip.ancestor(0);
  t.equal(genesis && hashToHex(genesis.hash), '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f');
  // Two retargets lie behind, both capped at the easiest target.
  t.equal(tip.bits, 0x1d00ffff);

  const bytes = readVector('headers/main-0-4199.bin.gz');
  const parent = tip.ancestor(3000);
  if (parent === null) throw new Error('no parent');
  const child = (change: (view: DataView) => void) => {
    const copy = Uint8Array.from(bytes.subarray(3001 * 80, 3002 * 80));
    change(new DataView(copy.buffer));
    return checkHeaderContext(parseHeader(copy, crypto), parent, main, 1_300_000_000)?.reason;
  };
  t.equal(
    child(() => undefined),
    undefined,
  );
  t.equal(
    child((view) => view.setUint32(72, 0x1d00fffe, true)),
    'bad-diffbits',
  );
  t.equal(
    child((view) => view.setUint32(68, parent.medianTimePast(), true)),
    'time-too-old',
  );
  t.equal(
    child((view) => view.setUint32(68, parent.medianTimePast() + 1, true)),
    undefined,
  );
  t.equal(
    child((view) => view.setUint32(68, 1_300_007_200, true)),
    undefined,
  );
  t.equal(
    child((view) => view.setUint32(68, 1_300_007_201, true)),
    'time-too-new',
  );
});

vectorSuite('headers/main-alt-0-2016.bin.gz', (t) => {
  const tip = walk(t, 'headers/main-alt-0-2016.bin.gz', 1_900_000_000);
  t.equal(tip.height, 2016);
  t.equal(tip.bits, 0x1c3fffc0);
  t.equal(tip.prev?.bits, 0x1d00ffff);
  if (tip.prev !== null) t.equal(requiredBits(tip.prev, tip.time, main), 0x1c3fffc0);
});

vectorSuite('headers/bits_to_target.json', (t) => {
  const rows = readJson<{ bits: string; expected: string }[]>('headers/bits_to_target.json');
  for (const row of rows) {
    const { target } = decodeCompact(Number.parseInt(row.bits, 16));
    t.equal(target.toString(16).padStart(64, '0'), row.expected, row.bits);
    t.equal(decodeCompact(encodeCompact(target)).target, target);
  }
});

interface HeaderRow {
  id: string;
  hash: string;
  version: number;
  prevHash: string;
  merkleRoot: string;
  timestamp: number;
  bits: number;
  nonce: number;
  hex: string;
}

vectorSuite('headers/header_fields.json', (t) => {
  for (const row of readJson<HeaderRow[]>('headers/header_fields.json')) {
    const header = parseHeader(fromHex(row.hex), crypto);
    const { version, time, bits, nonce } = header;
    t.same({ version, time, bits, nonce }, { version: row.version, time: row.timestamp, bits: row.bits, nonce: row.nonce }, row.id);
    t.equal(toHex(header.prevHash), row.prevHash);
    t.equal(toHex(header.merkleRoot), row.merkleRoot);
    t.equal(toHex(header.hash), row.hash);
    t.equal(hashToHex(header.hash), row.id);
  }
});
