// Counters of a node's fleet thread, in shared memory.
import { SharedCounters } from '../../lib/shared-counters.js';

const NAMES = ['connected', 'facts', 'templates', 'templateBytes', 'callsUnderWay', 'callsTaken', 'callsRefused', 'foundBlocks'] as const;

export type PublishCounterName = (typeof NAMES)[number];

/** The counters by name. `connected` and `callsUnderWay` rise and fall. */
export type PublishFigures = Record<PublishCounterName, number>;

/** A view of the thread's counters. */
export class PublishCounters extends SharedCounters<PublishCounterName> {
  /** @param buffer of the other end's view; a new buffer if omitted */
  constructor(buffer?: SharedArrayBuffer) {
    super(NAMES, buffer);
  }
}
