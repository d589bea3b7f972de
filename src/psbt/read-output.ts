// Reads the map of one output. Core: psbt.h PSBTOutput.
import { OUT } from './field-types.js';
import { emptyOutput, type PsbtOutput } from './psbt.js';
import { failRead, type PsbtReader } from './psbt-reader.js';
import { once, readKeyPath, readMap, readRaw, readTapKeyPath } from './read-fields.js';
import { readMusigOutput } from './read-musig.js';
import { type OutputOfVersion2, readOutput2 } from './read-version2.js';
import { checkTapTree } from './tap-tree.js';

/** @param version2 filled in version 2, null in version 0, where its fields are refused */
export function readOutput(reader: PsbtReader, version2: OutputOfVersion2 | null): PsbtOutput {
  const output = emptyOutput();
  const seen = new Set<number>();
  readMap(reader, 'an output map', (key) => {
    switch (key[0]) {
      case OUT.REDEEM_SCRIPT:
        once(seen, key, 'output redeemScript', 'Output redeemScript');
        output.redeemScript = reader.varBytes();
        break;
      case OUT.WITNESS_SCRIPT:
        once(seen, key, 'output witnessScript', 'Output witnessScript');
        output.witnessScript = reader.varBytes();
        break;
      case OUT.BIP32_DERIVATION:
        readKeyPath(reader, key, output.keyPaths);
        break;
      case OUT.AMOUNT:
      case OUT.SCRIPT:
        readOutput2(reader, key, output, seen, version2);
        break;
      case OUT.TAP_INTERNAL_KEY:
        once(seen, key, 'output Taproot internal key', 'Output Taproot internal key');
        output.tapInternalKey = reader.fixed(32);
        break;
      case OUT.TAP_TREE: {
        once(seen, key, 'output Taproot tree', 'Output Taproot tree');
        const tree = reader.varBytes();
        const fault = checkTapTree(tree);
        if (fault !== null) failRead(fault);
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
