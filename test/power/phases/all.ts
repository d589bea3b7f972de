// The phases of the power suite.
import { beginning, connecting, downloading, reorganising } from './feeding.js';
import { paying } from './paying.js';
import type { Phase } from './phase.js';

export const PHASES: readonly Phase[] = [paying, beginning, downloading, connecting, reorganising];
