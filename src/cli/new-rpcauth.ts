// Implements -newrpcauth: creates credentials for one client. The node gets a salted hash of the password (-rpcauth),
// the client gets the password.
import { createHmac, randomBytes } from 'node:crypto';

const SALT_BYTES = 16;
const PASSWORD_BYTES = 32;

/** New credentials. */
export interface NewRpcAuth {
  /**
   * Value of -rpcauth for the node: `USER:SALT$HASH`. HASH is the HMAC-SHA256 of the password with the salt as key, as
   * in Core's share/rpcauth.
   */
  readonly line: string;
  /** Password for the client: 32 random bytes as base64url. */
  readonly password: string;
}

/**
 * Creates credentials.
 * @returns undefined for a user name that HTTP Basic or -rpcauth cannot carry: empty, or with a colon, a dollar sign,
 *   or white space
 */
export function newRpcAuth(user: string): NewRpcAuth | undefined {
  if (!/^[^:$\s]+$/.test(user)) return undefined;
  const salt = randomBytes(SALT_BYTES).toString('hex');
  const password = randomBytes(PASSWORD_BYTES).toString('base64url');
  const hash = createHmac('sha256', salt).update(password).digest('hex');
  return { line: `${user}:${salt}$${hash}`, password };
}
