// -newrpcauth: credentials for one client. The node gets a salted hash of the password (-rpcauth), the client the
// password itself.
import { createHmac, randomBytes } from 'node:crypto';

const SALT_BYTES = 16;
const PASSWORD_BYTES = 32;

/** What -newrpcauth prints. */
export interface NewRpcAuth {
  /**
   * For the node: `USER:SALT$HASH`, the HMAC-SHA256 of the password under the salt, as Core's share/rpcauth makes it.
   */
  readonly line: string;
  /** For the client: 32 random bytes, base64url. */
  readonly password: string;
}

/**
 * @returns undefined for a name that HTTP Basic or -rpcauth cannot carry: empty, or with a colon, a dollar sign or a
 * line break
 */
export function newRpcAuth(user: string): NewRpcAuth | undefined {
  if (!/^[^:$\s]+$/.test(user)) return undefined;
  const salt = randomBytes(SALT_BYTES).toString('hex');
  const password = randomBytes(PASSWORD_BYTES).toString('base64url');
  const hash = createHmac('sha256', salt).update(password).digest('hex');
  return { line: `${user}:${salt}$${hash}`, password };
}
