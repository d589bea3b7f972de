// What the phases of the power suite have in common. A phase is a way of working that is recorded from a daemon's start
// to its end; cuts of the recording are judged by what was acknowledged before them.
import type { Judge } from '../cuts.js';
import type { Recording } from '../recording.js';

/** A recorded life, with what is needed to judge its cuts. */
export interface Story {
  readonly recording: Recording;
  /** Of the daemons that are started after cuts. */
  readonly options: readonly string[];
  readonly judge: Judge;
}

export interface Phase {
  readonly name: string;
  /** @param shim the library that goes below the daemon */
  tell(seed: number, shim: string): Promise<Story>;
}

/** Enough for ripe coinbases. */
export const RUN_UP = 110;
