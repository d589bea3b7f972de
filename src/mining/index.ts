// Face of this module for the node thread, and messages to threads that serve miners.
export { type BlockFacts, describeTip, nextFacts, sameFacts } from './describe.js';
export {
  type FoundBlock,
  type LogLine,
  type Reserve,
  reserveKey,
  type ServedTemplate,
  type ServedTip,
  type SharedTransactions,
  type SolutionOutcome,
  type WorkNews,
} from './messages.js';
export { Provider } from './provider.js';
export { Solutions } from './solutions.js';
