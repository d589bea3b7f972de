// The log's categories for the logging call; fronts read in shared memory whether theirs are on.
import { type SharedState, STATE_FLAG } from '../link/shared-state.js';
import type { NodeLogger } from '../log/create-logger.js';
import type { Compat } from '../policy/compat.js';
import type { LogControl } from '../rpc/context/node.js';

/** The release that has addresses of I2P. */
const I2P_SINCE = 22;

export function createLogControl(log: NodeLogger, state: SharedState, { replies }: Pick<Compat, 'replies'>): LogControl {
  const show = (): void => {
    const on = log.categories();
    state.set(STATE_FLAG.LOG_HTTP, on.http === true);
    state.set(STATE_FLAG.LOG_RPC, on.rpc === true);
  };
  const switchCategory = (name: string, on: boolean): boolean => {
    const known = log.setCategory(name, on);
    show();
    return known;
  };
  show();
  return {
    categories: () => Object.entries(log.categories()).filter(([name]) => name !== 'i2p' || replies.newest >= I2P_SINCE),
    enable: (name) => switchCategory(name, true),
    disable: (name) => switchCategory(name, false),
    path: log.path,
    info: (line) => log.info(line),
  };
}
