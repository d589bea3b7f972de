// Reads large bodies in time slices.
import { yieldInQueue } from '../../lib/time-slice.js';

/** Smallest body that is read in slices. */
export const LONG_BODY_BYTES = 64 * 1024;

/** A body that is being read. */
export interface Reading {
  /**
   * Continues reading.
   * @param ms milliseconds after which to pause; at least something is read even if it is 0
   * @returns whether the end was reached
   */
  goOn(ms: number): boolean;
}

/**
 * Reads a body to its end. Several bodies and other long work take turns, one slice per event-loop tick.
 * @returns whether the end was reached: false if the client has disconnected
 */
export async function readInSlices(reading: Reading, sliceMs: number, isDisconnected: () => boolean): Promise<boolean> {
  while (!isDisconnected()) {
    if (reading.goOn(sliceMs)) return true;
    await yieldInQueue();
  }
  return false;
}
