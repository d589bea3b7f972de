// Options of what tells the outside.

/** Core's topics of ZeroMQ. */
export const zmqTopics = ['hashblock', 'hashtx', 'rawblock', 'rawtx', 'sequence'] as const;
export type ZmqTopic = (typeof zmqTopics)[number];

/** Commands and webhooks. */
export const NOTIFY_ROWS = {
  alert: ['alertnotify', 'list', 'Run this command when something is wrong; %s is what'],
  block: ['blocknotify', 'list', 'Run this command for each new tip; %s is its hash'],
  startup: ['startupnotify', 'list', 'Run this command once the node is up'],
  shutdown: ['shutdownnotify', 'list', 'Run this command before the node stops, which waits for its end'],
  urls: ['notifyurl', 'list', 'POST new tips, starts and alerts to this URL as JSON'],
} as const;

/** Messages that may wait for a subscriber in Core unless the operator says otherwise. */
export const CORE_HIGH_WATER_MARK = 1000;

/** Where a topic is published. */
export const zmqRows = (topic: ZmqTopic) =>
  ({
    addresses: [`zmqpub${topic}`, 'list', `Publish ${topic} at this address, such as tcp://127.0.0.1:28332`],
    highWaterMark: [
      `zmqpub${topic}hwm`,
      'int',
      `Messages at the address of ${topic} that may wait for each subscriber (0: no limit; default: what six full blocks take)`,
      undefined,
      { least: 0 },
    ],
  }) as const;
