// Every parser of the long fuzz suite.
import { edgeTargets } from './edge-targets.js';
import { lawTargets } from './law-targets.js';
import { peerTargets } from './peer-targets.js';
import { storeTargets } from './store-targets.js';
import { stratumTargets } from './stratum-targets.js';
import { sv2Targets } from './sv2-targets.js';
import type { Target } from './target.js';
import { textTargets } from './text-targets.js';

export const parserTargets: readonly Target[] = [
  ...lawTargets,
  ...storeTargets,
  ...peerTargets,
  ...textTargets,
  ...edgeTargets,
  ...sv2Targets,
  ...stratumTargets,
];
