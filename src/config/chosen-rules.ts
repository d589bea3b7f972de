// Consensus rules that the operator can change on test networks: activation heights on regtest, and the challenge of a
// signet.
import type { ChainName } from '../consensus/params/chain-params.js';
import { BURIED_RULES, type BuriedRule, chainParams, type RegtestVariant } from '../consensus/params/networks.js';
import { type Compat, only } from '../policy/compat.js';
import { ConfigError } from './args.js';
import type { OWN_ROWS } from './own-rows.js';
import type { RowValues } from './rows.js';

/** Differences from the standard network of the same name. */
export interface ChosenRules {
  readonly signetChallengeHex: string | undefined;
  /** Seed nodes of -signetseednode; empty: use the seed nodes of the network. */
  readonly signetSeedNodes: readonly string[];
  /** Heights of -testactivationheight and -segwitheight; -1: never. */
  readonly activationHeights: Readonly<Partial<Record<BuriedRule, number>>>;
  readonly vbparams: readonly { name: string; startTime: bigint; timeout: bigint; minActivationHeight: number }[];
  /** Parameters of regtest that -compat or -test changes. */
  readonly regtest: RegtestVariant;
}

type Given = RowValues<typeof OWN_ROWS>;

/** Reads these options. @throws ConfigError */
export function chosenRules(given: Given, chain: ChainName, compat: Compat): ChosenRules {
  const { signetChallengeHex, signetSeedNodes } = given;
  if (chain !== 'regtest') {
    if (given.testOptions.length > 0) throw new ConfigError('-test=<option> can only be used with regtest');
    return { signetChallengeHex, signetSeedNodes, activationHeights: {}, vbparams: [], regtest: {} };
  }
  return {
    signetChallengeHex,
    signetSeedNodes,
    activationHeights: activationHeights(given, compat.activationHeights),
    vbparams: vbparams(given.vbparams, compat),
    regtest: { ...compat.regtest, ...(given.testOptions.includes('bip94') ? { enforceBip94: true } : {}) },
  };
}

/** Parses -vbparams. @throws ConfigError */
function vbparams(texts: readonly string[], compat: Compat): ChosenRules['vbparams'] {
  return texts.map((text) => {
    const parts = text.split(':');
    if (parts.length < 3 || parts.length > 4)
      throw new ConfigError('Version bits parameters malformed, expecting deployment:start:end[:min_activation_height]');
    const whole = (value: string, what: string): bigint => {
      if (!/^-?\d{1,19}$/.test(value)) throw new ConfigError(`Invalid ${what} (${value})`);
      return BigInt(value);
    };
    const change = {
      name: parts[0]!,
      startTime: whole(parts[1]!, 'nStartTime'),
      timeout: whole(parts[2]!, 'nTimeout'),
      minActivationHeight: Number(parts[3] === undefined ? 0n : whole(parts[3], 'min_activation_height')),
    };
    // Taproot is not a deployment since release 32.
    const known = chainParams('regtest').deployments.some(({ name }) => name === change.name);
    if (!known || (change.name === 'taproot' && only(compat, 32))) {
      throw new ConfigError(`Invalid deployment (${change.name})`);
    }
    return change;
  });
}

/** Parses -testactivationheight, each name@height, over the heights of the release. @throws ConfigError */
function activationHeights(given: Given, usual: ChosenRules['activationHeights']): ChosenRules['activationHeights'] {
  const heights: Partial<Record<BuriedRule, number>> = { ...usual };
  if (given.segwitHeight !== undefined) {
    heights.segwit = given.segwitHeight;
    if (heights.segwit < -1)
      throw new ConfigError(`Activation height ${heights.segwit} for segwit is out of valid range. Use -1 to disable segwit.`);
  }
  for (const text of given.activationHeights) {
    const wrong = (what: string): never => {
      throw new ConfigError(`Invalid ${what} (${text}) for -testactivationheight=name@height.`);
    };
    const at = text.indexOf('@');
    if (at < 0) wrong('format');
    const height = text.slice(at + 1);
    if (!/^\d{1,10}$/.test(height) || Number(height) >= 2 ** 31 - 1) wrong('height value');
    const rule = BURIED_RULES.find((name) => name === text.slice(0, at)) ?? wrong('name');
    heights[rule] = Number(height);
  }
  return heights;
}
