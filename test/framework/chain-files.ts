// Reads the chains in the folder of vectors: files with one block in hex per line, whose names begin with the network.
import { parseBlock } from '../../src/consensus/block/block-view.js';
import { fromHex, toHex } from '../../src/consensus/bytes/hex.js';
import type { ChainName } from '../../src/consensus/params/chain-params.js';
import { chainParams } from '../../src/consensus/params/networks.js';
import { createNativeCrypto } from '../../src/crypto/native/index.js';
import { readLines, vectorNames } from './vector-suite.js';

const crypto = createNativeCrypto();

/** A file with consecutive blocks. */
export interface ChainFile {
  readonly name: string;
  readonly network: ChainName;
  /** Blocks of the file in hex. */
  readonly lines: string[];
  /**
   * Blocks of other files, from the one after genesis to the parent of the first block of this file; null if they are
   * missing.
   */
  readonly before: string[] | null;
}

/** Returns the network with which a file's name begins. @throws if there is no such network */
function networkIn(name: string): ChainName {
  const network = /^[a-z0-9]+/.exec(name)?.[0] as ChainName;
  chainParams(network);
  return network;
}

/** Returns all files, each with the blocks before its first one. */
export function chainFiles(): ChainFile[] {
  const files = vectorNames('chains', /\.hex$/).map((name) => ({ name, network: networkIn(name), lines: readLines(`chains/${name}`) }));
  const prevOf = (line: string): string => line.slice(8, 72);
  const hashOf = (line: string): string => toHex(parseBlock(fromHex(line), crypto).hash);
  const pathTo = (network: ChainName, prev: string, tried: readonly string[]): string[] | null => {
    if (prev === toHex(chainParams(network).genesisHash) || prev === '00'.repeat(32)) return [];
    for (const { name, network: other, lines } of files) {
      if (other !== network || tried.includes(name)) continue;
      const at = lines.findIndex((line) => hashOf(line) === prev);
      const before = at < 0 ? null : pathTo(network, prevOf(lines[0]!), [...tried, name]);
      if (before !== null) return [...before, ...lines.slice(0, at + 1)];
    }
    return null;
  };
  return files.map((file) => ({
    ...file,
    before: file.lines.length === 0 ? [] : pathTo(file.network, prevOf(file.lines[0]!), [file.name]),
  }));
}
