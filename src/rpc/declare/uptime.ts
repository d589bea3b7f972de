// Declares uptime; types.ts says what a declaration is for.
import type { MethodSpec } from './types.js';

export const uptime: MethodSpec = {
  name: 'uptime',
  category: 'control',
  runs: 'front',
  description: 'Seconds since the server started.',
  args: [],
  results: [{ type: 'num', help: 'The seconds' }],
  examples: [{ cli: '', rpc: '' }],
};
