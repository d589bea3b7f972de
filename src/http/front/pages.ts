// Status lines, and the bodies of error replies. In Core 0.21 libevent makes the error pages; these are the same bytes.

const REASONS: Readonly<Record<number, string>> = {
  200: 'OK',
  204: 'No Content',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  413: 'Request Entity Too Large',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  503: 'Service Unavailable',
};

/** Returns a status line, such as `200 OK`. */
export function statusLine(status: number): string {
  return `${status} ${REASONS[status] ?? 'Unknown'}`;
}

let dateText = '';
let dateSecond = 0;

/** Returns the current time in the format of the Date header. */
export function httpDate(): string {
  const second = Math.floor(Date.now() / 1000);
  if (second !== dateSecond) {
    dateSecond = second;
    dateText = new Date(second * 1000).toUTCString();
  }
  return dateText;
}

/** Returns libevent's error page for a status. */
export function errorPage(status: number): string {
  const reason = REASONS[status] ?? 'Unknown';
  return `<HTML><HEAD>\n<TITLE>${status} ${reason}</TITLE>\n</HEAD><BODY>\n<H1>${reason}</H1>\n</BODY></HTML>\n`;
}

/** Content type of bytes. */
export const TYPE_BYTES = 'application/octet-stream';
/** Content type of REST texts. */
export const TYPE_TEXT = 'text/plain';
/** Content type of JSON. */
export const TYPE_JSON = 'application/json';
/** Content type of error pages. */
export const TYPE_PAGE = 'text/html';
/** Content type of all other bodies: empty ones and plain texts. */
export const TYPE_DEFAULT = 'text/html; charset=ISO-8859-1';
