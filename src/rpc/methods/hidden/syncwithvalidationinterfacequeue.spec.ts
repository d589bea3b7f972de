import { none } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const syncwithvalidationinterfacequeue: MethodSpec = {
  name: 'syncwithvalidationinterfacequeue',
  category: 'hidden',
  runs: 'node',
  description: 'Waits until all events that were pending when the call arrived have been handled.',
  args: [],
  results: [none()],
  examples: [{ cli: '', rpc: '' }],
};
