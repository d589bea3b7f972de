// Describes the machine and the checkout on which a bench ran. Figures cannot be interpreted without them.

import { execFileSync } from 'node:child_process';
import os from 'node:os';

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly platform: string;
  readonly node: string;
  /** Load average over the last minute. Other load distorts the figures. */
  readonly load: number;
  /** Short commit id, followed by + if the tree has changes; "unknown" outside a repository. */
  readonly commit: string;
}

function commitId(): string {
  try {
    const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
    const dirty = git('status', '--porcelain', '--untracked-files=no') === '' ? '' : '+';
    return git('rev-parse', '--short', 'HEAD') + dirty;
  } catch {
    return 'unknown';
  }
}

/** Returns facts about this machine and checkout. */
export function describeMachine(): Machine {
  return {
    cpu: os.cpus()[0]?.model.trim() ?? 'unknown',
    cores: os.availableParallelism(),
    memoryGb: Math.round(os.totalmem() / 2 ** 30),
    platform: `${process.platform}-${process.arch}`,
    node: process.version,
    load: os.loadavg()[0],
    commit: commitId(),
  };
}
