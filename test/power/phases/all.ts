// The phases of the power suite.
import { paying } from './paying.js';
import type { Phase } from './phase.js';

export const PHASES: readonly Phase[] = [paying];
