// The checks of getblocktemplate that depend on the state of the node.
import t, { type Test } from 'tap';
import { checkTemplateReadiness, checkTemplateRules, parseLongPollId, TemplateRefused } from '../../../src/template/request.js';

const error = (run: () => unknown): string => {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof TemplateRefused) return `${thrown.code} ${thrown.message}`;
    throw thrown;
  }
  return 'none';
};
const gives = (t: Test, wanted: string, run: () => unknown, why = wanted): unknown => t.equal(error(run), wanted, why);

t.test('getblocktemplate checks node state, longpollid and rules with the messages of Core', async (t) => {
  const state = { isTestChain: false, hasNetwork: true, connections: 1, initialBlockDownload: false };
  gives(t, 'none', () => checkTemplateReadiness(state));
  gives(t, '-31 Error: Peer-to-peer functionality missing or disabled', () =>
    checkTemplateReadiness({ ...state, hasNetwork: false, connections: 0 }),
  );
  gives(t, '-9 Bitcoin Core is not connected!', () => checkTemplateReadiness({ ...state, connections: 0, initialBlockDownload: true }));
  gives(t, '-10 Bitcoin Core is in initial sync and waiting for blocks...', () =>
    checkTemplateReadiness({ ...state, initialBlockDownload: true }),
  );
  gives(t, 'none', () => checkTemplateReadiness({ isTestChain: true, hasNetwork: false, connections: 0, initialBlockDownload: true }));
  const current = { tipHex: 'ff', counter: 3 };
  const tip = '0F'.repeat(32);
  t.equal(parseLongPollId(null, current), null);
  t.equal(parseLongPollId(true, current), current);
  t.same(parseLongPollId(`${tip}114`, current), { tipHex: tip.toLowerCase(), counter: 114 });
  t.same(parseLongPollId(`${tip} +7x`, current), { tipHex: tip.toLowerCase(), counter: 7 });
  t.same(parseLongPollId(`${tip}-1`, current), { tipHex: tip.toLowerCase(), counter: 0xffffffff });
  t.same(parseLongPollId(`${tip}4294967297`, current), { tipHex: tip.toLowerCase(), counter: 1 });
  t.same(parseLongPollId(`${tip}${'9'.repeat(50)}`, current), { tipHex: tip.toLowerCase(), counter: 0xffffffff });
  t.same(parseLongPollId(`${tip}zz`, current), { tipHex: tip.toLowerCase(), counter: 0 });
  gives(
    t,
    `-8 longpollid must be hexadecimal string (not '${'é'.repeat(32)}')`,
    () => parseLongPollId('é'.repeat(40), current),
    'cut after 64 bytes',
  );
  gives(t, "-8 longpollid must be of length 64 (not 2, for 'zz')", () => parseLongPollId('zz', current));
  t.match(
    error(() => checkTemplateRules(['!segwit'], false)),
    /^-8 getblocktemplate must be called with the segwit rule set/,
  );
  gives(t, 'none', () => checkTemplateRules(['segwit'], false));
});
