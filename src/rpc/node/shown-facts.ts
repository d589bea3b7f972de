// Facts that several methods show in the same form: warnings, and the challenge of a signet.
import { follows, shows } from '../../policy/compat.js';
import type { NodeContext } from '../context/node.js';
import { bytesHex } from '../render/hex.js';
import type { JsonResult } from '../wire/values.js';

/** Returns warnings as a list. Before release 28, and with -deprecatedrpc=warnings until release 29, as one text. */
export function shownWarnings(ctx: NodeContext): JsonResult {
  const warnings = ctx.warnings();
  const asText = ctx.deprecated.has('warnings') && shows(ctx.compat, { until: 29 });
  return follows(ctx.compat, 28) && !asText ? warnings : warnings.join('; ');
}

/** Returns the block script of a signet; undefined on other networks. */
export function signetChallenge({ params }: NodeContext): string | undefined {
  return params.signetChallenge ? bytesHex(params.signetChallenge) : undefined;
}
