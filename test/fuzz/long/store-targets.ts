// Targets for data that is read from disk or made for it: coins, undo data, index rows, the saved mempool and fee
// estimates, wallet rows, partial merkle trees, block filters.

import {
  buildPartialMerkle,
  decodePartialMerkle,
  encodePartialMerkle,
  extractMatches,
} from '../../../src/consensus/block/partial-merkle.js';
import { ByteReader, DecodeError } from '../../../src/consensus/bytes/reader.js';
import { ByteWriter } from '../../../src/consensus/bytes/writer.js';
import type { Coin } from '../../../src/consensus/coin.js';
import { createNativeHashes } from '../../../src/crypto/native/hashes.js';
import { sipKey } from '../../../src/crypto/siphash.js';
import { GcsBuilder, matchesAny } from '../../../src/filters/gcs.js';
import { decodeEstimates, encodeEstimates } from '../../../src/mempool/fees/estimates-file.js';
import { FeeEstimator } from '../../../src/mempool/fees/fee-estimator.js';
import { decodePool } from '../../../src/mempool/persist/mempool-file.js';
import { compressAmount, decodeCoin, decompressAmount, encodeCoin } from '../../../src/storage/codec/coin.js';
import { decodeIndexRow, encodeIndexRow } from '../../../src/storage/codec/index-row.js';
import { decodeUndo, encodeUndo } from '../../../src/storage/codec/undo.js';
import { readVarint, writeVarint } from '../../../src/storage/codec/varint.js';
import { StoreError } from '../../../src/storage/store-error.js';
import { packRow, unpackPath, unpackRow } from '../../../src/wallet/storage/rows.js';
import type { Dice } from './dice.js';
import { randomTx } from './law-targets.js';
import { attempt, hold, same, succeeds, type Target } from './target.js';

const hashes = createNativeHashes();

function randomCoin(dice: Dice): Coin {
  const script = (): Uint8Array => {
    switch (dice.below(4)) {
      case 0:
        return Uint8Array.from([0x76, 0xa9, 20, ...dice.bytes(20), 0x88, 0xac]);
      case 1:
        return Uint8Array.from([0xa9, 20, ...dice.bytes(20), 0x87]);
      case 2:
        return Uint8Array.from([33, 2 + dice.below(2), ...dice.bytes(32), 0xac]);
      default:
        return dice.bytes(dice.below(60));
    }
  };
  return {
    value: dice.oneIn(2) ? dice.below(1e9) : dice.below(21e6) * 1e8,
    script: script(),
    height: dice.below(900_000),
    coinbase: dice.oneIn(5),
  };
}

/** Decoders of stored bytes fail with one error of one code. */
function stored<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof StoreError && error.code === 'STORE_CORRUPTION') return undefined;
    throw error;
  }
}

const coins: Target = {
  name: 'coin',
  share: 10,
  make: (dice) => (dice.oneIn(4) ? dice.bytes(dice.below(60)) : dice.mutate(encodeCoin(randomCoin(dice)))),
  check(input) {
    const coin = stored(() => decodeCoin(input));
    if (coin === undefined) return false;
    const again = decodeCoin(encodeCoin(coin));
    hold(
      again.value === coin.value && again.height === coin.height && again.coinbase === coin.coinbase && same(again.script, coin.script),
      'a coin changes when it is written and read once more',
    );
    const whole = decompressAmount(compressAmount(coin.value));
    hold(whole === coin.value, 'amount');
    return true;
  },
};

const undo: Target = {
  name: 'undo',
  share: 6,
  make(dice) {
    if (dice.oneIn(6)) return dice.bytes(dice.below(100));
    const spent = Array.from({ length: dice.below(3) }, () => Array.from({ length: dice.below(3) }, () => randomCoin(dice)));
    return dice.mutate(encodeUndo(spent));
  },
  check(input) {
    const spent = stored(() => decodeUndo(input));
    if (spent === undefined) return false;
    const again = decodeUndo(encodeUndo(spent));
    hold(JSON.stringify(again) === JSON.stringify(spent), 'undo data change when they are written and read once more');
    return true;
  },
};

const rows: Target = {
  name: 'index-row',
  share: 6,
  make: (dice) =>
    dice.mutate(
      encodeIndexRow({
        header: dice.bytes(80),
        height: dice.below(1e6),
        status: dice.below(256),
        txCount: dice.below(5000),
        file: dice.below(5000) - 1,
        blockPos: dice.below(1e8),
        undoPos: dice.below(1e8),
      }),
    ),
  check(input) {
    const row = stored(() => decodeIndexRow(input));
    if (row === undefined) return false;
    hold(JSON.stringify(decodeIndexRow(encodeIndexRow(row))) === JSON.stringify(row), 'a row changes');
    return true;
  },
};

