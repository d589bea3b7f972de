// Builds genesis blocks. They differ only in a few numbers, the message and the key. A test checks the resulting
// hashes.

import { buildBlock, buildHeader } from '../block/build-block.js';
import { fromHex, hashFromHex } from '../bytes/hex.js';
import { ByteWriter } from '../bytes/writer.js';
import { COIN_SATS } from '../limits.js';
import { buildTx } from '../tx/build-tx.js';

const OP_CHECKSIG = 0xac;
const OP_PUSHDATA1 = 0x4c;
// Compact target of main's first block as a script number. The genesis coinbases of all networks contain it.
const COINBASE_BITS = Uint8Array.of(0xff, 0xff, 0x00, 0x1d);

/** Message and key of every genesis coinbase before testnet4. */
export const SATOSHI_MESSAGE = 'The Times 03/Jan/2009 Chancellor on brink of second bailout for banks';
export const SATOSHI_KEY = fromHex(
  '04678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5f',
);
/** Display hex of the merkle root of a genesis block with SATOSHI_MESSAGE and its key. */
export const SATOSHI_MERKLE_ROOT = '4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b';

/** Values in which genesis blocks differ. */
export interface GenesisFacts {
  time: number;
  nonce: number;
  bits: number;
  message: string;
  key: Uint8Array;
  /** Display hex of the merkle root. The caller gives it because this module has no hash function. */
  merkleRootHex: string;
}

export function buildGenesis(facts: GenesisFacts): Uint8Array {
  const message = Uint8Array.from(facts.message, (char) => char.charCodeAt(0));
  const scriptSig = new ByteWriter(100).varBytes(COINBASE_BITS).varBytes(Uint8Array.of(4));
  // A push of more than 75 bytes needs its own opcode.
  if (message.length >= OP_PUSHDATA1) scriptSig.u8(OP_PUSHDATA1);
  scriptSig.u8(message.length).bytes(message);
  const coinbase = buildTx({
    version: 1,
    inputs: [{ prevHash: new Uint8Array(32), prevIndex: 0xffffffff, scriptSig: scriptSig.finish(), sequence: 0xffffffff }],
    outputs: [{ value: 50 * COIN_SATS, script: new ByteWriter(67).varBytes(facts.key).u8(OP_CHECKSIG).finish() }],
    locktime: 0,
  });
  const header = buildHeader({
    version: 1,
    prevHash: new Uint8Array(32),
    merkleRoot: hashFromHex(facts.merkleRootHex),
    time: facts.time,
    bits: facts.bits,
    nonce: facts.nonce,
  });
  return buildBlock(header, [coinbase]);
}
