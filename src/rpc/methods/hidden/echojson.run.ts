// echojson does what echo does. Only bitcoin-cli treats the two methods differently.
export { echo as echojson } from './echo.run.js';
