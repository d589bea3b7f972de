// Infers from a script, as Core does, whether it can be solved, and its descriptor. getaddressinfo and listunspent show both.

import { inferDescriptor } from '../../address/descriptor/infer.js';
import { hasCacheableKeys } from '../../address/descriptor/stored-text.js';
import { shows } from '../../policy/compat.js';
import type { SigningProvider } from '../../signing/index.js';
import { isSolvable, type TrackedDescriptor, type Wallet } from '../../wallet/index.js';
import type { WalletContext } from '../context/wallet.js';

const parents = new WeakMap<TrackedDescriptor, string>();

/** Returns a wallet's descriptor without private keys. The extended keys in it start after their last hardened step. */
export function normalText({ vault }: Wallet, tracked: TrackedDescriptor): string {
  const { descriptor, cache } = tracked;
  return descriptor.normalizedText(vault.locked ? { cache } : { cache, secrets: tracked }) ?? descriptor.toString();
}

/**
 * Returns a descriptor without private keys from a cache. Entries of history and coins contain the descriptor of their
 * script.
 */
export function parentText(wallet: Wallet, tracked: TrackedDescriptor): string {
  const stored = tracked.text;
  // normalText() would change only steps of extended keys, and apostrophes. The other descriptors are not held in memory,
  // and parsing one takes 20 us.
  if (!hasCacheableKeys(stored) && !stored.includes("'")) return stored;
  let text = parents.get(tracked);
  if (text === undefined) parents.set(tracked, (text = normalText(wallet, tracked)));
  return text;
}

/** Describes a script. @returns descriptor with its checksum; null if the script cannot be solved */
export function describeScript(ctx: WalletContext, script: Uint8Array, provider: SigningProvider | undefined): string | null {
  if (provider === undefined) return null;
  const later = ctx.descriptors.language === 'master';
  const solvable = isSolvable(script, provider, ctx.crypto);
  if (!later && !solvable) return null;
  const inferred = inferDescriptor(script, provider, ctx.descriptors);
  if (!later || inferred.isSolvable) return inferred.toString();
  // 0.21.1 also describes scripts with keys for which newer releases return no descriptor. Its clients read these texts.
  return solvable && shows(ctx.compat, { until: 22 })
    ? inferDescriptor(script, provider, { ...ctx.descriptors, language: '0.21' }).toString()
    : null;
}
