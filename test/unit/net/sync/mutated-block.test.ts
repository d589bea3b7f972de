// Tests mutated copies of a block from peers, at every moment around the block itself: before it, while it is hashed,
// stored and connected, and after it. The block is connected, the peer that sent the copy is blamed, and no other peer
// loses its request or is blamed.
import { EventEmitter } from 'node:events';
import t from 'tap';
import { NodeStatus } from '../../../../src/chain/tree/header-node.js';
import { parseBlock } from '../../../../src/consensus/block/block-view.js';
import type { TxView } from '../../../../src/consensus/tx/tx-view.js';
import { silentLogger } from '../../../../src/log/logger.js';
import type { NetContext } from '../../../../src/net/context.js';
import { NO_PERMISSIONS } from '../../../../src/net/options.js';
import { Peer } from '../../../../src/net/peer/peer.js';
import type { SocketConnection } from '../../../../src/net/peer/socket-connection.js';
import { BlockTimes } from '../../../../src/net/relay/block-times.js';
import { CompactReceiver } from '../../../../src/net/relay/compact-receiver.js';
import { createCompactStats } from '../../../../src/net/relay/compact-stats.js';
import { ExtraTxs } from '../../../../src/net/relay/extra-txs.js';
import { BlockDownload } from '../../../../src/net/sync/block-download.js';
import { BlockReceiver } from '../../../../src/net/sync/block-receiver.js';
import { encodeBlockTxs, encodeCompactBlock } from '../../../../src/net/wire/compact-block.js';
import { decodeInv } from '../../../../src/net/wire/messages.js';
import { INV, SERVICE } from '../../../../src/net/wire/protocol.js';
import { ANYONE, type BuiltBlock, buildBlock, reward, spend } from '../../../framework/chain-builder.js';
import {
  allConnected,
  crypto,
  type Fixture,
  facesOf,
  IN_DOWNLOAD,
  OUT_OF_DOWNLOAD,
  openFixture,
} from '../../../framework/chain-fixture.js';
import { InlineVerifier } from '../../../framework/inline-verifier.js';
import { compactSize } from '../../../framework/messages.js';
import { copyStory, withTxs } from '../../../framework/spoilt-copy.js';

/** A verifier that can hold back batches of scripts. */
class GatedVerifier extends InlineVerifier {
  #waiting: (() => void)[] = [];
  #open = true;
  #reached: () => void = () => {};
  /** Holds back batches from now on. @returns a promise that resolves when a batch is held back */
  shut(): Promise<void> {
    this.#open = false;
    return new Promise((resolve) => {
      this.#reached = resolve;
    });
  }
  open(): void {
    this.#open = true;
    for (const go of this.#waiting.splice(0)) go();
  }
  override async verifyTxs(batch: Parameters<InlineVerifier['verifyTxs']>[0]) {
    if (!this.#open) {
      this.#reached();
      await new Promise<void>((go) => this.#waiting.push(go));
    }
    return super.verifyTxs(batch);
  }
}

interface Room {
  readonly receiver: BlockReceiver;
  readonly downloads: BlockDownload;
  readonly compact: CompactReceiver;
  /** Each blame as "id why". */
  readonly blamed: string[];
  readonly good: number[];
  /** Each message sent, as "id command". */
  readonly sent: string[];
  readonly asked: number[];
  peer(id: number): Peer;
}

function roomOver({ chain, clock }: Fixture, download: Partial<NetContext['download']> = chain.download): Room {
  const blamed: string[] = [];
  const sent: string[] = [];
  const asked: number[] = [];
  const peers = new Set<Peer>();
  const context = {
    options: { services: SERVICE.NETWORK | SERVICE.WITNESS, extraTxs: 0 },
    params: chain.view.params,
    ...facesOf(chain),
    download,
    crypto,
    clock: { nowSeconds: () => clock.nowSeconds(), nowMs: () => clock.nowSeconds() * 1_000, realSeconds: () => clock.nowSeconds() },
    log: silentLogger,
    times: new BlockTimes(
      () => 0,
      () => {},
    ),
    peers,
    wtxids: { search: function* () {} },
    random: () => 0.5,
    misbehaving: (peer: Peer, score: number, why: string) => blamed.push(`${peer.id} ${score} ${why}`),
    disconnect: () => {},
    scheduleRound: () => {},
    events: new EventEmitter(),
  } as unknown as NetContext;
  const downloads = new BlockDownload(context);
  const receiver = new BlockReceiver(context, downloads);
  chain.events.checked.add((hash, block, reject) => receiver.onChecked(hash, block, reject));
  const good: number[] = [];
  context.events.on('goodBlock', ({ id }) => good.push(id));
  Object.defineProperty(downloads, 'canFetchDirectly', { value: true });
  const sender = { noteReconstructed: () => {} };
  const parts = { downloads, headers: {}, blocks: receiver, sender, extra: new ExtraTxs(0), stats: createCompactStats() };
  const compact = new CompactReceiver(context, parts as never);
  context.events.on('requestReleased', (request) => compact.onReleased(request));
  const peer = (id: number): Peer => {
    const one = new Peer(id, 'inbound', { network: 'ipv4', bytes: Uint8Array.of(127, 0, 0, 1), port: 1 }, '', '', NO_PERMISSIONS, 0);
    one.services = SERVICE.NETWORK | SERVICE.WITNESS;
    one.compact.provides = one.compact.highBandwidth = true;
    one.connection = {
      send: (command: string, payload: Uint8Array) => {
        sent.push(`${id} ${command}`);
        if (command === 'getdata') for (const { type } of decodeInv(payload)) asked.push(type);
      },
    } as unknown as SocketConnection;
    peers.add(one);
    return one;
  };
  return { receiver, downloads, compact, blamed, good, sent, asked, peer };
}

const turns = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i++) await new Promise((next) => setImmediate(next));
};

