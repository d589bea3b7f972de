import { ADDED } from '../../../policy/compat.js';
import type { NodeRun } from '../../context/node.js';
import { declare } from '../../declare/parameters.js';
import { arr, num, obj, str } from '../../declare/parts.js';

export const spec = declare({
  name: 'getrpcinfo',
  category: 'control',
  runs: 'node',
  repeatable: true,
  description: 'Returns the state of the RPC server.',
  args: [],
  results: [
    obj([
      arr('active_commands', 'Calls in progress', [obj([str('method', 'The method'), num('duration', 'Running time in microseconds')])]),
      str('logpath', 'Absolute path of the log file'),
      str('adit_version', 'Version of adit', { since: ADDED }),
      str('adit_commit?', 'Commit that adit was built from; absent when the build had no git repository', { since: ADDED }),
    ]),
  ],
  examples: [{ cli: '', rpc: '' }],
});

export const getrpcinfo: NodeRun<typeof spec> = async (_, ctx) => {
  const calls = await ctx.activeCommands();
  const now = ctx.clock.monotonicMs();
  return {
    active_commands: calls.map(({ method, startedMs }) => ({
      method,
      duration: Math.max(0, Math.round((now - startedMs) * 1000)),
    })),
    logpath: ctx.log.path,
    adit_version: ctx.adit.version,
    ...(ctx.adit.commit !== null && { adit_commit: ctx.adit.commit }),
  };
};
