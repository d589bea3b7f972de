// What both ends of the fleet are told. Plain and cloneable: the node's crosses to its fleet thread. src/config fills
// it from -fleet* flags.

/** How the broker is reached. */
export interface BrokerOptions {
  /** nats:// or tls:// addresses; the first that answers is taken, the others are the next ones. */
  readonly servers: readonly string[];
  /** A NATS credentials file (JWT and seed); undefined: what the addresses carry, or nothing. */
  readonly credsFile: string | undefined;
  readonly tls: { readonly ca: string | undefined; readonly cert: string | undefined; readonly key: string | undefined } | null;
}

/** Which calls a NATS account may make. */
export interface AccountAccess {
  readonly account: string;
  /** Null: every method. */
  readonly methods: readonly string[] | null;
}

/** A node that publishes and answers (aditd -fleet). */
export interface FleetNodeOptions extends BrokerOptions {
  readonly chain: string;
  readonly name: string;
  /** Ed25519 private key, PKCS #8 in PEM. */
  readonly keyPem: string;
  readonly accounts: readonly AccountAccess[];
  /** Servers of the broker that keep what is stored. */
  readonly replicas: number;
  /** Memory of the thread's counters. */
  readonly figures: SharedArrayBuffer;
  /** Milliseconds between two facts of a quiet node. */
  readonly beatMs: number;
}

/** A node that a front follows. */
export interface PinnedNode {
  readonly name: string;
  /** Ed25519 public key, 32 bytes. */
  readonly publicKey: Uint8Array;
}

/** A process of fronts (adit-front). */
export interface FleetFrontOptions extends BrokerOptions {
  readonly chain: string;
  /** The account that calls are made as; the broker sees to it that no other can use it. */
  readonly account: string;
  readonly nodes: readonly PinnedNode[];
  /** A node that says nothing for so long is not followed. */
  readonly timeoutMs: number;
  /** With equal tips another node's template must pay so many satoshis more. */
  readonly marginSats: number;
}

/** Facts are repeated so often: four may be lost before a node counts as silent at the default timeout. */
export const BEAT_MS = 400;
