import { none } from '../../declare/parts.js';
import type { MethodSpec } from '../../declare/types.js';

export const syncwithvalidationinterfacequeue: MethodSpec = {
  name: 'syncwithvalidationinterfacequeue',
  category: 'hidden',
  runs: 'node',
  description: 'Waits until everything that was on its way when the call came has been handled.',
  args: [],
  results: [none()],
  examples: [{ cli: '', rpc: '' }],
};
