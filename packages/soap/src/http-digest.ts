import { createHash } from "node:crypto";

/** A user of a device. */
export interface Login {
  readonly username: string;
  readonly password: string;
}

const hashes: Readonly<Record<string, string>> = { "": "md5", MD5: "md5", "SHA-256": "sha256" };

/**
 * Returns the Authorization header that answers a challenge (RFC 7616: MD5 or SHA-256, with `auth` or without a
 * quality of protection); undefined where none of the challenges is a Digest that it knows. Basic is never answered: it
 * would show the password to everybody on the network.
 * @param challenge the WWW-Authenticate header; several are joined by commas
 * @param cnonce a fresh random text
 */
export function digestAnswer(
  challenge: string,
  { username, password }: Login,
  { method, path, cnonce }: { readonly method: string; readonly path: string; readonly cnonce: string },
): string | undefined {
  const known = challengesIn(challenge).flatMap((fields) => {
    const hash = hashes[(fields.get("algorithm") ?? "").toUpperCase()];
    const nonce = fields.get("nonce");
    const qops = fields
      .get("qop")
      ?.split(",")
      .map((each) => each.trim());
    if (hash === undefined || nonce === undefined || (qops && !qops.includes("auth"))) return [];
    return [{ fields, hash, nonce, hasQop: qops !== undefined }];
  });
  const chosen = known.find(({ hash }) => hash === "sha256") ?? known[0];
  if (chosen === undefined) return undefined;
  const { fields, hash, nonce, hasQop } = chosen;
  const digest = (...parts: readonly string[]): string =>
    createHash(hash).update(parts.join(":")).digest("hex");
  const realm = fields.get("realm") ?? "";
  const [ha1, ha2] = [digest(username, realm, password), digest(method, path)];
  const count = "00000001";
  const response = hasQop ? digest(ha1, nonce, count, cnonce, "auth", ha2) : digest(ha1, nonce, ha2);
  const quoted = { username, realm, nonce, uri: path, response, opaque: fields.get("opaque") };
  const texts = Object.entries(quoted).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}="${value.replaceAll(/["\\]/g, "\\$&")}"`],
  );
  const algorithm = fields.get("algorithm");
  if (algorithm !== undefined) texts.push(`algorithm=${algorithm}`);
  if (hasQop) texts.push("qop=auth", `nc=${count}`, `cnonce="${cnonce}"`);
  return `Digest ${texts.join(", ")}`;
}

const longest = 4096;

/** The Digest challenges of a header, each with its fields by name in lower case. */
function challengesIn(header: string): readonly ReadonlyMap<string, string>[] {
  const found: Map<string, string>[] = [];
  let current: Map<string, string> | undefined;
  // A scheme stands before its first field: `Digest realm="…", nonce="…", Basic realm="…"`.
  const part =
    /(?:(?<scheme>[A-Za-z]+)[ \t]+)?(?<name>[A-Za-z]+)=(?:"(?<quoted>(?:[^"\\]|\\.)*)"|(?<token>[^\s,"]+))/g;
  for (const { groups } of header.slice(0, longest).matchAll(part)) {
    const { scheme, name = "", quoted, token = "" } = groups ?? {};
    if (scheme !== undefined) {
      current = scheme.toLowerCase() === "digest" ? new Map() : undefined;
      if (current !== undefined) found.push(current);
    }
    current?.set(name.toLowerCase(), quoted?.replaceAll(/\\(.)/g, "$1") ?? token);
  }
  return found;
}
