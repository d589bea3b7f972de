// Tests that disconnecting a block detects coins that are not the ones the block made.

import t from 'tap';
import { CoinsOverlay, connectCoins, disconnectCoins } from '../../../src/chain/connect/coins-overlay.js';
import { parseBlock } from '../../../src/consensus/block/block-view.js';
import type { Coin } from '../../../src/consensus/coin.js';
import { ANYONE, buildBlock, GENESIS, outpoint } from '../../framework/chain-builder.js';
import { crypto } from '../../framework/chain-fixture.js';

t.test('detects a coin that differs from the output in any field when it disconnects a block', (t) => {
  const built = buildBlock(GENESIS, { outs: [{ value: 0, script: Buffer.from([0x51, 0x51]) }] });
  const block = parseBlock(new Uint8Array(built.bytes), crypto);
  const changes: [string, Partial<Coin>, boolean][] = [
    ['nothing', {}, true],
    ['value', { value: 1 }, false],
    ['script', { script: Uint8Array.of(0x52) }, false],
    ['length of the script', { script: new Uint8Array(0) }, false],
    ['height', { height: 2 }, false],
    ['coinbase', { coinbase: false }, false],
  ];
  for (const [what, change, fits] of changes) {
    const coins = new CoinsOverlay({ get: () => undefined });
    for (const _ of connectCoins(coins, block, 1));
    const at = outpoint(built.txids[0]!, 0);
    const coin = coins.get(at) as Coin;
    t.same(new Uint8Array(coin.script), new Uint8Array(ANYONE));
    coins.add(at, { ...coin, ...change });
    const walk = disconnectCoins(coins, block, [], 1);
    let step = walk.next();
    while (step.done !== true) step = walk.next();
    t.equal(step.value, fits, what);
  }
  t.end();
});
