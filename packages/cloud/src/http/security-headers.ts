import { limits } from "@ledge/model";

/** Headers of every answer: browsers must not cache, frame, sniff or leak it. */
export const securityHeaders = {
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
} as const;

/** A further header of answers over TLS: browsers must always use TLS. */
export const strictTransport = {
  "strict-transport-security": `max-age=${limits.strictTransportMs / 1000}`,
} as const;
