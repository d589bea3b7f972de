// Makes blocks on light templates as a miner does: header and coinbase, with the serializers of the tests.
import { ANYONE } from './chain-builder.js';
import {
  grind,
  type Header,
  hash256,
  push,
  scriptNumber,
  serializeHeader,
  serializeTx,
  shown,
  type Tx,
  txid,
  unshown,
} from './messages.js';

/** Returns header and coinbase of a solved block on a light template. */
// biome-ignore lint/suspicious/noExplicitAny: a template has many members
export function mineLight(template: any): { work: string; hash: string } {
  const coinbase: Tx = {
    version: 2,
    ins: [
      {
        txid: Buffer.alloc(32),
        index: 0xffffffff,
        script: Buffer.concat([scriptNumber(template.height), push(Buffer.from('light'))]),
        sequence: 0xffffffff,
      },
    ],
    outs: [
      { value: template.coinbasevalue, script: ANYONE },
      { value: 0, script: Buffer.from(template.default_witness_commitment, 'hex') },
    ],
    locktime: 0,
  };
  let merkleRoot = txid(coinbase);
  for (const sibling of template.merklebranch) merkleRoot = hash256(Buffer.concat([merkleRoot, Buffer.from(sibling, 'hex')]));
  const header: Header = {
    version: template.version,
    prev: unshown(template.previousblockhash),
    merkleRoot,
    time: template.curtime,
    bits: Number.parseInt(template.bits, 16),
    nonce: 0,
  };
  const hash = shown(grind(header));
  return { work: Buffer.concat([serializeHeader(header), serializeTx(coinbase)]).toString('hex'), hash };
}
