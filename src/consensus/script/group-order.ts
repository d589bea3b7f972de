// The order of secp256k1's group and half of it, big-endian. They limit signature values and private keys.

import { fromHex } from '../bytes/hex.js';

/** Order n of the group of secp256k1. Private keys and signature values are below n. */
export const GROUP_ORDER = fromHex('fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141');

/** (n - 1) / 2: the largest low S. */
export const HALF_GROUP_ORDER = fromHex('7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0');
