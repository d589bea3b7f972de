import type { NodeRun } from '../../context/node.js';
import type { getrpcinfo as spec } from './getrpcinfo.spec.js';

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
