// The checks of getblocktemplate that depend on the state of the node.
import t from 'tap';
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

t.test('getblocktemplate checks node state, longpollid and rules with the messages of Core', async (t) => {
  const state = { isTestChain: false, hasNetwork: true, connections: 1, initialBlockDownload: false };
  t.equal(
    error(() => checkTemplateReadiness(state)),
    'none',
  );
  t.equal(
    error(() => checkTemplateReadiness({ ...state, hasNetwork: false, connections: 0 })),
    '-31 Error: Peer-to-peer functionality missing or disabled',
  );
  t.equal(
    error(() => checkTemplateReadiness({ ...state, connections: 0, initialBlockDownload: true })),
    '-9 Bitcoin Core is not connected!',
  );
  t.equal(
    error(() => checkTemplateReadiness({ ...state, initialBlockDownload: true })),
    '-10 Bitcoin Core is in initial sync and waiting for blocks...',
  );
  t.equal(
    error(() => checkTemplateReadiness({ isTestChain: true, hasNetwork: false, connections: 0, initialBlockDownload: true })),
    'none',
  );
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
  t.equal(
    error(() => parseLongPollId('é'.repeat(40), current)),
    `-8 longpollid must be hexadecimal string (not '${'é'.repeat(32)}')`,
    'cut after 64 bytes',
  );
  t.equal(
    error(() => parseLongPollId('zz', current)),
    "-8 longpollid must be of length 64 (not 2, for 'zz')",
  );
  t.match(
    error(() => checkTemplateRules(['!segwit'], false)),
    /^-8 getblocktemplate must be called with the segwit rule set/,
  );
  t.equal(
    error(() => checkTemplateRules(['segwit'], false)),
    'none',
  );
});
