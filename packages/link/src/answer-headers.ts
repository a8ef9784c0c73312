/** Headers of every answer: any web page may call, because credentials travel in a header and none is ambient. */
export const openHeaders = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "retry-after, ledge-recorded",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
} as const;

/**
 * Headers of the answer to a preflight request: the headers and methods that browser clients use (wire-facts
 * 4).
 */
export const preflightHeaders = {
  ...openHeaders,
  "access-control-allow-headers": "authorization, x-hub-key, content-type, accept-language, last-event-id",
  "access-control-allow-methods": "GET, PUT, POST, DELETE",
  "access-control-max-age": "86400",
} as const;
