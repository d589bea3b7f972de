// The attackers' process: takes orders from the runner, attacks, and reports when the runner stops it.
import { type Attack, Lane } from './attack.js';
import { chainAttacks, lightHeaders } from './attacks-chain.js';
import { streamAttacks } from './attacks-stream.js';
import type { Facts, Order } from './facts.js';
import type { AttackCounts } from './hostile-peer.js';

const attacks = new Map<string, Attack>([...streamAttacks, ...chainAttacks].map((attack) => [attack.name, attack]));
const KEPT_HEADERS = 4;

let facts: Facts | null = null;
const coming: string[] = [];
let lanes: Lane[] = [];
let counts: Record<string, AttackCounts> = {};

function start(name: string, count: number): void {
  const attack = attacks.get(name);
  if (attack === undefined || facts === null) throw new Error(`no attack ${name}, or nothing to attack`);
  const sum: AttackCounts = { connected: 0, refused: 0, ended: 0, messages: 0, bytes: 0 };
  counts[name] = sum;
  for (let i = 0; i < count; i++) {
    const lane = new Lane(
      () => facts as Facts,
      sum,
      () => coming,
    );
    lanes.push(lane);
    lane.go(attack).catch((error: Error) => process.send?.({ kind: 'fault', text: `${name}: ${error.stack}` }));
  }
}

process.on('message', (order: Order) => {
  switch (order.kind) {
    case 'facts':
      facts = order.facts;
      lightHeaders(facts);
      break;
    case 'coming':
      coming.push(order.header);
      if (coming.length > KEPT_HEADERS) coming.shift();
      break;
    case 'start':
      for (const { name, lanes: count } of order.attacks) start(name, count);
      break;
    case 'count':
      process.send?.({ kind: 'counted', counts });
      break;
    case 'stop':
      for (const lane of lanes) lane.stop();
      lanes = [];
      process.send?.({ kind: 'done', counts });
      counts = {};
      break;
  }
});
// Whoever started us has gone.
process.on('disconnect', () => process.exit(0));
process.send?.({ kind: 'ready', names: [...attacks.keys()] });
