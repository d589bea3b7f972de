// Face of this module.
export { Args, ConfigError } from './args.js';
export type { Flag, FlagKind } from './flags.js';
export { type FrontConfig, frontFlags, frontUsage, loadFrontConfig, parseFrontArgs } from './front-config.js';
export { describeFlags, helpText } from './help.js';
export { loadConfig, type NodeConfig, parseArgs } from './load.js';
export { chainFolders, compatOption, defaultDataDir, locate } from './locate.js';
export { rewriteSettings, updateSettingsList } from './settings-file.js';
export type { StratumConfig } from './stratum-options.js';
export type { Sv2Config } from './sv2-options.js';
export { buildCommit, protocolVersion, version, versionText } from './version.js';