const { trunk, before, target, copy, after } = copyStory(true, 8);
const all = [...before, target, ...after];
const HEIGHT = 110 + all.length;

t.test('in the initial block download: connects a block although a mutated copy follows it', async (t) => {
  for (const [delay, from] of [0, 1, 2, 3, 5, 8, 13, 40].flatMap(
    (turn) =>
      [
        [turn, 'same'],
        [turn, 'other'],
      ] as const,
  )) {
    const verifier = new GatedVerifier(crypto);
    const fixture = await openFixture({ maxTipAge: IN_DOWNLOAD, verifier });
    const { chain } = fixture;
    for (const block of trunk) await chain.commands.submitBlock(block.bytes);
    await chain.commands.submitHeaders(all.map(({ header }) => header));
    const room = roomOver(fixture);
    const [honest, second, other] = [room.peer(1), room.peer(2), room.peer(3)];
    for (const block of all)
      room.downloads.startRequest(block === target ? second : honest, block.hash, chain.view.node(block.hash) ?? null);
    const held = verifier.shut();
    for (const { bytes } of before) room.receiver.receiveBlock(honest, new Uint8Array(bytes));
    // The chain is busy with one of the blocks before, so it registers the target as stored only later.
    await held;
    room.receiver.receiveBlock(second, new Uint8Array(target.bytes));
    await turns(delay);
    room.receiver.receiveBlock(from === 'same' ? second : other, new Uint8Array(copy));
    verifier.open();
    for (const { bytes } of after) room.receiver.receiveBlock(honest, new Uint8Array(bytes));
    await allConnected(fixture);
    t.equal(chain.view.node(target.hash)?.failed, false, `${delay} ticks, ${from}`);
    t.equal(chain.view.tip.height, HEIGHT);
    t.same(
      room.blamed.filter((line) => line.startsWith('1 ')),
      [],
    );
    if (from === 'other')
      t.same(
        room.blamed.filter((line) => line.startsWith('2 ')),
        [],
      );
    t.same(fixture.faults, []);
    await fixture.end();
  }
});

t.test('blames the sender of an unrequested mutated copy, and keeps the request for the block', async (t) => {
  for (const maxTipAge of [IN_DOWNLOAD, OUT_OF_DOWNLOAD]) {
    const fixture = await openFixture({ maxTipAge });
    const { chain } = fixture;
    for (const block of [...trunk, ...before]) await chain.commands.submitBlock(block.bytes);
    await chain.commands.submitHeaders([target.header]);
    const room = roomOver(fixture);
    const [honest, evil] = [room.peer(1), room.peer(2)];
    room.downloads.startRequest(honest, target.hash, chain.view.node(target.hash) ?? null);
    await room.receiver.receiveBlock(evil, new Uint8Array(copy));
    t.same(room.blamed, ['2 100 mutated block']);
    t.equal(room.downloads.requestOf(target.hash)?.peer, honest);
    await room.receiver.receiveBlock(honest, new Uint8Array(target.bytes));
    await allConnected(fixture);
    t.equal(chain.view.tip.hashHex, target.hashHex);
    t.same(room.blamed, ['2 100 mutated block']);
    if (maxTipAge === OUT_OF_DOWNLOAD) t.same(room.good, [1]);
    await fixture.end();
  }
});

