// All JSON-RPC error codes, and the exception that carries one to the reply. Argument checks and run functions throw
// it; only dispatch.ts catches it. Core: src/rpc/protocol.h.

/** Error codes, with Core's names without the prefix RPC_. */
export const RPC_CODE = {
  PARSE_ERROR: -32700,
  INVALID_REQUEST: -32600,
  METHOD_NOT_FOUND: -32601,
  INVALID_PARAMS: -32602,
  INTERNAL_ERROR: -32603,
  MISC_ERROR: -1,
  TYPE_ERROR: -3,
  WALLET_ERROR: -4,
  INVALID_ADDRESS_OR_KEY: -5,
  WALLET_INSUFFICIENT_FUNDS: -6,
  OUT_OF_MEMORY: -7,
  INVALID_PARAMETER: -8,
  CLIENT_NOT_CONNECTED: -9,
  CLIENT_IN_INITIAL_DOWNLOAD: -10,
  WALLET_INVALID_LABEL_NAME: -11,
  WALLET_KEYPOOL_RAN_OUT: -12,
  WALLET_UNLOCK_NEEDED: -13,
  WALLET_PASSPHRASE_INCORRECT: -14,
  WALLET_WRONG_ENC_STATE: -15,
  WALLET_ENCRYPTION_FAILED: -16,
  WALLET_ALREADY_UNLOCKED: -17,
  WALLET_NOT_FOUND: -18,
  WALLET_NOT_SPECIFIED: -19,
  DATABASE_ERROR: -20,
  DESERIALIZATION_ERROR: -22,
  CLIENT_NODE_ALREADY_ADDED: -23,
  CLIENT_NODE_CAPACITY_REACHED: -34,
  LIMIT_EXCEEDED: -37,
  CLIENT_NODE_NOT_ADDED: -24,
  VERIFY_ERROR: -25,
  VERIFY_REJECTED: -26,
  VERIFY_ALREADY_IN_CHAIN: -27,
  WALLET_ALREADY_LOADED: -35,
  IN_WARMUP: -28,
  CLIENT_NODE_NOT_CONNECTED: -29,
  CLIENT_INVALID_IP_OR_SUBNET: -30,
  CLIENT_P2P_DISABLED: -31,
  METHOD_DEPRECATED: -32,
  CLIENT_MEMPOOL_DISABLED: -33,
} as const;

/** An error that the client sees: `{"code":…,"message":…}`. */
export class RpcError extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.name = 'RpcError';
    this.code = code;
  }
}

/** Throws an {@link RpcError}. Usable as an expression where a value is missing. */
export function fail(code: number, message: string): never {
  throw new RpcError(code, message);
}

/** Error for a value of the wrong JSON type. `later` is the text of releases since 24, which have code -3. */
export class TypeFault extends RpcError {
  constructor(
    code: number,
    message: string,
    readonly later: string,
  ) {
    super(code, message);
  }
}
