// Attacks that know the chain: headers and blocks that are wrong in one way or another, transactions, compact blocks,
// promises not kept.
import { randomBytes } from 'node:crypto';
import { type BuiltBlock, buildBlock, buildChain, GENESIS } from '../framework/chain-builder.js';
import { compactSize, hash256, serializeTx, TRUE_WITNESS, type Tx, txid, unshown } from '../framework/messages.js';
import { framed, headersPayload, invPayload } from '../framework/p2p-client.js';
import type { Attack, Lane } from './attack.js';
import type { Facts } from './facts.js';
import { rand } from './hostile-peer.js';

/** A message of headers is full with these: the node then asks for more. */
const FULL = 2_000;
/** As many short ids as a large block has. */
const SHORT_IDS = 4_000;

/** The tip as something to build on. */
function tipOf({ tip }: Facts): BuiltBlock {
  const header = Buffer.from(tip.header, 'hex');
  return { ...GENESIS, hash: unshown(tip.hash), hashHex: tip.hash, height: tip.height, time: tip.time, header };
}

const tag = (): number => Math.random() * 1e9;
const child = (facts: Facts, plan: Parameters<typeof buildBlock>[1] = {}): BuiltBlock =>
  buildBlock(tipOf(facts), { time: facts.tip.time + 1, tag: tag(), ...plan });

/**
 * A chain from genesis with less work than the node's; made once, which takes seconds: to be asked for before the
 * attack.
 */
let light: Buffer[] | undefined;
export function lightHeaders(facts: Facts): Buffer[] {
  light ??= buildChain(GENESIS, FULL, { time: facts.firstTime, tag: tag() }).map(({ header }) => header);
  return light;
}

/** cmpctblock with these short ids. */
function compact(header: Uint8Array, ids: Uint8Array, coinbase: Uint8Array): Buffer {
  return Buffer.concat([header, randomBytes(8), compactSize(ids.length / 6), ids, compactSize(1), compactSize(0), coinbase]);
}
const coinbaseOf = (block: BuiltBlock): Buffer => serializeTx(block.txs[0] as Tx);

function blockTxRequest(hashHex: string, indexes: number): Buffer {
  return Buffer.concat([unshown(hashHex), compactSize(indexes), Buffer.alloc(indexes)]);
}

function ofCoins(facts: Facts, value: (given: number) => number, script: Uint8Array = Buffer.alloc(0)): Tx {
  const coin = facts.coins[rand(facts.coins.length)] as Facts['coins'][0];
  return {
    version: 2,
    ins: [{ txid: Buffer.from(coin.txid, 'hex'), index: coin.index, script, witness: TRUE_WITNESS }],
    outs: [{ value: value(coin.value), script: Buffer.concat([Buffer.from([0, 32]), randomBytes(32)]) }],
    locktime: 0,
  };
}

/** Coins that exist, spent wrongly; coins that don't; and things too large to be relayed. */
function wrongTransaction(facts: Facts): Buffer {
  switch (rand(6)) {
    case 0:
      return serializeTx(ofCoins(facts, (given) => given + 1));
    case 1:
      // Something in scriptSig that has no business there.
      return serializeTx(ofCoins(facts, (given) => given - 1_000, Buffer.from([0x6a])));
    case 2: {
      // Too large.
      const many = Array.from({ length: 60_000 }, () => ({ value: 1, script: Buffer.from([0x51]) }));
      return serializeTx({ ...ofCoins(facts, (given) => given), outs: many });
    }
    case 3:
      return randomBytes(500);
    case 4: {
      // Another witness script: fails in the script check.
      const tx = ofCoins(facts, (given) => given - 10_000);
      return serializeTx({ ...tx, ins: tx.ins.map((input) => ({ ...input, witness: [randomBytes(40)] })) });
    }
    default:
      return serializeTx(ofCoins(facts, (given) => given - 1)).fill(0, 40, 60);
  }
}

function wrongBlock(facts: Facts): Buffer {
  switch (rand(5)) {
    case 0:
      return child(facts, { breakMerkle: true }).bytes;
    case 1:
      return child(facts, { fees: 5_000_000_000 }).bytes;
    case 2: {
      // Large, and its proof of work is missing.
      const padding = { value: 0, script: Buffer.alloc(900_000, 0x6a) };
      return child(facts, { unsolved: true, outs: [padding] }).bytes;
    }
    case 3: {
      const txs = Array.from({ length: 2_000 }, () => ofCoins(facts, () => 1));
      return child(facts, { txs }).bytes;
    }
    default:
      return Buffer.concat([child(facts).header, compactSize(60_000), randomBytes(1_000_000)]);
  }
}

