// A peer that announces a chain, and answers requests for its headers and blocks.
import type { BuiltBlock } from './chain-builder.js';
import { headersPayload, type Message, type P2pClient } from './p2p-client.js';

const MOST_HEADERS = 2_000;

/** Serves until the connection ends. @param answer called for each requested block; returns its bytes, or null for no answer */
export async function serveBlocks(
  peer: P2pClient,
  chain: readonly BuiltBlock[],
  answer: (block: BuiltBlock) => Buffer | null,
): Promise<void> {
  const byHash = new Map(chain.map((block) => [block.hash.toString('hex'), block]));
  const named = (payload: Buffer, at: number): BuiltBlock | undefined => byHash.get(payload.subarray(at, at + 32).toString('hex'));
  const isRequest = ({ command }: Message): boolean => command === 'getheaders' || command === 'getdata';
  peer.send('headers', headersPayload([chain.at(-1)!.header]));
  for (;;) {
    await peer.until(() => peer.received.some(isRequest));
    const [{ command, payload }] = peer.received.splice(peer.received.findIndex(isRequest), 1) as [Message];
    if (command === 'getheaders') {
      // The first hash of the locator is behind the version and the count.
      const from = named(payload, 5)?.height ?? 0;
      peer.send('headers', headersPayload(chain.slice(from, from + MOST_HEADERS).map(({ header }) => header)));
      continue;
    }
    for (let i = 0; i < payload[0]!; i++) {
      const block = named(payload, 5 + i * 36);
      const bytes = block === undefined ? null : answer(block);
      if (bytes !== null) peer.send('block', bytes);
    }
  }
}
