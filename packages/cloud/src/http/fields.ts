import type { IncomingMessage } from "node:http";
import { bodyBounds, invalid, parseJson, readBody, Refused } from "@ledge/link";
import { limits } from "@ledge/model";
import type { Row } from "./row.ts";
import type { Site } from "./sites.ts";

type Fields = Record<string, unknown>;

/**
 * Reads a request's fields from where its row expects them. When they may be anywhere, the body decides and
 * not the content type, which some clients omit (wire-facts 4).
 * @returns an unchecked object without a prototype; or 400, 413 or 422
 */
export async function readFields(
  request: Request,
  incoming: IncomingMessage | undefined,
  { from = "query", fields, bodyAs, bodyBytes = limits.cloudBodyBytes }: Row,
  { hasProblems }: Site,
): Promise<Fields | Refused> {
  if (fields === undefined) return bare();
  const query =
    from === "json" || from === "bytes" ? bare() : parametersOf(new URL(request.url).searchParams);
  if (from === "query") return query;
  const body = await readBody(request, incoming, bodyBytes);
  if (body instanceof Refused) return body;
  if (from === "bytes") return Object.assign(bare(), { [bodyAs ?? "body"]: body });
  if (from === "any") {
    const text = Buffer.from(body).toString("latin1").trim();
    if (text === "") return query;
    if (!text.startsWith("{")) return Object.assign(query, formOf(body));
  }
  const parsed = parseJson(body, bodyBounds, hasProblems ? 400 : 422);
  if (parsed instanceof Refused) return parsed;
  const { value } = parsed;
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return invalid([{ field: "", message: "the body is not an object" }]);
  return Object.assign(query, bodyAs === undefined ? value : { [bodyAs]: value });
}

function formOf(body: Uint8Array): Fields {
  return parametersOf(new URLSearchParams(Buffer.from(body).toString()));
}

/** Of a repeated parameter the first counts. */
function parametersOf(parameters: URLSearchParams): Fields {
  const found = bare();
  for (const [name, value] of [...parameters].slice(0, limits.queryParameters)) found[name] ??= value;
  return found;
}

function bare(): Fields {
  return Object.create(null) as Fields;
}
