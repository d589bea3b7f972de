// Our networks against Core's dump of its own. Hashes in the dump are in internal order.

import { fromHex, toHex } from '../../src/consensus/bytes/hex.js';
import { type ChainName, retargetInterval } from '../../src/consensus/params/chain-params.js';
import { chainParams } from '../../src/consensus/params/networks.js';
import { createPureHashes } from '../../src/crypto/pure.js';
import { filesSuite, readJson } from '../framework/vector-suite.js';

interface Dump {
  chain: ChainName;
  test_chain: boolean;
  genesis: string;
  subsidy_halving_interval: number;
  signet?: { challenge: string };
  pow: { limit: string; target_spacing?: number; difficulty_retarget_interval?: number; mindiff_blocks?: 'no' | 'yes' | 'bip94' };
  net: { default_port: number; magic: string; dns_seeds: string[] };
  addresses: { bech32_hrp: string };
}

/** The challenge of the signet that everybody means: two keys, of which one signs. */
const DEFAULT_SIGNET =
  '512103ad5e0edad18cb1f0fc0d28a3d4f1f3e445640337489abb10404f2d1e086be430210359ef5021964fe22d6f8e05b2463c9540ce96883fe3b278760f048f5189f2e6c452ae';

filesSuite('chainparams', /\.json$/, 'parameters', (t, name) => {
  const dump = readJson<Dump>(`chainparams/${name}`);
  const custom = dump.signet !== undefined && dump.signet.challenge !== DEFAULT_SIGNET;
  const challenge = custom ? { signetChallenge: fromHex(dump.signet!.challenge) } : {};
  const params = chainParams(dump.chain, challenge, createPureHashes());
  t.equal(params.isTestChain, dump.test_chain);
  t.equal(toHex(params.genesisHash), dump.genesis);
  t.equal(params.halvingInterval, dump.subsidy_halving_interval);
  t.equal(params.signetChallenge && toHex(params.signetChallenge), dump.signet?.challenge ?? null);
  t.equal(params.powLimit.toString(16).padStart(64, '0'), dump.pow.limit);
  if (dump.pow.mindiff_blocks !== undefined) {
    t.equal(params.powTargetSpacing, dump.pow.target_spacing);
    t.equal(retargetInterval(params), dump.pow.difficulty_retarget_interval);
    t.equal(params.allowMinDifficultyBlocks, dump.pow.mindiff_blocks !== 'no');
    t.equal(params.enforceBip94, dump.pow.mindiff_blocks === 'bip94');
  }
  t.equal(params.p2pPort, dump.net.default_port);
  t.equal(toHex(params.magic), dump.net.magic);
  // Regtest's entry is a name that cannot resolve; ours has none.
  t.same(params.dnsSeeds, dump.chain === 'regtest' ? [] : dump.net.dns_seeds);
  t.equal(params.bech32Hrp, dump.addresses.bech32_hrp);
});
