// Runs echojson: the difference to echo is the command line client's.
export { echo as echojson } from './echo.run.js';
