// Warnings about wallet options, with Core's texts.
import t from 'tap';
import { optionWarnings } from '../../../src/wallet/spend/option-warnings.js';
import { DEFAULT_SPEND } from '../../../src/wallet/spend/options.js';

t.test('warns of -walletrbf after options with high fees', async (t) => {
  t.same(optionWarnings(DEFAULT_SPEND, 100), []);
  const text = '-walletrbf is deprecated and will be fully removed in the next release.';
  const spend = { ...DEFAULT_SPEND, warnsOfReplaceable: true };
  t.same(optionWarnings(spend, 1_000_001), [
    '-minrelaytxfee is set very high! The wallet will avoid paying less than the minimum relay fee.',
    text,
  ]);
  t.same(optionWarnings(spend, 100), [text]);
});
