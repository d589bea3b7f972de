// Options of both ends of the fleet. Plain data that can be cloned, because a node's options are sent to its fleet
// thread. src/config fills them from the -fleet* options.

export interface BrokerOptions {
  /** nats:// or tls:// addresses. The first server that answers is used; the others replace it if it fails. */
  readonly servers: readonly string[];
  /** A NATS credentials file (JWT and seed); undefined: the user in the addresses, or none. */
  readonly credsFile: string | undefined;
  readonly tls: { readonly ca: string | undefined; readonly cert: string | undefined; readonly key: string | undefined } | null;
}

/** Methods that a NATS account may call. */
export interface AccountAccess {
  readonly account: string;
  /** Methods that the account may call; null for all methods. */
  readonly methods: readonly string[] | null;
}

/** Options of a node that publishes and answers calls (aditd -fleet). */
export interface FleetNodeOptions extends BrokerOptions {
  readonly chain: string;
  readonly name: string;
  /** Ed25519 private key, PKCS #8 in PEM. */
  readonly keyPem: string;
  readonly accounts: readonly AccountAccess[];
  /** Number of the broker's servers that store each part of the store. */
  readonly replicas: number;
  /** Shared memory of the thread's counters. */
  readonly figures: SharedArrayBuffer;
  /** Milliseconds between two facts while nothing changes. */
  readonly beatMs: number;
}

/** A node that a front may follow. */
export interface PinnedNode {
  readonly name: string;
  /** Ed25519 public key, 32 bytes. */
  readonly publicKey: Uint8Array;
}

/** Options of a process of fronts (adit-front). */
export interface FleetFrontOptions extends BrokerOptions {
  readonly chain: string;
  /** The NATS account of these fronts. The broker ensures that no other account can use its subjects. */
  readonly account: string;
  readonly nodes: readonly PinnedNode[];
  /** Silence after which a node is not followed. */
  readonly timeoutMs: number;
  /** Satoshis by which another node's template on the same tip must pay more before the front follows that node. */
  readonly marginSats: number;
  /** Publish the shares of Stratum V1 miners. */
  readonly shares: boolean;
}

/** Interval of facts. At the default timeout, four facts may be lost before a node counts as silent. */
export const BEAT_MS = 400;
