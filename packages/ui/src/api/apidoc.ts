// The description of the API by the hub itself, and calls that a reader makes up from it.
import { type Answer, call } from "./call.ts";

/** A parameter in the query of a request (OpenAPI 3.1). */
export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: { readonly description?: string; readonly enum?: readonly unknown[] };
}

/** What can be done at a path. */
export interface Operation {
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: unknown;
}

/** The part of an OpenAPI document that the page reads: operations by method, by path. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

export function apidoc(signal: AbortSignal): Promise<Answer<ApiDocument>> {
  return call("/apidoc", { unversioned: true, signal });
}

/** Makes a call that a reader has made up. @param body the text of JSON; empty for none @throws SyntaxError */
export function tryCall(
  method: "GET" | "PUT" | "POST" | "DELETE",
  path: string,
  query: Readonly<Record<string, string>>,
  body: string,
): Promise<Answer<unknown>> {
  const parsed = body.trim() === "" ? {} : { body: JSON.parse(body) as unknown };
  return call(path, { method, query, ...parsed, unversioned: true });
}
