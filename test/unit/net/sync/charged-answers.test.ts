// Tests blocks that peers request: the time to make a reply after the block was read is charged to the peer that
// requested it, however short its message.
import t from 'tap';
import { FairQueue } from '../../../../src/net/fair-queue.js';
import type { Peer } from '../../../../src/net/peer/peer.js';
import { SERVICE } from '../../../../src/net/wire/protocol.js';
import { type BuiltBlock, buildBlock } from '../../../framework/chain-builder.js';
import { NetWorld } from '../../../framework/net-world.js';
import { headersPayload, invPayload } from '../../../framework/p2p-client.js';

t.test('charges the peer for the work to answer block requests from disk', async (t) => {
  const world = await NetWorld.open({ net: { services: SERVICE.NETWORK | SERVICE.WITNESS | SERVICE.BLOOM } });
  t.teardown(() => world.end());
  // The block is too deep to be cached in memory, but not too deep for blocktxn.
  const blocks = await world.grow(10);
  const [block] = blocks as [BuiltBlock];
  t.equal(world.fixture.chain.blocks.recentBlock(world.fixture.chain.view.node(block.hash) as never), undefined);
  const { chargeTo: charged } = FairQueue.prototype;
  let charges = 0;
  let depth = 0;
  FairQueue.prototype.chargeTo = function <T>(this: FairQueue<Peer>, ...[peer, work]: Parameters<typeof charged<T>>): T {
    charges++;
    depth++;
    try {
      return charged.call(this, peer, work) as T;
    } finally {
      depth--;
    }
  };
  t.teardown(() => {
    FairQueue.prototype.chargeTo = charged;
  });
  const guest = await world.guest();
  const sent: string[] = [];
  const send = guest.peer.send.bind(guest.peer);
  guest.peer.send = (command, payload) => {
    if (depth > 0) sent.push(command);
    send(command, payload);
  };
  const filterLoad = Buffer.concat([Buffer.of(1, 0xff), Buffer.alloc(8), Buffer.of(0)]);
  guest.send('filterload', filterLoad);
  for (const type of [2, 0x40000002, 3]) {
    guest.send('getdata', invPayload([[type, block.hash]]));
    await guest.sync();
  }
  guest.send('getblocktxn', Buffer.concat([block.hash, Buffer.of(1, 0)]));
  await guest.sync();
  t.same(sent, ['block', 'block', 'merkleblock', 'tx', 'blocktxn']);
  charges = 0;
  guest.send('headers', headersPayload([buildBlock(blocks.at(-1) as BuiltBlock).header]));
  await guest.sync();
  t.equal(charges, 1, 'headers are parsed again for the chain');
});
