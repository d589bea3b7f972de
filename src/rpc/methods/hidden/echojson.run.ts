// The same as echo: only bitcoin-cli treats the two methods differently.
export { echo as echojson } from './echo.run.js';
