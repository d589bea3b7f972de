// Counters and gauges of a front.
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
 * Name of a counter. connectionsOpen, exchangesOpen, waiters, callsOnNode, callBytesOnNode, heldBytes, and heapBytes
 * are gauges.
 */
export type FrontCounterName = (typeof NAMES)[number];

export type FrontFigures = Record<FrontCounterName, number>;

/** A view of a front's counters. */
export class FrontCounters extends SharedCounters<FrontCounterName> {
  /** @param buffer of an existing view; default: a new one */
  constructor(buffer?: SharedArrayBuffer) {
    super(NAMES, buffer);
  }
}
