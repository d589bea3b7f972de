// The phases of the power suite. npm test takes the first two.
import { checkpoints } from './engine.js';
import { beginning, connecting, downloading, indexing, reorganising } from './feeding.js';
import { loading, validating } from './loading.js';
import { paying } from './paying.js';
import type { Phase } from './phase.js';
import { pruning } from './pruning.js';
import { recovering, recoveringTwice } from './recovering.js';
import { scanning } from './scanning.js';
import { mining, solving } from './solving.js';
import { wallets } from './wallets.js';

export const PHASES: readonly Phase[] = [
  paying,
  reorganising,
  wallets,
  beginning,
  downloading,
  connecting,
  indexing,
  pruning,
  loading,
  recovering,
  validating,
  scanning,
  solving,
  mining,
  recoveringTwice,
  checkpoints,
];
