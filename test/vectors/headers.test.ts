// Real mainnet headers and an alternative main chain under the contextual header rules; compact targets; header fields.

import { parseHeader } from '../../src/consensus/block/header-view.js';
import { fromHex, hashToHex, toHex } from '../../src/consensus/bytes/hex.js';
import { type ChainName, type ChainParams, retargetInterval } from '../../src/consensus/params/chain-params.js';
import { chainParams } from '../../src/consensus/params/networks.js';
import { blockProof, decodeCompact, encodeCompact } from '../../src/consensus/rules/bits.js';
import { checkProofOfWork } from '../../src/consensus/rules/check-block.js';
import { checkHeaderContext } from '../../src/consensus/rules/check-header-context.js';
import { requiredBits } from '../../src/consensus/rules/required-bits.js';
import { createNativeCrypto } from '../../src/crypto/native/index.js';
import { ModelNode } from '../framework/law-model.js';
import { fileSuite, filesSuite, readJson, readVector, type Tap, tally } from '../framework/vector-suite.js';

const crypto = createNativeCrypto();
const main = chainParams('main');

/** Later than every header here. */
const NOW = 1_900_000_000;
const networkOf = (name: string): ChainParams => chainParams(/^[a-z0-9]+/.exec(name)?.[0] as ChainName);

/**
 * Walks a file of headers under the rules, and returns its last node. Without its beginnings, what needs older headers
 * is left out.
 */
function walk(t: Tap, path: string, params: ChainParams, from: number): ModelNode {
  const bytes = readVector(path);
  const interval = retargetInterval(params);
  const failures: string[] = [];
  let node: ModelNode | null = null;
  let work = 0n;
  const count = bytes.length / 80;
  for (let i = 0; i < count; i++) {
    const height = from + i;
    const header = parseHeader(bytes, crypto, i * 80);
    const pow = checkProofOfWork(header, params);
    if (pow !== null) failures.push(`${height}: ${pow.reason}`);
    if (node !== null) {
      if (toHex(header.prevHash) !== toHex(node.hash)) failures.push(`${height}: not a chain`);
      const hasPast = from === 0 || (i >= 11 && (height % interval !== 0 || i > interval));
      const verdict = hasPast ? checkHeaderContext(header, node, params, NOW) : null;
      if (verdict !== null) failures.push(`${height}: ${verdict.reason}`);
    }
    node = ModelNode.of(node, header, height);
    work += blockProof(header.bits);
  }
  tally(t, path, failures, count);
  t.comment(`work ${work.toString(16)}`);
  if (node === null) throw new Error('no headers');
  return node;
}

filesSuite('headers', /\.bin$/, 'a chain under the rules', (t, name) => {
  const [, first, last] = /-(\d+)-(\d+)\.bin$/.exec(name) ?? [];
  t.ok(first !== undefined, 'heights in its name');
  const params = networkOf(name);
  const path = `headers/${name}`;
  const tip = walk(t, path, params, Number(first));
  t.equal(tip.height, Number(last));
  const genesis = tip.ancestor(0);
  if (Number(first) === 0) t.equal(genesis && toHex(genesis.hash), toHex(params.genesisHash));

  // A header in the middle of a period, and what may not be otherwise in it.
  const parent = tip.ancestor(tip.height - 20);
  const interval = retargetInterval(params);
  if (parent === null || params.allowMinDifficultyBlocks || (parent.height + 1) % interval === 0) return;
  const at = parent.height + 1 - Number(first);
  if (at < 12) return;
  const child = (change: (view: DataView) => void) => {
    const copy = Uint8Array.from(readVector(path).subarray(at * 80, (at + 1) * 80));
    change(new DataView(copy.buffer));
    return checkHeaderContext(parseHeader(copy, crypto), parent, params, NOW)?.reason;
  };
  const time = (seconds: number) => child((view) => view.setUint32(68, seconds, true));
  t.equal(
    child(() => undefined),
    undefined,
  );
  t.equal(
    child((view) => view.setUint32(72, parent.bits ^ 1, true)),
    'bad-diffbits',
  );
  t.equal(time(parent.medianTimePast()), 'time-too-old');
  t.equal(time(parent.medianTimePast() + 1), undefined);
  t.equal(time(NOW + 7_200), undefined);
  t.equal(time(NOW + 7_201), 'time-too-new');
});

fileSuite('headers/main-alt-0-2016.bin', (t) => {
  const tip = walk(t, 'headers/main-alt-0-2016.bin', main, 0);
  t.equal(tip.bits, 0x1c3fffc0);
  t.equal(tip.prev?.bits, 0x1d00ffff);
  if (tip.prev !== null) t.equal(requiredBits(tip.prev, tip.time, main), 0x1c3fffc0);
});

fileSuite('headers/bits_to_target.json', (t) => {
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

fileSuite('headers/header_fields.json', (t) => {
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
