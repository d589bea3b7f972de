// Reads the map of one output. Core: psbt.h PSBTOutput.
import { OUT } from './field-types.js';
import { emptyOutput, type PsbtOutput } from './psbt.js';
import type { PsbtReader } from './psbt-reader.js';
import { checkSingleField, readKeyPath, readMap, readRaw, readTapKeyPath } from './read-fields.js';
import { readMusigOutput } from './read-musig.js';
import { type OutputOfVersion2, readVersion2Output } from './read-version2.js';
import { checkTapTree } from './tap-tree.js';

/** Reads an output. @param version2 receives fields of version 2; null in version 0, which refuses them */
export function readOutput(reader: PsbtReader, version2: OutputOfVersion2 | null): PsbtOutput {
  const output = emptyOutput();
  const seen = new Set<number>();
  readMap(reader, 'output', (key) => {
    switch (key[0]) {
      case OUT.REDEEM_SCRIPT:
        checkSingleField(reader, seen, key, 'Output redeemScript', 'output redeemScript', 'Output redeemScript');
        output.redeemScript = reader.varBytes();
        break;
      case OUT.WITNESS_SCRIPT:
        checkSingleField(reader, seen, key, 'Output witnessScript', 'output witnessScript', 'Output witnessScript');
        output.witnessScript = reader.varBytes();
        break;
      case OUT.BIP32_DERIVATION:
        readKeyPath(reader, key, output.keyPaths);
        break;
      case OUT.AMOUNT:
      case OUT.SCRIPT:
        readVersion2Output(reader, key, output, seen, version2);
        break;
      case OUT.TAP_INTERNAL_KEY:
        checkSingleField(reader, seen, key, 'Output Taproot Internal Key', 'output Taproot internal key', 'Output Taproot internal key');
        output.tapInternalKey = reader.fixedBytes(32);
        break;
      case OUT.TAP_TREE: {
        checkSingleField(reader, seen, key, 'Output Taproot Tree Key', 'output Taproot tree', 'Output Taproot tree');
        const tree = reader.varBytes();
        const fault = checkTapTree(tree);
        if (fault !== null) reader.failStream(fault);
        output.tapTree = tree;
        break;
      }
      case OUT.TAP_BIP32_DERIVATION:
        readTapKeyPath(reader, key, 'output', output.tapKeyPaths);
        break;
      case OUT.MUSIG2_PARTICIPANTS:
        readMusigOutput(reader, key, output.unknown);
        break;
      default:
        readRaw(reader, key, output.unknown);
    }
  });
  return output;
}