t.test('passes a block to the download engine only if the node asked its sender for it', async (t) => {
  const fixture = await openFixture({ maxTipAge: IN_DOWNLOAD });
  const { chain } = fixture;
  for (const block of [...trunk, ...before]) await chain.commands.submitBlock(block.bytes);
  await chain.commands.submitHeaders([target.header]);
  const taken: object[] = [];
  const { receiver, downloads, blamed, peer } = roomOver(fixture, {
    takeBytes: (_, __, sender) => {
      taken.push(sender);
      return { stored: Promise.resolve(true), next: undefined };
    },
  });
  const [honest, evil] = [peer(1), peer(2)];
  const reused: Uint8Array[] = [];
  honest.connection.reuse = (payload) => void reused.push(payload);
  downloads.startRequest(honest, target.hash, chain.view.node(target.hash) ?? null);
  await receiver.receiveBlock(evil, new Uint8Array(copy));
  t.same(blamed, ['2 100 mutated block']);
  t.equal(downloads.requestOf(target.hash)?.peer, honest);
  const payload = new Uint8Array(target.bytes);
  receiver.receiveBlock(honest, payload);
  t.strictSame(taken, [honest]);
  t.equal(downloads.requestOf(target.hash), undefined);
  await turns(3);
  t.equal(reused.length, 1);
  t.equal(reused[0], payload);
  t.same(blamed, ['2 100 mutated block']);
  downloads.startRequest(honest, target.hash, chain.view.node(target.hash) ?? null, true);
  await receiver.receiveBlock(honest, new Uint8Array(target.bytes));
  t.equal(taken.length, 1, 'the operator has requested the block');
  t.equal(chain.view.node(target.hash)?.has(NodeStatus.HAVE_DATA), true);
  await fixture.end();
});

t.test('ends a request that was answered with a mutated block, and blames the peer', async (t) => {
  const fixture = await openFixture({ maxTipAge: OUT_OF_DOWNLOAD });
  const { chain } = fixture;
  for (const block of [...trunk, ...before]) await chain.commands.submitBlock(block.bytes);
  await chain.commands.submitHeaders([target.header]);
  const [coinbase, paid] = target.txs as [BuiltBlock['txs'][number], BuiltBlock['txs'][number]];
  const spoilt: [string, Buffer][] = [
    ['another witness', copy],
    ['no transaction but the coinbase', withTxs(target, [])],
    ['other transactions', withTxs(target, [paid, coinbase, paid])],
  ];
  for (const [what, bytes] of spoilt) {
    const room = roomOver(fixture);
    const peer = room.peer(7);
    room.downloads.startRequest(peer, target.hash, chain.view.node(target.hash) ?? null);
    await room.receiver.receiveBlock(peer, new Uint8Array(bytes));
    t.same(room.blamed, ['7 100 mutated block'], what);
    t.equal(room.downloads.expects(target.hash), false);
    t.equal(chain.view.node(target.hash)?.failed, false);
    t.equal(chain.view.node(target.hash)?.has(NodeStatus.HAVE_DATA), false);
  }
  await fixture.end();
});

t.test('blames the sender of a block with too many transactions or no parent before parsing it', async (t) => {
  const fixture = await openFixture({ maxTipAge: OUT_OF_DOWNLOAD });
  const { chain } = fixture;
  for (const block of [...trunk, ...before]) await chain.commands.submitBlock(block.bytes);
  await chain.commands.submitHeaders([target.header]);
  // The payload ends after the count. A parser that continues to read reaches the end of the bytes.
  const counting = (header: Uint8Array, count: number): Uint8Array => new Uint8Array(Buffer.concat([header, compactSize(count)]));
  const room = roomOver(fixture);
  const [honest, evil] = [room.peer(1), room.peer(2)];
  room.downloads.startRequest(honest, target.hash, chain.view.node(target.hash) ?? null);
  t.equal(room.receiver.receiveBlock(evil, counting(target.header, 16_667)), undefined);
  t.throws(() => room.receiver.receiveBlock(evil, counting(target.header, 16_666)), { name: 'DecodeError' });
  t.same(room.blamed, ['2 100 mutated block']);
  t.equal(room.downloads.requestOf(target.hash)?.peer, honest);
  t.equal(room.receiver.receiveBlock(honest, counting(target.header, 16_667)), undefined);
  t.equal(room.downloads.expects(target.hash), false, 'its own request ends');
  const stray = buildBlock({ ...target, hash: Buffer.alloc(32, 7) });
  t.equal(room.receiver.receiveBlock(evil, counting(stray.header, 390_000)), undefined);
  t.equal(room.blamed.at(-1), '2 10 invalid block: prev-blk-not-found');
  await room.receiver.receiveBlock(room.peer(3), new Uint8Array(target.bytes));
  await chain.commands.settled();
  t.equal(chain.view.tip.hashHex, target.hashHex);
  await fixture.end();
});

