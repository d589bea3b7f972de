// Facts that several calls show in the same words: warnings, the challenge of a signet.
import { follows } from '../../policy/compat.js';
import type { NodeContext } from '../context/node.js';
import { hex } from '../render/hex.js';
import type { JsonResult } from '../wire/values.js';

/** Warnings as a list; before release 28 as one text. */
export function shownWarnings(ctx: NodeContext): JsonResult {
  const warnings = ctx.warnings();
  return follows(ctx.compat, 28) ? warnings : warnings.join('; ');
}

/** The block script of a signet; undefined elsewhere. */
export function signetChallenge({ params }: NodeContext): string | undefined {
  return params.signetChallenge ? hex(params.signetChallenge) : undefined;
}
