// Targets of what comes from Stratum V1 miners: whole conversations with a session, in pieces of any size.
import { MAX_LINE_BYTES } from '../../../src/stratum/codec/line-reader.js';
import { EASY_TIP, NAME, NOW_MS, stratumWorld, TEMPLATE } from '../../framework/stratum-world.js';
import { type Dice, utf8, wordsOf } from './dice.js';
import { hold, type Target } from './target.js';

const WORDS = wordsOf(
  'mining.submit',
  '"id":',
  'null',
  '1e999',
  '\\u0000',
  '"version-rolling"',
  '[[',
  '{}',
  '\r\n',
  '\n',
  'ffffffff',
  '-0',
  '__proto__',
);
const { board, connect } = stratumWorld();

const hexDigits = (dice: Dice, digits: number): string =>
  Buffer.from(dice.bytes(Math.ceil(digits / 2)))
    .toString('hex')
    .slice(0, digits);
const id = (dice: Dice): unknown => dice.pick([1, 4, dice.below(1000), 'auth', null, -1, 1.5, '', 2 ** 60, [1], {}, true]);

/** A request of a miner, mostly well formed. */
function request(dice: Dice): object {
  const one = (method: string, params: unknown): object => ({ id: id(dice), method, params });
  switch (dice.below(9)) {
    case 0:
      return one('mining.configure', [
        ['version-rolling', dice.pick(['minimum-difficulty', 'info', 'x', 7])],
        { 'version-rolling.mask': hexDigits(dice, dice.below(10)), 'minimum-difficulty.value': dice.pick([1, -1, '2', null]) },
      ]);
    case 1:
      return one('mining.subscribe', dice.pick([[], ['NerdMinerV2'], ['cgminer/4.9', 'a1b2'], [null], 'x']));
    case 2:
      return one('mining.authorize', [dice.pick([NAME, NAME, 'x', '', 7]), dice.pick(['x', 'd=0.001', `d=${dice.below(100)}`, null])]);
    case 3:
      return one('mining.suggest_difficulty', [dice.pick([1, 0.001, '0.5', -1, 0, null, 1e300, dice.below(5000)])]);
    case 4:
      return one('mining.suggest_target', [hexDigits(dice, 64)]);
    case 5:
      return one(
        dice.pick(['mining.ping', 'mining.extranonce.subscribe', 'mining.multi_version', 'pong', 'x', 'mining.suggest_difficulty(5)']),
        [],
      );
    default: {
      const job = dice.oneIn(4) ? hexDigits(dice, 8) : board.current?.id;
      const time = dice.oneIn(4) ? hexDigits(dice, 8) : '6b49d200';
      const bits = dice.pick([[], [null], ['00002000'], ['1fffe000'], [hexDigits(dice, 8)]]);
      return one('mining.submit', [
        dice.oneIn(9) ? 'x' : NAME,
        job,
        hexDigits(dice, dice.oneIn(9) ? 14 : 16),
        time,
        hexDigits(dice, 8),
        ...bits,
      ]);
    }
  }
}

const conversations: Target = {
  name: 'stratum conversations',
  share: 6,
  make: (dice) => {
    board.newTip(EASY_TIP, TEMPLATE, NOW_MS);
    const requests: object[] = [];
    if (!dice.oneIn(5))
      requests.push({ id: 1, method: 'mining.subscribe', params: ['x'] }, { id: 2, method: 'mining.authorize', params: [NAME, 'x'] });
    for (let n = dice.below(8); n > 0; n--) requests.push(request(dice));
    const text = requests.map((one) => `${JSON.stringify(one)}${dice.oneIn(4) ? '\r\n' : '\n'}`).join('');
    const whole = Buffer.concat([Buffer.from([1 + dice.below(255)]), utf8(text)]);
    return dice.oneIn(2) ? whole : dice.mutate(whole, WORDS);
  },
  check: (input) => {
    // Bytes of a read; a mutated case may say none.
    const size = Math.max(1, input[0] ?? 1);
    const miner = connect();
    let lines = 0;
    for (const byte of input) if (byte === 0x0a) lines++;
    for (let at = 1; at < input.length; at += size) {
      const ended = miner.closed !== null;
      const before = miner.raw.length;
      miner.session.receive(input.subarray(at, at + size), NOW_MS + at);
      hold(!ended || miner.raw.length === before, 'a line after the end');
      miner.session.tick(NOW_MS + at);
    }
    // TestMiner.send refuses what is not one line of JSON.
    hold(miner.raw.length <= 3 * lines + 2 * input.length, 'more lines than were asked for');
    hold(
      miner.raw.every((line) => line.length <= MAX_LINE_BYTES),
      'a line that is too long',
    );
    hold(
      miner.blocks.length >= miner.shares.filter(({ block, result }) => block && result === 'accepted').length,
      'a block that was not handed on',
    );
    return miner.session.started;
  },
};

export const stratumTargets: readonly Target[] = [conversations];