t.test('accepts an unrequested valid block while the requested peer is slow', async (t) => {
  const fixture = await openFixture({ maxTipAge: OUT_OF_DOWNLOAD });
  const { chain } = fixture;
  for (const block of [...trunk, ...before]) await chain.commands.submitBlock(block.bytes);
  await chain.commands.submitHeaders([target.header]);
  const room = roomOver(fixture);
  const [slow, quick] = [room.peer(1), room.peer(2)];
  room.downloads.startRequest(slow, target.hash, chain.view.node(target.hash) ?? null);
  await room.receiver.receiveBlock(quick, new Uint8Array(target.bytes));
  t.equal(chain.view.tip.hashHex, target.hashHex);
  t.equal(room.downloads.size, 0);
  t.same(room.blamed, []);
  t.same(room.good, [2]);
  await fixture.end();
});

t.test('accepts a block while a large mutated copy of it is being hashed', async (t) => {
  const fixture = await openFixture({ maxTipAge: OUT_OF_DOWNLOAD });
  const { chain } = fixture;
  const chainBlocks = [...trunk];
  for (const block of chainBlocks) await chain.commands.submitBlock(block.bytes);
  const coin = reward(trunk[0] as BuiltBlock);
  const outs = Array.from({ length: 51_000 }, () => ({ value: 1, script: ANYONE }));
  const paid = spend([coin], outs);
  const block = buildBlock(trunk.at(-1) as BuiltBlock, { txs: [paid] });
  t.ok(block.bytes.length > 500_000);
  const bad = withTxs(block, [{ ...paid, ins: [{ ...(paid.ins[0] as (typeof paid.ins)[number]), witness: [Buffer.from([1])] }] }]);
  await chain.commands.submitHeaders([block.header]);
  const room = roomOver(fixture);
  const [honest, evil] = [room.peer(1), room.peer(2)];
  room.downloads.startRequest(honest, block.hash, chain.view.node(block.hash) ?? null);
  const first = room.receiver.receiveBlock(evil, new Uint8Array(bad));
  const second = room.receiver.receiveBlock(honest, new Uint8Array(block.bytes));
  await Promise.all([first, second]);
  t.equal(chain.view.tip.hashHex, block.hashHex);
  t.same(room.blamed, ['2 100 mutated block']);
  await fixture.end();
});

t.test('fetches the whole block without blame when a compact block has a wrong witness', async (t) => {
  const fixture = await openFixture({ maxTipAge: OUT_OF_DOWNLOAD });
  const { chain } = fixture;
  for (const block of [...trunk, ...before]) await chain.commands.submitBlock(block.bytes);
  const spoilt = parseBlock(new Uint8Array(copy), crypto);
  const [coinbase, wrong] = spoilt.txs as [TxView, TxView];
  const header = new Uint8Array(target.header);
  const prefilled = (tx: TxView) => [
    { index: 0, tx: coinbase },
    { index: 1, tx },
  ];

  // First case: the compact block contains all transactions.
  let room = roomOver(fixture);
  let peer = room.peer(1);
  await room.compact.receiveCompactBlock(peer, encodeCompactBlock({ header, nonce: 5n, shortIds: [], prefilled: prefilled(wrong) }));
  t.same(room.sent, ['1 getdata']);
  t.same(room.asked, [INV.WITNESS_BLOCK]);
  t.equal(room.downloads.requestOf(target.hash)?.peer, peer);

  // Second case: the wrong transaction comes in the reply to getblocktxn. It has the right txid and a wrong witness.
  room = roomOver(fixture);
  peer = room.peer(1);
  await room.compact.receiveCompactBlock(
    peer,
    encodeCompactBlock({ header, nonce: 5n, shortIds: [12_345], prefilled: [{ index: 0, tx: coinbase }] }),
  );
  await room.compact.receiveTxs(peer, encodeBlockTxs(target.hash, [wrong]));
  t.same(room.sent, ['1 getblocktxn', '1 getdata']);
  t.same(room.blamed, []);
  t.equal(chain.view.node(target.hash)?.failed, false);
  // A second reply has no matching request, so it is an error of the sender, and the request for the block ends.
  await room.compact.receiveTxs(peer, encodeBlockTxs(target.hash, [wrong]));
  t.same(room.blamed, ['1 100 previous compact block reconstruction attempt failed']);
  t.equal(room.downloads.requestOf(target.hash), undefined);
  await room.receiver.receiveBlock(room.peer(2), new Uint8Array(target.bytes));
  t.equal(chain.view.tip.hashHex, target.hashHex);
  t.equal(room.blamed.length, 1);
  await fixture.end();
});
