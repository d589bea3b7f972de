// When templates for clients of miners are made while the chain is ahead of their last message, and after a build that
// failed.
import t from 'tap';
import { chainParams } from '../../../src/consensus/params/networks.js';
import { createNativeHashes } from '../../../src/crypto/native/hashes.js';
import type { WorkNews } from '../../../src/mining/messages.js';
import { Provider, type ProviderDeps } from '../../../src/mining/provider.js';
import { nothingChosen } from '../../../src/template/assembly.js';
import type { TemplateChoice } from '../../../src/template/client-templates.js';
import type { TemplateTip } from '../../../src/template/source.js';
import type { TipFacts } from '../../../src/template/tip-facts.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const RESERVE = { weight: 4000, sigops: 400 };

function tipAt(height: number): TemplateChoice {
  const tip = { hash: new Uint8Array(32).fill(height), prev: null } as unknown as TemplateTip;
  const facts = { height: height + 1, version: 4, subsidy: 50, segwitActive: true, minTime: 5, bits: 0x207fffff, minDifficulty: null };
  return { tip, facts: facts as unknown as TipFacts, chosen: nothingChosen(RESERVE.weight) };
}

function rig() {
  const posted: WorkNews[] = [];
  const errors: string[] = [];
  const timers: { ms: number; run: () => void }[] = [];
  const state = { at: tipAt(1), fails: false, asked: 0 };
  const provider = new Provider(
    { name: 'Stratum V2', intervalMs: 30_000, feeDelta: 1000, maxWeight: 4_000_000, leastReserve: RESERVE },
    {
      templates: {
        get tip() {
          return state.at;
        },
        choose: async () => {
          // Stops a provider that requests builds without an event-loop tick in between.
          if (++state.asked > 1000) await new Promise(() => {});
          if (state.fails) throw new Error('no thread');
          return state.at;
        },
      },
      params: chainParams('regtest'),
      hashes: createNativeHashes(),
      clock: { nowSeconds: () => 100, monotonicMs: () => 0 } as unknown as ProviderDeps['clock'],
      log: { error: (text: string) => errors.push(text) } as unknown as ProviderDeps['log'],
      wanted: () => true,
      post: (message) => posted.push(message),
      after: (ms, run) => {
        const timer = { ms, run };
        timers.push(timer);
        return () => {
          if (timers.includes(timer)) timers.splice(timers.indexOf(timer), 1);
        };
      },
    },
  );
  const kinds = (): string[] => posted.splice(0).map(({ kind }) => kind);
  return { provider, state, timers, errors, kinds };
}

t.test('asks for a template again later while its tip is not announced to clients yet', async (t) => {
  const { provider, state, timers, kinds } = rig();
  provider.onTip(1);
  // The chain continues before the build begins. More blocks follow, so clients get nothing until the last.
  state.at = tipAt(2);
  provider.setNeeds([RESERVE]);
  for (let i = 0; i < 5; i++) await turn();
  t.equal(state.asked, 1);
  t.same(kinds(), ['tip']);
  t.equal(timers.length, 1);
  timers.splice(0)[0]!.run();
  for (let i = 0; i < 5; i++) await turn();
  t.equal(state.asked, 2, 'again after a while');
  provider.onTip(2);
  for (let i = 0; i < 5; i++) await turn();
  t.same(kinds(), ['tip', 'share', 'stage'], 'and at once when clients know the tip');
  t.equal(state.asked, 3);
  t.equal(timers.length, 0);
});

t.test('builds at once on a new tip, without waiting for the retry of a failed build', async (t) => {
  const { provider, state, timers, errors, kinds } = rig();
  state.fails = true;
  provider.onTip(1);
  provider.setNeeds([RESERVE]);
  for (let i = 0; i < 5; i++) await turn();
  t.equal(errors.length, 1);
  t.same(
    timers.map(({ ms }) => ms),
    [1000],
  );
  kinds();
  state.fails = false;
  state.at = tipAt(2);
  provider.onTip(2);
  for (let i = 0; i < 5; i++) await turn();
  t.same(kinds(), ['tip', 'share', 'stage']);
  t.equal(timers.length, 0);
  provider.close();
});
