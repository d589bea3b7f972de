import type { FrontRun } from '../../front/context.js';
import type { echo as spec } from './echo.spec.js';

export const echo: FrontRun<typeof spec> = ({ args }, _ctx) => args;
