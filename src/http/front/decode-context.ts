// Creates the context of calls that depend on their arguments only, for fronts and render threads.
import type { ChainParams } from '../../consensus/params/chain-params.js';
import type { Crypto } from '../../crypto/crypto.js';
import { createNativeHashes } from '../../crypto/native/hashes.js';
import { createNativeCrypto } from '../../crypto/native/index.js';
import { createKeyMath } from '../../crypto/native/key-math.js';
import type { Compat } from '../../policy/compat.js';
import type { DecodeContext } from '../../rpc/front/context.js';

/** Few calls need hashes and curves, whose libraries take 10 ms each, so these load when they are used for the first time. */
export function createDecodeContext(params: ChainParams, compat: Compat): DecodeContext {
  const { descriptors: language, hardenedMark: inferredMark } = compat;
  let crypto: Crypto | undefined;
  let keys: ReturnType<typeof createKeyMath> | undefined;
  return {
    compat,
    params,
    get hashes() {
      return createNativeHashes();
    },
    get crypto() {
      crypto ??= createNativeCrypto();
      return crypto;
    },
    descriptors: {
      params,
      get hashes() {
        return createNativeHashes();
      },
      get keys() {
        keys ??= createKeyMath();
        return keys;
      },
      language,
      inferredMark,
    },
  };
}
