// Gives the blocks that miners find to the chain (mining/solutions.ts), and lists them on the status page.
import type { Chain } from '../chain/index.js';
import type { TxView } from '../consensus/tx/tx-view.js';
import type { Hashes } from '../crypto/crypto.js';
import type { ListenerGuard } from '../lib/listener-guard.js';
import type { Logger } from '../log/logger.js';
import { Solutions } from '../mining/index.js';
import { CoinbaseWatch } from '../template/index.js';
import type { Submissions } from './submissions.js';

export interface FoundBlocksDeps {
  readonly chain: Chain;
  readonly hashes: Hashes;
  readonly log: Logger;
  readonly guard: ListenerGuard;
  readonly submissions: Pick<Submissions, 'record'>;
}

/** @param name of the miners' protocol, for the log @param dir folder of the blocks that were not accepted yet */
export function createFoundBlocks(name: string, dir: string, { chain, hashes, log, guard, submissions }: FoundBlocksDeps): Solutions {
  const coinbases = new CoinbaseWatch(log);
  return new Solutions({
    ...{ name, dir, hashes, log },
    coinbaseWatch: {
      checkSubmitted: guard.wrap('coinbase check', (client: string, coinbase: TxView, height: number) =>
        coinbases.checkSubmitted(client, coinbase, height),
      ),
    },
    onChecked: guard.wrap('submitted blocks', (hash: string, finder: string, outcome: string) =>
      submissions.record({ hash, client: `${name} ${finder}`, outcome, time: Math.floor(Date.now() / 1000) }),
    ),
    chain: {
      known: (hash) => chain.view.known(hash),
      withWitnessReserved: (block) => chain.view.withWitnessReserved(block),
      submitBlock: (block, options) => chain.commands.submitBlock(block, options),
      sync: () => chain.commands.sync(),
      holds: (hash) => {
        const node = chain.view.node(hash);
        return node !== undefined && chain.view.contains(node);
      },
    },
  });
}
