import { accepts } from "./accepts.ts";

/** The ways in which a file stands packed beside itself, the smallest first. */
export const packings = ["br", "gzip"] as const;
export type Packing = (typeof packings)[number];

/** A file of the web interface. */
export interface WebFile {
  /** Such as `text/javascript; charset=utf-8`. */
  readonly contentType: string;
  /** Quoted, as in the header `ETag`; changes with the content. */
  readonly etag: string;
  /** Its name changes with its content, so that a browser need not ask again. */
  readonly isLasting: boolean;
  readonly packings: readonly Packing[];
  /** @returns its bytes, as they are or packed @throws Error of node:fs when it has gone */
  read(packing?: Packing): Promise<Uint8Array>;
}

/** The files of the web interface by name, such as `index.html`. */
export interface WebFiles {
  find(name: string): WebFile | undefined;
}

/** The web interface, with the policy that its files are served under. */
export interface Web {
  readonly files: WebFiles;
  /** As `webPolicy` returns it. */
  readonly policy: string;
}

/** No web interface. */
export const noWeb: Web = { files: { find: () => undefined }, policy: "" };

/** The headers of a request that decide how a file is answered. */
export interface WebRequest {
  readonly acceptEncoding: string | undefined;
  readonly ifNoneMatch: string | undefined;
}

const yearS = 31_536_000;

/**
 * Returns the Content-Security-Policy of the interface: code and styles of its own alone, no inline code, no frames.
 * @param elsewhere origins that the page may call besides its own, such as that of the cloud
 */
export function webPolicy(elsewhere: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    ["connect-src 'self'", ...elsewhere].join(" "),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
}

/**
 * Answers a file: with 304 if the browser has it, else packed as the browser accepts it.
 * @param policy as `webPolicy` returns it
 */
export async function respondWebFile(file: WebFile, request: WebRequest, policy: string): Promise<Response> {
  const headers: Record<string, string> = {
    "content-type": file.contentType,
    "content-security-policy": policy,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": file.isLasting ? `public, max-age=${yearS}, immutable` : "no-cache",
    etag: file.etag,
    vary: "accept-encoding",
  };
  if (isKnown(file.etag, request.ifNoneMatch)) return new Response(null, { status: 304, headers });
  const packing = file.packings.find((name) => accepts(request.acceptEncoding, name));
  if (packing !== undefined) headers["content-encoding"] = packing;
  const bytes = await file.read(packing);
  return new Response(bytes as Uint8Array<ArrayBuffer>, { headers });
}

/** Whether a browser holds the content already (RFC 9110 13.1.2: weak comparison). */
function isKnown(etag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false;
  const held = new Set(ifNoneMatch.split(",").map((tag) => tag.trim().replace(/^W\//, "")));
  return held.has(etag) || held.has("*");
}
