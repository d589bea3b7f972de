// Face of this module for the node thread.
export { type ChosenTransactions, nothingChosen } from './assembly.js';
export type { TemplateChoice } from './client-templates.js';
export { commitmentScript } from './coinbase.js';
export { CoinbaseWatch } from './coinbase-watch.js';
export type { TemplateFacts } from './facts.js';
export type { TemplateRequest } from './request.js';
export { TemplateService } from './service.js';
export type { TemplateTip } from './source.js';
export type { TipFacts } from './tip-facts.js';
export type { TemplateVerdict, VerdictTemplate } from './verdict.js';
