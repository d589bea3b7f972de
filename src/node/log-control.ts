// Log categories for the logging call. Fronts read in shared memory whether their categories are on.
import { type SharedState, STATE_FLAG } from '../link/shared-state.js';
import { listedCategories } from '../log/categories.js';
import type { NodeLogger } from '../log/create-logger.js';
import type { Compat } from '../policy/compat.js';
import type { LogControl } from '../rpc/context/node.js';

export function createLogControl(log: NodeLogger, state: SharedState, compat: Pick<Compat, 'name'>): LogControl {
  const show = (): void => {
    state.set(STATE_FLAG.LOG_HTTP, log.shows('http'));
    state.set(STATE_FLAG.LOG_RPC, log.shows('rpc'));
  };
  const switchCategory = (name: string, on: boolean): boolean => {
    const known = log.setCategory(name, on);
    show();
    return known;
  };
  show();
  return {
    categories: () => listedCategories(compat).map((name) => [name, log.isOn(name)]),
    enable: (name) => switchCategory(name, true),
    disable: (name) => switchCategory(name, false),
    path: log.path,
    info: (line) => log.info(line),
  };
}
