// Tests values that several calls return.
import t from 'tap';
import { COMPATS } from '../../../src/policy/compat.js';
import type { NodeContext } from '../../../src/rpc/context/node.js';
import { shownWarnings } from '../../../src/rpc/node/shown-facts.js';

t.test('warnings are a list, or a string before release 28 and with -deprecatedrpc=warnings', async (t) => {
  const shown = (version: keyof typeof COMPATS, ...deprecated: string[]) =>
    shownWarnings({ compat: COMPATS[version], deprecated: new Set(deprecated), warnings: () => ['one', 'two'] } as unknown as NodeContext);
  t.same([shown('default'), shown('31'), shown('0.21.1')], [['one', 'two'], ['one', 'two'], 'one; two']);
  t.equal(shown('default', 'warnings'), 'one; two');
  t.same(shown('31', 'warnings'), ['one', 'two'], 'release 29 has no such option');
  t.same(shown('default', 'bumpfee'), ['one', 'two']);
});
