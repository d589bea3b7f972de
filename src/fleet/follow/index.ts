// Face of this module for processes of fronts.
export type { FleetFigures } from './figures.js';
export { FrontProvider } from './front-provider.js';
export { fleetPage } from './page.js';
export { routeOf } from './request.js';
export { FleetSource } from './source.js';
