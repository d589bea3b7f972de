// Implements -generate: gets a new address from the wallet and mines blocks to it, on regtest.
import { encodeJson } from '../rpc/wire/json-write.js';
import { JsonObject, type JsonValue } from '../rpc/wire/values.js';
import { CliError, post, type Target } from './client.js';

async function call(target: Target, method: string, params: string): Promise<JsonObject> {
  const reply = await post(target, `{"method":"${method}","params":${params},"id":1}\n`);
  if (!(reply instanceof JsonObject)) throw new CliError('expected reply to have result, error and id properties');
  return reply;
}

/**
 * Gets an address, then mines. As in Core the address comes first, so that a missing wallet is reported before wrong
 * arguments.
 * @param words [nblocks [maxtries]]
 */
export async function generateSteps(
  target: Target,
  words: readonly string[],
  maxTries: number,
): Promise<{ result: JsonValue } | { error: JsonValue }> {
  const fresh = await call(target, 'getnewaddress', '[]');
  const failed = fresh.get('error') ?? null;
  if (failed !== null) return { error: failed };
  if (words.length > 2) throw new CliError('too many arguments (maximum 2 for nblocks and maxtries)');
  const blocks = words[0] ?? '1';
  if (/^0+$/.test(blocks))
    throw new CliError('the first argument (number of blocks to generate, default: 1) must be an integer value greater than zero');
  for (const word of words) if (!/^\d{1,15}$/.test(word)) throw new CliError(`Error parsing JSON: ${word}`);
  const address = fresh.get('result') as string;
  const mined = await call(
    { ...target, wallet: undefined },
    'generatetoaddress',
    `[${blocks},${encodeJson(address)},${words[1] ?? maxTries}]`,
  );
  const error = mined.get('error') ?? null;
  if (error !== null) return { error };
  return { result: new JsonObject(['address', 'blocks'], [address, mined.get('result') ?? null]) };
}
