// Calls that change who the node is connected to: addnode, disconnectnode, getaddednodeinfo, ping, setban, listbanned,
// clearbanned, setnetworkactive, getnodeaddresses, getrawaddrman, addpeeraddress, getblockfrompeer, exportasmap.
import path from 'node:path';
import { hashFromHex } from '../../consensus/bytes/hex.js';
import { replaceFile } from '../../lib/durable-file.js';
import { follows } from '../../policy/compat.js';
import { asBool, asHashHex, asInt, asInt64, asString } from '../args.js';
import { methodsOf } from '../declare/methods.js';
import type { Run } from '../dispatch.js';
import { fail, RPC_CODE } from '../errors.js';
import { renderHelp } from '../help.js';
import { hex } from '../render/hex.js';
import { encodeJson, encodeString } from '../wire/json-write.js';
import { Pieces } from '../wire/pieces.js';
import { type JsonValue, RawJson } from '../wire/values.js';
import type { FoundType, KnownNode, NodeContext } from './context.js';
import { regtestOnly } from './control.js';
import { Slicer } from './slices.js';

type NodeRun = Run<NodeContext>;

/** The word after the first argument, one of those given; to another Core answers with the method's page. */
function commandOf({ compat }: NodeContext, value: JsonValue | undefined, method: string, words: readonly string[]): string {
  const command = value === null || value === undefined ? '' : asString(value);
  if (words.includes(command)) return command;
  const spec = methodsOf(true, compat).get(method);
  return fail(RPC_CODE.MISC_ERROR, spec === undefined ? '' : renderHelp(spec));
}

const NETWORKS = ['ipv4', 'ipv6', 'onion', 'i2p', 'cjdns'];

const FOUND_TYPES: readonly FoundType[] = ['outbound-full-relay', 'block-relay-only', 'addr-fetch', 'feeler'];

export const addconnection: NodeRun = async (ctx, args) => {
  regtestOnly(ctx, 'addconnection');
  const address = asString(args[0]);
  const words = asString(args[1]).trim();
  const type = FOUND_TYPES.find((one) => one === words);
  if (type === undefined) {
    const spec = methodsOf(true, ctx.compat).get('addconnection');
    return fail(RPC_CODE.INVALID_PARAMETER, spec === undefined ? '' : renderHelp(spec));
  }
  const encrypted = (args[2] ?? null) !== null && asBool(args[2]);
  const { control } = ctx.network;
  if (encrypted && !control.encrypts()) {
    fail(RPC_CODE.INVALID_PARAMETER, 'Error: Adding v2transport connections requires -v2transport init flag to be set.');
  }
  if (!(await control.openConnection(address, type, encrypted))) {
    fail(RPC_CODE.CLIENT_NODE_CAPACITY_REACHED, 'Error: Already at capacity for specified connection type.');
  }
  return { address, connection_type: type };
};

export const addnode: NodeRun = async (ctx, args) => {
  const command = commandOf(ctx, args[1], 'addnode', ['onetry', 'add', 'remove']);
  const node = asString(args[0]);
  const { control } = ctx.network;
  const encrypted = (args[2] ?? null) === null ? undefined : asBool(args[2]);
  if (encrypted === true && !control.encrypts()) {
    fail(RPC_CODE.INVALID_PARAMETER, 'Error: v2transport requested but not enabled (see -v2transport)');
  }
  if (command === 'onetry') {
    await control.connectOnce(node, encrypted);
  } else if (command === 'add') {
    if (!control.addNode(node, encrypted)) fail(RPC_CODE.CLIENT_NODE_ALREADY_ADDED, 'Error: Node already added');
  } else if (!control.removeNode(node)) {
    fail(RPC_CODE.CLIENT_NODE_NOT_ADDED, 'Error: Node could not be removed. It has not been added previously.');
  }
  return null;
};

export const disconnectnode: NodeRun = (ctx, args) => {
  const [address, id] = [args[0] ?? null, args[1] ?? null];
  const { control } = ctx.network;
  let found: boolean;
  if (address !== null && id === null) found = control.disconnectAddress(asString(address));
  else if (id !== null && (address === null || address === '')) found = control.disconnectId(Number(asInt64(id)));
  else return fail(RPC_CODE.INVALID_PARAMS, 'Only one of address and nodeid should be provided.');
  if (!found) fail(RPC_CODE.CLIENT_NODE_NOT_CONNECTED, 'Node not found in connected nodes');
  return null;
};

export const getaddednodeinfo: NodeRun = async (ctx, args) => {
  const all = await ctx.network.control.addedNodes();
  if ((args[0] ?? null) === null) return all;
  const wanted = asString(args[0]);
  const found = all.filter(({ addednode }) => addednode === wanted);
  return found.length > 0 ? found : fail(RPC_CODE.CLIENT_NODE_NOT_ADDED, 'Error: Node has not been added.');
};

export const ping: NodeRun = (ctx) => {
  ctx.network.control.pingAll();
  return null;
};

