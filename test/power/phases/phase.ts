// Common parts of the phases of the power suite. A phase is a kind of work that is recorded from a daemon's start to
// its end. Cuts of the recording are checked against what was acknowledged before them.
import { Daemon } from '../../framework/daemon.js';
import type { Cut, Judge } from '../cuts.js';
import type { Recording } from '../recording.js';

/** A recorded life, with what is needed to judge its cuts. */
export interface Story {
  readonly recording: Recording;
  /** Options of a daemon that starts on the remains of a cut. */
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

/** Judges by a daemon that is started over the folder, without -reindex, and stopped in the end. */
export function byDaemon(options: readonly string[], judge: (node: Daemon, cut: Cut) => Promise<string[]>): Judge {
  return async (image, cut) => {
    const node = await Daemon.over(image, ...options);
    try {
      await node.up();
      const wrong = await judge(node, cut);
      await node.stop();
      return wrong;
    } finally {
      await node.remove();
    }
  };
}