const varints: Target = {
  name: 'varint',
  share: 6,
  make: (dice) => dice.bytes(1 + dice.below(10)).map((byte, i) => (dice.oneIn(3) ? byte & 0x7f : i < 4 ? byte | 0x80 : byte)),
  check(input) {
    const reader = new ByteReader(input);
    const value = attempt(DecodeError, () => readVarint(reader));
    if (value === undefined) return false;
    const writer = new ByteWriter();
    writeVarint(writer, value);
    // In this encoding each value has only one form.
    hold(same(writer.finish(), input.subarray(0, reader.offset)), 'varint');
    return true;
  },
};

function savedPool(dice: Dice): Uint8Array {
  const writer = new ByteWriter();
  const long = (value: number): void => {
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setBigInt64(0, BigInt(value), true);
    writer.bytes(bytes);
  };
  const count = dice.below(3);
  long(1);
  long(count);
  for (let i = 0; i < count; i++) {
    writer.bytes(randomTx(dice));
    long(1_700_000_000);
    long(dice.below(3) - 1);
  }
  const deltas = dice.below(3);
  writer.compactSize(deltas);
  for (let i = 0; i < deltas; i++) {
    writer.bytes(dice.bytes(32));
    long(-5);
  }
  if (dice.oneIn(2)) {
    writer.compactSize(1);
    writer.bytes(dice.bytes(32));
  }
  return writer.finish();
}

const pools: Target = {
  name: 'mempool.dat',
  share: 5,
  make: (dice) => (dice.oneIn(4) ? savedPool(dice) : dice.mutate(savedPool(dice))),
  check(input) {
    let parts = 0;
    const whole = attempt(DecodeError, () => {
      for (const part of decodePool(input, hashes)) {
        parts++;
        hold(parts <= input.length, 'more parts than bytes');
        if (part.kind === 'tx') hold(part.tx.bytes.length <= input.length, 'a transaction larger than the file');
      }
      return true;
    });
    return whole === true;
  },
};

const freshEstimates = encodeEstimates(new FeeEstimator(), hashes);

const estimates: Target = {
  name: 'fee_estimates.dat',
  share: 0.004,
  make(dice) {
    const at = dice.below(freshEstimates.length - 40);
    const bytes = freshEstimates.slice();
    bytes.set(dice.bytes(1 + dice.below(8)), at);
    // In most cases the checksum is correct, so that the checks after it are reached.
    const end = dice.oneIn(8) ? dice.below(bytes.length) : bytes.length - 32;
    return Uint8Array.from([...bytes.subarray(0, end), ...hashes.sha256d(bytes.subarray(0, end))]);
  },
  check: (input) => succeeds(DecodeError, () => decodeEstimates(input, new FeeEstimator(), hashes)),
};

const walletRows: Target = {
  name: 'wallet-row',
  share: 5,
  make: (dice) => dice.mutate(packRow([dice.below(9), dice.bytes(dice.below(40)), 'label', null, [1, dice.bits()], -1.5])),
  check(input) {
    unpackPath(input);
    try {
      unpackRow(input);
    } catch (error) {
      // The database's checksums protect these rows, so any exception is allowed; the code that opens a wallet reports
      // it.
      if (!(error instanceof Error)) throw error;
      return false;
    }
    return true;
  },
};

const merkles: Target = {
  name: 'partial-merkle',
  share: 5,
  make(dice) {
    const txids = Array.from({ length: 1 + dice.below(8) }, () => dice.bytes(32));
    const tree = encodePartialMerkle(
      buildPartialMerkle(
        txids,
        txids.map(() => dice.oneIn(3)),
        hashes,
      ),
    );
    return dice.oneIn(3) ? tree : dice.mutate(tree);
  },
  check(input) {
    const tree = attempt(DecodeError, () => decodePartialMerkle(input));
    if (tree === undefined) return false;
    const found = extractMatches(tree, hashes);
    if (found === null) return false;
    hold(found.txids.length === found.positions.length, 'as many places as transactions');
    hold(
      found.positions.every((position) => position < tree.count),
      'a place beyond the block',
    );
    return true;
  },
};

const KEY = sipKey(new Uint8Array(16).fill(7));

const filters: Target = {
  name: 'block-filter',
  share: 5,
  make(dice) {
    const builder = new GcsBuilder(KEY);
    for (let n = dice.below(6); n > 0; n--) builder.add(dice.bytes(1 + dice.below(20)));
    return dice.oneIn(8) ? builder.finish() : dice.mutate(builder.finish());
  },
  check(input) {
    return succeeds(DecodeError, () => {
      matchesAny(input, KEY, [Uint8Array.of(1, 2), input]);
    });
  },
};

export const storeTargets: readonly Target[] = [coins, undo, rows, varints, pools, estimates, walletRows, merkles, filters];
