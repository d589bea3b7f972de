// The facts of adit's own parameters, in the form of core-facts.ts.
import { hashToHex, toHex } from '../../src/consensus/bytes/hex.js';
import type { ChainName } from '../../src/consensus/params/chain-params.js';
import { chainParams } from '../../src/consensus/params/networks.js';
import type { Facts } from './core-facts.js';

/** Bits of script flags by Core's names, as far as exceptions name them. */
const FLAG_NAMES: ReadonlyMap<number, string> = new Map([
  [0, 'SCRIPT_VERIFY_NONE'],
  [1 | 2048, 'SCRIPT_VERIFY_P2SH | SCRIPT_VERIFY_WITNESS'],
]);

const wide = (value: bigint): string => value.toString(16).padStart(64, '0');
const keyBytes = (version: number): string =>
  toHex(Uint8Array.of(version >>> 24, (version >>> 16) & 255, (version >>> 8) & 255, version & 255))
    .toUpperCase()
    .match(/../g)!
    .map((byte) => `0x${byte}`)
    .join(', ');

export function aditFacts(network: ChainName): Facts {
  const params = chainParams(network);
  const { activity, headersSync, base58 } = params;
  return {
    p2pPort: String(params.p2pPort),
    pruneAfterHeight: String(params.pruneAfterHeight),
    assumedBlocksGb: String(params.assumedBlocksGb),
    assumedChainStateGb: String(params.assumedChainStateGb),
    minimumChainWork: params.minimumChainWork === 0n ? '' : wide(params.minimumChainWork),
    assumeValid: params.assumeValid ?? '',
    bip34Height: String(params.bip34Height),
    bip34Hash: params.bip34Hash === null ? '' : hashToHex(params.bip34Hash),
    bip65Height: String(params.bip65Height),
    bip66Height: String(params.bip66Height),
    csvHeight: String(params.csvHeight),
    segwitHeight: String(params.segwitHeight),
    unknownVotesFrom: String(params.unknownVotesFrom),
    powLimit: wide(params.powLimit),
    powTargetTimespan: String(params.powTargetTimespan),
    powTargetSpacing: String(params.powTargetSpacing),
    halvingInterval: String(params.halvingInterval),
    allowMinDifficultyBlocks: String(params.allowMinDifficultyBlocks),
    noRetargeting: String(params.noRetargeting),
    enforceBip94: String(params.enforceBip94),
    bech32Hrp: params.bech32Hrp,
    ...(params.signetChallenge === null ? {} : { signetChallenge: toHex(params.signetChallenge) }),
    genesisHash: hashToHex(params.genesisHash),
    ruleChangeThreshold: String(params.ruleChangeThreshold),
    minerConfirmationWindow: String(params.minerConfirmationWindow),
    'activity.time': String(activity.time),
    'activity.transactions': String(activity.transactions),
    'activity.rate': String(activity.rate),
    'headersSync.period': String(headersSync.period),
    'headersSync.buffer': String(headersSync.buffer),
    dnsSeeds: params.dnsSeeds.join('\n'),
    scriptFlagExceptions: [...params.scriptFlagExceptions].map(([hash, flags]) => `${hash} ${FLAG_NAMES.get(flags) ?? flags}`).join('\n'),
    assumedCoins: params.assumedCoins
      .map((coins) => `${coins.height} ${coins.coinsHash} ${coins.chainTxCount} ${coins.blockHash}`)
      .join('\n'),
    deployments: params.deployments.map(({ name, bit }) => `${name.toUpperCase()} ${bit}`).join('\n'),
    // A signet's magic is a hash of its challenge, in Core too.
    ...(network === 'signet' ? {} : { magic: toHex(params.magic).match(/../g)!.join('\n') }),
    base58: [base58.p2pkh, base58.p2sh, base58.wif, keyBytes(base58.xpub), keyBytes(base58.xprv)].join('\n'),
  };
}
