// Script expressions around others, and expressions for a fixed script: sh, wsh (BIP-0381, BIP-0382), addr, raw
// (BIP-0385).
import { compactSizeLength } from '../../consensus/bytes/compact-size.js';
import { toHex } from '../../consensus/bytes/hex.js';
import { scriptHashScript, witnessProgramScript } from '../../consensus/script/build-script.js';
import { OP } from '../../consensus/script/opcodes.js';
import { solve } from '../../policy/script-type.js';
import type { DescriptorContext } from './context.js';
import type { DeriveOptions, OutputType } from './derive-options.js';
import type { KeyExpression } from './key-expression.js';
import type { ExpansionBuilder, KeyPrinter, Satisfaction, ScriptNode, SizeTerms } from './script-node.js';

/** Script that contains the hash of another script. */
abstract class HashNode implements ScriptNode {
  readonly isSingleType = true;
  abstract readonly outputType: OutputType | null;
  protected abstract readonly name: string;
  protected readonly inner: ScriptNode;

  constructor(inner: ScriptNode) {
    this.inner = inner;
  }

  get isSolvable(): boolean {
    return this.inner.isSolvable;
  }

  keys(): readonly KeyExpression[] {
    return this.inner.keys();
  }

  text(print: KeyPrinter): string | null {
    const inner = this.inner.text(print);
    return inner === null ? null : `${this.name}(${inner})`;
  }

  makeScripts(index: number, options: DeriveOptions, context: DescriptorContext, out: ExpansionBuilder | null): Uint8Array[] | null {
    const scripts = this.inner.makeScripts(index, options, context, out);
    if (scripts === null) return null;
    out?.addInnerScript(scripts[0]);
    return [this.scriptOf(scripts[0], context)];
  }

  largestSatisfaction(terms: SizeTerms, context: DescriptorContext): Satisfaction | null {
    const inner = this.inner.largestSatisfaction(terms, context);
    const scripts = this.inner.makeScripts(0, {}, context, null);
    return inner && scripts && this.withScriptSize(inner, scripts[0].length, terms);
  }

  protected abstract scriptOf(inner: Uint8Array, context: DescriptorContext): Uint8Array;

  /** Adds the bytes of the inner script to the size of the data that satisfies it. */
  protected abstract withScriptSize(inner: Satisfaction, scriptBytes: number, terms: SizeTerms): Satisfaction;
}

/** Returns the number of bytes that push a script of a given size. */
function pushBytes(length: number): number {
  if (length < OP.OP_PUSHDATA1) return 1;
  return length <= 0xff ? 2 : 3;
}

/** Expression sh(SCRIPT): pays to the HASH160 of the inner script. */
export class ShNode extends HashNode {
  protected readonly name = 'sh';

  get outputType(): OutputType {
    return this.inner.outputType === 'bech32' ? 'p2sh-segwit' : 'legacy';
  }

  protected scriptOf(inner: Uint8Array, { hashes }: DescriptorContext): Uint8Array {
    return scriptHashScript(hashes.hash160(inner));
  }

  protected withScriptSize({ scriptSig, witness, elements }: Satisfaction, scriptBytes: number, { exactPushes }: SizeTerms): Satisfaction {
    const push = exactPushes ? pushBytes(scriptBytes) : 1;
    return { scriptSig: scriptSig + push + scriptBytes, witness, elements };
  }
}

/** Expression wsh(SCRIPT): pays to the SHA-256 of the inner script. */
export class WshNode extends HashNode {
  readonly outputType = 'bech32';
  protected readonly name = 'wsh';

  protected scriptOf(inner: Uint8Array, { hashes }: DescriptorContext): Uint8Array {
    return witnessProgramScript(0, hashes.sha256(inner));
  }

  protected withScriptSize({ scriptSig, elements }: Satisfaction, scriptBytes: number): Satisfaction {
    return { scriptSig: 0, witness: scriptSig + compactSizeLength(scriptBytes) + scriptBytes, elements: elements + 1 };
  }
}

/** addr(ADDRESS) and raw(HEX): a script about which nothing else is known. */
export class FixedNode implements ScriptNode {
  readonly isSolvable = false;
  readonly isSingleType = true;
  readonly #script: Uint8Array;
  readonly #address: string | null;

  /** @param address text for addr(); null for raw() */
  constructor(script: Uint8Array, address: string | null) {
    this.#script = script;
    this.#address = address;
  }

  get outputType(): OutputType | null {
    switch (solve(this.#script).type) {
      case 'pubkeyhash':
      case 'scripthash':
        return 'legacy';
      case 'witness_v0_keyhash':
      case 'witness_v0_scripthash':
      case 'anchor':
      case 'witness_unknown':
        return 'bech32';
      case 'witness_v1_taproot':
        return 'bech32m';
      default:
        return null;
    }
  }

  keys(): readonly KeyExpression[] {
    return [];
  }

  text(): string {
    return this.#address === null ? `raw(${toHex(this.#script)})` : `addr(${this.#address})`;
  }

  makeScripts(): Uint8Array[] {
    return [this.#script];
  }

  largestSatisfaction(): null {
    return null;
  }
}