async function repeat(lane: Lane, command: string, make: (facts: Facts) => Buffer): Promise<void> {
  const peer = await lane.greet();
  while (lane.running() && peer?.closed === false) {
    await peer.send(command, make(lane.facts()));
    // Yield while grinding, so that other processes can run.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

export const chainAttacks: readonly Attack[] = [
  {
    name: 'light-headers',
    async run(lane) {
      const peer = await lane.greet();
      const message = framed('headers', headersPayload(lightHeaders(lane.facts())));
      while (lane.running() && peer?.closed === false) await peer.write(message);
    },
  },
  {
    name: 'wrong-headers',
    run: (lane) =>
      repeat(lane, 'headers', (facts) => {
        switch (rand(4)) {
          case 0:
            return headersPayload([child(facts, { unsolved: true }).header]);
          case 1:
            return headersPayload(Array.from({ length: FULL }, () => randomBytes(80)));
          case 2:
            return headersPayload(Array.from({ length: 8 }, () => randomBytes(80)));
          default:
            return headersPayload([child(facts, { time: 1 }).header]);
        }
      }),
  },
  { name: 'wrong-blocks', run: (lane) => repeat(lane, 'block', wrongBlock) },
  { name: 'wrong-transactions', run: (lane) => repeat(lane, 'tx', wrongTransaction) },
  {
    name: 'compact-blocks',
    async run(lane) {
      const peer = await lane.greet();
      const facts = lane.facts();
      const way = rand(5);
      const block = child(facts, { unsolved: way === 1 });
      const ids = randomBytes(SHORT_IDS * 6);
      // Short ids that collide with each other.
      if (way === 2) ids.copy(ids, 6, 0, 6);
      const message = framed('cmpctblock', compact(block.header, ids, coinbaseOf(block)));
      for (let i = 0; i < 500 && lane.running() && peer?.closed === false; i++) {
        await peer.write(message);
        // Answers nobody asked for, and wrong ones.
        if (way >= 3) await peer.send('blocktxn', Buffer.concat([block.hash, compactSize(1), coinbaseOf(block)]));
      }
      await peer?.lingers(2_000);
    },
  },
  {
    name: 'getblocktxn-flood',
    async run(lane) {
      const peer = await lane.greet();
      if (rand(3) === 0) peer?.stopReading();
      while (lane.running() && peer?.closed === false) {
        const { recent, large } = lane.facts();
        for (const hash of [...recent, ...large]) {
          await peer.send('getblocktxn', blockTxRequest(hash, 1));
          await peer.send('getdata', invPayload([[4, unshown(hash)]]));
        }
      }
    },
  },
  {
    name: 'high-bandwidth',
    async run(lane) {
      // Wants everything at once and says that it has blocks whose proof is missing.
      const peer = await lane.greet();
      await peer?.send('sendcmpct', Buffer.from('010200000000000000', 'hex'));
      await peer?.send('sendheaders');
      const block = child(lane.facts(), { unsolved: true });
      await peer?.lingers(rand(1_000));
      await peer?.send('cmpctblock', compact(block.header, randomBytes(600), coinbaseOf(block)));
      await peer?.lingers(500);
    },
  },
  {
    // Parents that pay nothing and children that pay too little for both: each time the parent comes a pair is judged.
    name: 'package-flood',
    async run(lane) {
      const peer = await lane.greet({ wtxidRelay: true });
      while (lane.running() && peer?.closed === false) {
        const parent = ofCoins(lane.facts(), (given) => given);
        const source = { txid: txid(parent), index: 0, script: Buffer.alloc(0), witness: TRUE_WITNESS };
        const children = Array.from({ length: 20 }, (_, n) => ({
          ...parent,
          ins: [source],
          outs: [{ ...(parent.outs[0] as Tx['outs'][0]), value: (parent.outs[0] as Tx['outs'][0]).value - n }],
        }));
        for (const child of children) await peer.send('tx', serializeTx(child));
        for (let i = 0; i < children.length; i++) await peer.send('tx', serializeTx(parent));
      }
    },
  },
  {
    name: 'withheld-blocks',
    async run(lane) {
      // First with the header of every block, and never there with the rest.
      const peer = await lane.greet();
      if (peer === null) return;
      peer.onMessage = (command, payload) => {
        if (command === 'ping') void peer.send('pong', payload);
      };
      let received = '';
      while (lane.running() && !peer.closed) {
        const header = lane.coming().at(-1) ?? '';
        if (header !== received) {
          received = header;
          const bytes = Buffer.from(header, 'hex');
          await peer.send('headers', headersPayload([bytes]));
          await peer.send('inv', invPayload([[2, hash256(bytes)]]));
        }
        await peer.lingers(10);
      }
    },
  },
];
