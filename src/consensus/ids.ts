// Types of 32-byte ids, so that the compiler refuses one kind where another is expected. Bytes of unknown kind, such as those of a
// message, are accepted as any kind. Functions with a parameter `byWtxid` take such bytes.
declare const kind: unique symbol;

/** Double SHA-256 of a transaction without its witness, internal order. */
export type Txid = Uint8Array & { readonly [kind]?: 'txid' };
/** Double SHA-256 of a whole transaction, internal order (BIP-0141). */
export type Wtxid = Uint8Array & { readonly [kind]?: 'wtxid' };
/** Either id of a transaction, as announcements contain (BIP-0339). */
export type TxHash = Txid | Wtxid;
/** Double SHA-256 of a block's header, internal order. */
export type BlockHash = Uint8Array & { readonly [kind]?: 'block' };
