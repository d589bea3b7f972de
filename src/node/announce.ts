// Prints where the node listens and what to try next, for `npm start`.
import { defaultDataDir, type NodeConfig } from '../config/index.js';

/** Returns the text for the console. */
export function announcement(config: NodeConfig, addresses: readonly string[]): string {
  const address = addresses[0] ?? 'nowhere (-server=0)';
  const network = config.chain === 'main' ? '' : config.chain === 'test' ? ' -testnet' : ` -${config.chain}`;
  const folder = config.baseDir === defaultDataDir() ? '' : ` -datadir=${config.baseDir}`;
  const cli = `node build/src/adit-cli.js${network}${folder}${config.rpc.port === undefined ? '' : ` -rpcport=${config.rpc.port}`}`;
  const lines = [
    `adit is up on ${config.chain}: JSON-RPC at http://${address}/, ${config.cookieFile === undefined ? 'no cookie' : `cookie in ${config.cookieFile}`}`,
    ...(config.metrics.port === undefined ? [] : [`metrics at http://${config.metrics.host}:${config.metrics.port}/metrics`]),
    'try, from another terminal:',
    `  ${cli} getblockchaininfo`,
    `  ${cli} getblocktemplate '{"rules":["segwit"]}'`,
    `  curl -s --user ${config.cookieFile === undefined ? 'user:password' : `"$(cat ${config.cookieFile})"`} --data '{"method":"getblocktemplate","params":[{"rules":["segwit"]}]}' http://${address}/`,
    'Ctrl-C stops it.',
  ];
  return `${lines.join('\n')}\n`;
}
