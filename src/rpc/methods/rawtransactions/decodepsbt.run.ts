// Core 0.21: rpc/rawtransaction.cpp.

import type { DecodeRun } from '../../front/context.js';
import { psbtMembers } from '../../render/psbt.js';
import { asPsbt } from '../../render/psbt-text.js';
import type { decodepsbt as spec } from './decodepsbt.spec.js';

export const decodepsbt: DecodeRun<typeof spec> = ({ psbt }, ctx) => psbtMembers(asPsbt(psbt, ctx), ctx);
