import { limits } from "@ledge/model";

/** What every answer says to browsers, whoever has made it: nothing is kept, framed, guessed at or told on. */
export const securityHeaders = {
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
} as const;

/** What answers that came over TLS say besides: never call without it. */
export const strictTransport = {
  "strict-transport-security": `max-age=${limits.strictTransportMs / 1000}`,
} as const;
