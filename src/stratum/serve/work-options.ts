// Creates the objects that all sessions share, from the options of the operator.
import type { Hashes } from '../../crypto/crypto.js';
import { parseTag, parseVersionMask, type SessionContext } from '../session/context.js';
import { JobBoard } from '../work/job-board.js';
import { Payouts } from '../work/payouts.js';
import type { StratumOptions } from './messages.js';

/**
 * Creates the job board, the payouts and the options that all sessions share.
 * @param startSeconds time of the start, since 1970; job numbers begin with it
 * @throws Error with a text for the operator if an option is wrong
 */
export function createWork(
  { work, network, otherNetworks }: Pick<StratumOptions, 'work' | 'network' | 'otherNetworks'>,
  hashes: Hashes,
  startSeconds: number,
): SessionContext {
  const { payoutAddress = null, fee = null } = work;
  const payouts = new Payouts({ network, otherNetworks, payoutAddress, fee, hashes });
  const versionMask = parseVersionMask(work.versionMask);
  const board = new JobBoard({ payouts, tag: parseTag(work.tag), versionMask }, startSeconds);
  return { board, payouts, hashes, options: { ...work, versionMask } };
}
