// The descriptor of an output script, with what a wallet knows of its keys and scripts: the `desc` of getaddressinfo and listunspent.
// Core: script/descriptor.cpp, InferScript.
import { solve } from '../../policy/script-type.js';
import { encodeAddress } from '../address.js';
import type { DescriptorContext } from './context.js';
import { Descriptor } from './descriptor.js';
import type { KeyOrigin } from './expansion.js';
import { type KeyExpression, OriginatedKey, SingleKey } from './key-expression.js';
import { MultiNode, PkhNode, PkNode, WpkhNode } from './key-nodes.js';
import type { ScriptNode } from './script-node.js';
import { FixedNode, ShNode, WshNode } from './wrapper-nodes.js';

/** What is known of keys and scripts. */
export interface ScriptProvider {
  /** A public key by its HASH160. */
  publicKey(id: Uint8Array): Uint8Array | undefined;
  /** A script by its HASH160 (of a witness script: RIPEMD-160 of the program). */
  script(id: Uint8Array): Uint8Array | undefined;
  /** Where a public key comes from, by its HASH160. */
  origin(id: Uint8Array): KeyOrigin | undefined;
}

/** Knows nothing. */
export const NO_PROVIDER: ScriptProvider = {
  publicKey: () => undefined,
  script: () => undefined,
  origin: () => undefined,
};

type Place = 'top' | 'sh' | 'wsh';

/** The descriptor of an output script. Its text need not be readable again: see wallet rules of unsolvable scripts. */
export function inferDescriptor(script: Uint8Array, provider: ScriptProvider, context: DescriptorContext): Descriptor {
  return new Descriptor(inferNode(script, 'top', provider, context), context);
}

function inferNode(script: Uint8Array, place: Place, provider: ScriptProvider, context: DescriptorContext): ScriptNode {
  return inferKnown(script, place, provider, context) ?? new FixedNode(script, encodeAddress(script, context.params, context.hashes));
}

function inferKnown(script: Uint8Array, place: Place, provider: ScriptProvider, context: DescriptorContext): ScriptNode | null {
  const { type, solutions } = solve(script);
  const [data] = solutions;
  const keyOf = (publicKey: Uint8Array): KeyExpression => inferKey(publicKey, provider, context);
  switch (type) {
    case 'pubkey':
      return new PkNode(keyOf(data), false);
    case 'pubkeyhash': {
      const key = provider.publicKey(data);
      return key === undefined ? null : new PkhNode(keyOf(key));
    }
    case 'witness_v0_keyhash': {
      const key = place === 'wsh' ? undefined : provider.publicKey(data);
      return key === undefined ? null : new WpkhNode(keyOf(key));
    }
    case 'multisig':
      return new MultiNode('multi', data[0], solutions.slice(1, -1).map(keyOf));
    case 'scripthash': {
      const inner = place === 'top' ? provider.script(data) : undefined;
      return inner === undefined ? null : new ShNode(inferNode(inner, 'sh', provider, context));
    }
    case 'witness_v0_scripthash': {
      const inner = place === 'wsh' ? undefined : provider.script(context.hashes.ripemd160(data));
      return inner === undefined ? null : new WshNode(inferNode(inner, 'wsh', provider, context));
    }
    default:
      return null;
  }
}

function inferKey(publicKey: Uint8Array, provider: ScriptProvider, context: DescriptorContext): KeyExpression {
  const key = new SingleKey(publicKey, false, context);
  const origin = provider.origin(context.hashes.hash160(publicKey));
  return origin === undefined ? key : new OriginatedKey(origin, key, context.language === '0.21' ? "'" : 'h');
}
