// Reads the facts about a network out of the source of Bitcoin Core (src/kernel/chainparams.cpp and
// src/chainparamsseeds.h), as text and numbers that compare with those of adit's parameters.
import type { ChainName } from '../../src/consensus/params/chain-params.js';

/** Facts by name. Hashes in display hex, lists as text. */
export type Facts = Readonly<Record<string, string>>;

const CLASSES: Readonly<Record<ChainName, string>> = {
  main: 'CMainParams',
  test: 'CTestNetParams',
  testnet4: 'CTestNet4Params',
  signet: 'SigNetParams',
  regtest: 'CRegTestParams',
};
/** Names of the arrays of fixed seeds; regtest has none. */
const SEED_ARRAYS: Readonly<Record<ChainName, string | null>> = {
  main: 'main',
  test: 'test',
  testnet4: 'testnet4',
  signet: 'signet',
  regtest: null,
};

/** Facts that are one number, hash or text: where the source has them. The first match counts. */
const SINGLE: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['p2pPort', /nDefaultPort = (\d+);/],
  ['pruneAfterHeight', /nPruneAfterHeight = (?:opts\.fastprune \? 100 : )?(\d+);/],
  ['assumedBlocksGb', /m_assumed_blockchain_size = (\d+);/],
  ['assumedChainStateGb', /m_assumed_chain_state_size = (\d+);/],
  ['minimumChainWork', /nMinimumChainWork = uint256\{"?([0-9a-f]*)"?\};/],
  ['assumeValid', /defaultAssumeValid = uint256\{"?([0-9a-f]*)"?\};/],
  ['bip34Height', /BIP34Height = (\d+);/],
  ['bip34Hash', /BIP34Hash = uint256[({]"?([0-9a-f]*)"?[)}];/],
  ['bip65Height', /BIP65Height = (\d+);/],
  ['bip66Height', /BIP66Height = (\d+);/],
  ['csvHeight', /CSVHeight = (\d+);/],
  ['segwitHeight', /SegwitHeight = (\d+);/],
  ['unknownVotesFrom', /MinBIP9WarningHeight = (\d+);/],
  ['powLimit', /powLimit = uint256\{"([0-9a-f]+)"\};/],
  ['powTargetTimespan', /nPowTargetTimespan = ([\d* ]+);/],
  ['powTargetSpacing', /nPowTargetSpacing = ([\d* ]+);/],
  ['halvingInterval', /nSubsidyHalvingInterval = (\d+);/],
  ['allowMinDifficultyBlocks', /fPowAllowMinDifficultyBlocks = (true|false);/],
  ['noRetargeting', /fPowNoRetargeting = (true|false);/],
  ['enforceBip94', /enforce_BIP94 = (true|false|opts\.enforce_bip94);/],
  ['bech32Hrp', /bech32_hrp = "(\w+)";/],
  ['signetChallenge', /bin = "([0-9a-f]+)"_hex_v_u8;/],
  ['genesisHash', /hashGenesisBlock == uint256\{"([0-9a-f]{64})"\}/],
  ['ruleChangeThreshold', /DEPLOYMENT_TESTDUMMY\]\.threshold = (\d+);/],
  ['minerConfirmationWindow', /DEPLOYMENT_TESTDUMMY\]\.period = (\d+);/],
  ['activity.time', /chainTxData = ChainTxData\{[^}]*?\.nTime *= (\d+),/],
  ['activity.transactions', /chainTxData = ChainTxData\{[^}]*?\.tx_count *= (\d+),/],
  ['activity.rate', /chainTxData = ChainTxData\{[^}]*?\.dTxRate *= ([\d.]+),/],
  ['headersSync.period', /\.commitment_period = (\d+),/],
  ['headersSync.buffer', /\.redownload_buffer_size = (\d+),/],
];

/** Facts that are lists: each match is an entry, its groups joined. */
const LISTS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['dnsSeeds', /vSeeds\.emplace_back\("([^"]+)"\);/g],
  ['scriptFlagExceptions', /script_flag_exceptions\.emplace\([^"]*"([0-9a-f]{64})"\}, ([A-Z0-9_| ]+)\);/g],
  [
    'assumedCoins',
    /\.height = ([\d']+),\s*\.hash_serialized = AssumeutxoHash\{uint256\{"([0-9a-f]{64})"\}\},\s*\.m_chain_tx_count = (\d+),\s*\.blockhash = uint256\{"([0-9a-f]{64})"\}/g,
  ],
  ['deployments', /vDeployments\[Consensus::DEPLOYMENT_(\w+)\]\.bit = (\d+);/g],
  ['magic', /pchMessageStart\[\d\] = 0x([0-9a-f]{2});/g],
  ['base58', /base58Prefixes\[\w+\] = +(?:std::vector<unsigned char>\(1,(\d+)\)|\{([0-9A-Fx, ]+)\});/g],
];

/** @param source chainparams.cpp @throws Error when the network's class is not there */
export function coreFacts(source: string, network: ChainName): Facts {
  const start = source.indexOf(`class ${CLASSES[network]} `);
  if (start < 0) throw new Error(`there is no class ${CLASSES[network]} in chainparams.cpp`);
  const text = source.slice(start, source.indexOf('\n};', start));
  const facts: Record<string, string> = {};
  for (const [name, pattern] of SINGLE) {
    const found = pattern.exec(text)?.[1];
    if (found !== undefined)
      facts[name] = found.includes('*') ? String(found.split('*').reduce((all, part) => all * Number(part), 1)) : found;
  }
  for (const [name, pattern] of LISTS) {
    const entries = [...text.matchAll(pattern)].map((match) => match.slice(1).filter(Boolean).join(' ').replaceAll("'", ''));
    if (entries.length > 0) facts[name] = entries.join('\n');
  }
  return facts;
}

/** @param source chainparamsseeds.h @returns records as in BIP-0155, one after the other */
export function coreSeeds(source: string, network: ChainName): Buffer {
  const name = SEED_ARRAYS[network];
  if (name === null) return Buffer.alloc(0);
  const body = new RegExp(`chainparams_seed_${name}\\[\\] = \\{([^}]*)\\}`).exec(source)?.[1];
  if (body === undefined) throw new Error(`there is no array chainparams_seed_${name} in chainparamsseeds.h`);
  return Buffer.from(body.match(/0x[0-9a-f]{2}/g)?.map(Number) ?? []);
}
