// Options of notifications.

/** Core's ZeroMQ topics, and the shares of Stratum V1 miners. */
export const zmqTopics = ['hashblock', 'hashtx', 'rawblock', 'rawtx', 'sequence', 'share'] as const;
export type ZmqTopic = (typeof zmqTopics)[number];

/** Commands and webhooks. */
export const NOTIFY_ROWS = {
  alert: ['alertnotify', 'list', 'Run this command when there is a warning. %s is its text'],
  block: ['blocknotify', 'list', 'Run this command for each new tip. %s is the block hash'],
  startup: ['startupnotify', 'list', 'Run this command when the node is ready'],
  shutdown: ['shutdownnotify', 'list', 'Run this command before the node stops. The node waits until the command has ended'],
  urls: ['notifyurl', 'list', 'POST new tips, starts and alerts to this URL as JSON'],
} as const;

/** Core's default limit of queued messages per subscriber. */
export const CORE_HIGH_WATER_MARK = 1000;

/** Options of a ZeroMQ topic. */
export const zmqRows = (topic: ZmqTopic) =>
  ({
    addresses: [`zmqpub${topic}`, 'list', `Publish ${topic} at this address, such as tcp://127.0.0.1:28332`],
    highWaterMark: [
      `zmqpub${topic}hwm`,
      'int',
      `Maximum number of messages to queue for each subscriber at the address of ${topic} (0: no limit; default: ${topic === 'share' ? CORE_HIGH_WATER_MARK : 'enough for six full blocks'})`,
      undefined,
      { least: 0 },
    ],
  }) as const;
