// Adapts the shared state to the interface of template/view, for fronts and the node thread.

import { type SharedState, STATE_FLAG } from '../../link/shared-state.js';
import type { TemplateState } from '../../template/view/template-view.js';

/**
 * Creates a view that reads the current values at each access.
 * @param stopping returns whether waiting calls must end because the server stops
 */
export function templateState(state: SharedState, stopping = () => state.has(STATE_FLAG.SHUTTING_DOWN)): TemplateState {
  return {
    get mempoolCounter() {
      return state.mempoolCounter;
    },
    get isTestChain() {
      return state.has(STATE_FLAG.TEST_CHAIN);
    },
    get hasNetwork() {
      return state.has(STATE_FLAG.NETWORK);
    },
    get connections() {
      return state.connections;
    },
    get initialBlockDownload() {
      return state.has(STATE_FLAG.INITIAL_BLOCK_DOWNLOAD);
    },
    get shuttingDown() {
      return stopping();
    },
    nowSeconds: () => state.nowSeconds(),
  };
}
