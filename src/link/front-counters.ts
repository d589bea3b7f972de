// What a front counts.
import { SharedCounters } from '../lib/shared-counters.js';

const NAMES = [
  'connectionsOpen',
  'requests',
  'exchangesOpen',
  'waiters',
  'refusedQueueFull',
  'refusedAuth',
  'refusedAddress',
  'evictedReaders',
  'abortedByClient',
  'repliesSliced',
  'callsOnNode',
  'callBytesOnNode',
  'heldBytes',
  'readersCutOff',
  'loopLagMs',
  'heapBytes',
] as const;

/**
 * What a front counts. connectionsOpen, exchangesOpen, waiters, callsOnNode, callBytesOnNode, heldBytes and
 * heapBytes go up and down.
 */
export type FrontCounterName = (typeof NAMES)[number];

/** The figures by name. */
export type FrontFigures = Record<FrontCounterName, number>;

/** A view of a front's counters. */
export class FrontCounters extends SharedCounters<FrontCounterName> {
  /** @param buffer of the other end's view; a new one without */
  constructor(buffer?: SharedArrayBuffer) {
    super(NAMES, buffer);
  }
}
