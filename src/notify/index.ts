// Face of this module, without its options, which src/config reads.
export { Hooks, quoted, runCommands } from './hooks.js';
export { type HookEvent, Webhooks } from './webhooks.js';
export { type ShownEndpoint, type ZmqEndpoint, ZmqPublisher } from './zmq-publisher.js';
