// Undo data of a block, byte for byte Core's CBlockUndo (src/undo.h), so that both programs can read each other's rev
// files:
//
//   compact size: number of transactions without the coinbase
//     compact size: number of inputs
//       varint 2 height + coinbase, [one zero byte, once a version, when height > 0], compressed amount, compressed script

import { ByteReader, DecodeError } from '../../consensus/bytes/reader.js';
import { ByteWriter } from '../../consensus/bytes/writer.js';
import type { Coin } from '../../consensus/coin.js';
import { heightCode, readAmount, readHeightCode, StoredCoin, writeTxOut } from './coin.js';
import { decodeStored } from './corruption.js';
import { readScript } from './script.js';
import { readVarint, writeVarint } from './varint.js';

/**
 * Smallest encoded sizes of an input (height 0, amount, empty script) and of a transaction. Counts in the data are
 * checked against them before memory is allocated.
 */
const MIN_INPUT_BYTES = 3;
const MIN_TX_BYTES = 1;

/**
 * Encodes undo data.
 * @param spent coins that the inputs spent, in order, by transaction without the coinbase
 */
export function encodeUndo(spent: readonly (readonly Coin[])[]): Uint8Array {
  let inputs = 0;
  for (const coins of spent) inputs += coins.length;
  const writer = new ByteWriter(16 + spent.length * 2 + inputs * 40);
  writer.compactSize(spent.length);
  for (const coins of spent) {
    writer.compactSize(coins.length);
    for (const coin of coins) {
      if (coin instanceof StoredCoin) {
        // Copy the stored form of the coin, and insert the zero byte of the undo format.
        writer.piece(coin.bytes, coin.start, coin.amountAt - coin.start);
        if (coin.height > 0) writer.u8(0);
        writer.piece(coin.bytes, coin.amountAt, coin.end - coin.amountAt);
      } else {
        writeVarint(writer, heightCode(coin));
        if (coin.height > 0) writer.u8(0);
        writeTxOut(writer, coin.value, coin.script);
      }
    }
  }
  return writer.finish();
}

/** Decodes undo data. Throws StoreError STORE_CORRUPTION. */
export function decodeUndo(bytes: Uint8Array): Coin[][] {
  return decodeStored('undo data', () => {
    const reader = new ByteReader(bytes);
    const txCount = reader.compactSize(Math.floor(reader.remaining / MIN_TX_BYTES));
    const spent: Coin[][] = [];
    for (let t = 0; t < txCount; t++) {
      const inputCount = reader.compactSize(Math.floor(reader.remaining / MIN_INPUT_BYTES));
      const coins: Coin[] = [];
      for (let i = 0; i < inputCount; i++) {
        const code = readHeightCode(reader);
        const height = Math.floor(code / 2);
        if (height > 0) readVarint(reader);
        const value = readAmount(reader);
        coins.push({ value, script: readScript(reader), height, coinbase: code % 2 === 1 });
      }
      spent.push(coins);
    }
    if (reader.remaining !== 0) throw new DecodeError('bytes left over');
    return spent;
  });
}