export const setban: NodeRun = (ctx, args) => {
  const command = commandOf(ctx, args[1], 'setban', ['add', 'remove']);
  const text = asString(args[0]);
  const { control } = ctx.network;
  if (!control.isSubnet(text)) return fail(RPC_CODE.CLIENT_INVALID_IP_OR_SUBNET, 'Error: Invalid IP/Subnet');
  if (command === 'remove') {
    if (control.unban(text)) return null;
    return fail(RPC_CODE.CLIENT_INVALID_IP_OR_SUBNET, 'Error: Unban failed. Requested address/subnet was not previously manually banned.');
  }
  if (control.isBanned(text)) return fail(RPC_CODE.CLIENT_NODE_ALREADY_ADDED, 'Error: IP/Subnet already banned');
  const seconds = (args[2] ?? null) === null ? 0 : Number(asInt64(args[2]));
  const absolute = args[3] === undefined || args[3] === null ? false : asBool(args[3]);
  if (absolute && seconds < ctx.clock.nowSeconds() && follows(ctx.compat, 22)) {
    fail(RPC_CODE.INVALID_PARAMETER, 'Error: Absolute timestamp is in the past');
  }
  control.ban(text, seconds, absolute);
  return null;
};

export const listbanned: NodeRun = (ctx) =>
  ctx.network.control.bans().map(({ address, until, createdAt }) => ({
    address,
    banned_until: until,
    ban_created: createdAt,
    ban_duration: until - createdAt,
    time_remaining: until - ctx.clock.nowSeconds(),
  }));

export const clearbanned: NodeRun = (ctx) => {
  ctx.network.control.clearBans();
  return null;
};

export const setnetworkactive: NodeRun = (ctx, args) => {
  ctx.network.control.setActive(asBool(args[0]));
  return ctx.network.active;
};

export const getnodeaddresses: NodeRun = (ctx, args) => {
  const count = (args[0] ?? null) === null ? 1 : asInt(args[0]);
  if (count < 0) fail(RPC_CODE.INVALID_PARAMETER, 'Address count out of range');
  const named = (args[1] ?? null) === null ? undefined : asString(args[1]);
  const network = named === undefined ? undefined : NETWORKS.find((one) => one === named.toLowerCase());
  if (named !== undefined && network === undefined) fail(RPC_CODE.INVALID_PARAMETER, `Network not recognized: ${named}`);
  return ctx.network.control.knownAddresses(count, network).map((known) => ({ ...known }));
};

export const getaddrmaninfo: NodeRun = (ctx) => {
  const all = { new: 0, tried: 0, total: 0 };
  const out: Record<string, typeof all> = {};
  for (const [network, count] of ctx.network.control.addressCounts()) {
    const total = count.new + count.tried;
    out[network] = { new: count.new, tried: count.tried, total };
    all.new += count.new;
    all.tried += count.tried;
    all.total += total;
  }
  return { ...out, all_networks: all };
};

export const addpeeraddress: NodeRun = (ctx, args) => {
  const address = asString(args[0]);
  const port = asInt(args[1]);
  return { success: ctx.network.control.addAddress(address, port) };
};

export const getblockfrompeer: NodeRun = (ctx, args) => {
  const hash = hashFromHex(asHashHex(args[0], 'blockhash'));
  const fault = ctx.network.control.fetchBlock(hash, asInt(args[1]));
  return fault === null ? {} : fail(RPC_CODE.MISC_ERROR, fault);
};

const system = (key: string, number: number): Record<string, number> => (number === 0 ? {} : { [key]: number });

/** A table as an object by places, in slices: a full one has 65,536 addresses. */
async function tableObject(table: Iterable<readonly [string, KnownNode]>, slicer: Slicer): Promise<RawJson> {
  const pieces = new Pieces(',');
  for (const [place, known] of table) {
    const shown = {
      address: known.address,
      ...system('mapped_as', known.system),
      port: known.port,
      services: known.services,
      time: known.time,
      network: known.network,
      source: known.source.address,
      source_network: known.source.network,
      ...system('source_mapped_as', known.source.system),
    };
    pieces.add(`${encodeString(place)}:${encodeJson(shown)}`);
    if (slicer.due) await slicer.pause();
  }
  return new RawJson(`{${pieces.text()}}`);
}

export const getrawaddrman: NodeRun = async (ctx, _, call) => {
  const tables = ctx.network.control.addressTables();
  const slicer = new Slicer(call.breathe);
  return { new: await tableObject(tables.new, slicer), tried: await tableObject(tables.tried, slicer) };
};

/** Core has a map of its own to give away; here it is the operator's. */
export const exportasmap: NodeRun = async (ctx, args) => {
  const file = path.resolve(ctx.folder, asString(args[0]));
  const bytes = (await ctx.readAsmap()) ?? fail(RPC_CODE.MISC_ERROR, 'No embedded ASMap data available');
  await replaceFile(file, [bytes]).catch(() => fail(RPC_CODE.MISC_ERROR, `Failed to open asmap file: ${file}`));
  return { path: file, bytes_written: bytes.length, file_hash: hex(ctx.crypto.sha256(bytes)) };
};
