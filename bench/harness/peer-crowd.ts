// Many peers of one node in a process of their own. Each requests one of twenty transactions that the node announces to
// it, and the first four peers request every block. A bench starts the process, and it ends together with the bench.
//
//   node build/bench/harness/peer-crowd.js PORT COUNT      prints "up" when all have shaken hands

import { hash256 } from '../../test/framework/messages.js';
import { invPayload, P2pClient } from '../../test/framework/p2p-client.js';

const [port, count] = process.argv.slice(2).map(Number) as [number, number];
const LOOK_MS = 100;
const SHARE = 20;
const BLOCK_READERS = 4;
const MSG_WITNESS_TX = 0x40000001;
const MSG_WTX = 5;
const MSG_WITNESS_BLOCK = 0x40000002;
const HEADER_ROW = 81;

/** Yields the entries of an inv, 36 bytes each. */
function* rowsOf(payload: Buffer): Generator<readonly [type: number, hash: Buffer]> {
  for (let at = payload[0] === 0xfd ? 3 : 1; at + 36 <= payload.length; at += 36) {
    yield [payload.readUInt32LE(at), payload.subarray(at + 4, at + 36)];
  }
}

function answer(peer: P2pClient, index: number): void {
  for (const { command, payload } of peer.received.splice(0)) {
    const asked: [number, Buffer][] = [];
    if (command === 'inv') {
      let at = index;
      for (const [type, hash] of rowsOf(payload)) if (at++ % SHARE === 0) asked.push([type === MSG_WTX ? MSG_WTX : MSG_WITNESS_TX, hash]);
    } else if (command === 'headers' && index < BLOCK_READERS && payload.length > HEADER_ROW) {
      asked.push([MSG_WITNESS_BLOCK, hash256(payload.subarray(1, HEADER_ROW))]);
    }
    if (asked.length > 0) peer.send('getdata', invPayload(asked));
  }
}

const peers: P2pClient[] = [];
while (peers.length < count) peers.push(await P2pClient.connect(port));
for (const peer of peers) peer.send('sendheaders');
setInterval(() => {
  for (const [index, peer] of peers.entries()) {
    if (peer.closed) throw new Error(`the node hung up on peer ${index}`);
    answer(peer, index);
  }
}, LOOK_MS);
process.stdout.write('up\n');
process.stdin.on('end', () => process.exit(0)).resume();
