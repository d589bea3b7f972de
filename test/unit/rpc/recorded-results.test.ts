// Checks that every result of Bitcoin Core 0.21.1 in the recorded conversations has the shape of the method's
// declaration: no other member, none missing, each of its type. The OpenRPC document contains this shape.
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import t from 'tap';
import { COMPATS } from '../../../src/policy/compat.js';
import { methodsOf } from '../../../src/rpc/declare/methods.js';
import { openRpcDocument } from '../../../src/rpc/openrpc.js';
import { schemaFaults } from '../../framework/schema-faults.js';

/** For each version: the folder with its recordings, and the number of methods of which they contain a result. */
const RECORDINGS = [['0.21.1', 'conformance', 87]] as const;
const tests = path.resolve(import.meta.dirname, '../../../../test');

/** Returns the result in a reply; undefined for errors and for replies that are not JSON-RPC. */
function resultOf(reply: string): unknown {
  try {
    const parsed = JSON.parse(reply) as { result?: unknown; error?: unknown } | null;
    return parsed?.error === null ? parsed.result : undefined;
  } catch {
    return undefined;
  }
}

for (const [version, name, count] of RECORDINGS) {
  t.test(`the recorded results of Core ${version} match the declared schemas`, async (t) => {
    const compat = COMPATS[version];
    const document = openRpcDocument(methodsOf(true, compat).values(), compat);
    const schemas = new Map(document.methods.map((method) => [method.name, method.result.schema]));
    const folder = path.join(tests, name);
    const seen = new Set<string>();
    for (const file of fs.readdirSync(folder).filter((one) => one.endsWith('.jsonl.gz'))) {
      const faults: string[] = [];
      for (const line of zlib
        .gunzipSync(fs.readFileSync(path.join(folder, file)))
        .toString()
        .split('\n')) {
        if (line === '') continue;
        const { n, method, reply } = JSON.parse(line) as { n?: number; method?: string; reply?: string };
        const schema = method === undefined ? undefined : schemas.get(method);
        const result = resultOf(reply ?? '');
        if (schema === undefined || result === undefined) continue;
        seen.add(method!);
        for (const fault of schemaFaults(schema, result, true)) faults.push(`${n} ${method} ${fault}`);
      }
      t.same(faults, [], file);
    }
    t.equal(seen.size, count);
  });
}
