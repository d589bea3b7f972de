// Context for parsing descriptors in tests: native hashes and key arithmetic, any network, both languages.
import type { DescriptorContext, DescriptorLanguage } from '../../src/address/descriptor/context.js';
import type { Descriptor } from '../../src/address/descriptor/descriptor.js';
import { type ParsedDescriptor, parseDescriptor } from '../../src/address/descriptor/parse.js';
import type { ChainParams } from '../../src/consensus/params/chain-params.js';
import { chainParams } from '../../src/consensus/params/networks.js';
import { createNativeHashes } from '../../src/crypto/native/hashes.js';
import { createKeyMath } from '../../src/crypto/native/key-math.js';

export const hashes = createNativeHashes();
export const keyMath = createKeyMath();
export const tools = { hashes, keys: keyMath };

/** Returns the context of a network and a language. */
export function descriptorContext(language: DescriptorLanguage = 'master', network: ChainParams['name'] = 'main'): DescriptorContext {
  return { ...tools, params: chainParams(network), language };
}

/** Parses a text that must be a descriptor. */
export function mustParse(text: string, context: DescriptorContext = descriptorContext()): ParsedDescriptor {
  const parsed = parseDescriptor(text, context);
  if ('error' in parsed) throw new Error(`${text}: ${parsed.error}`);
  return parsed;
}

/** Returns the scripts of a parsed text in hex, derived with its private keys; null if they cannot be derived. */
export function scriptsOf({ descriptors, secrets }: ParsedDescriptor, index = 0): string[] | null {
  const [descriptor] = descriptors as readonly [Descriptor];
  const scripts = descriptor.scripts(index, { secrets });
  return scripts?.map((script) => Buffer.from(script).toString('hex')) ?? null;
}
