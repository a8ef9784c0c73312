import type { ApiDocument, Parameter } from "../../api/apidoc.ts";

const methods = ["get", "put", "post", "delete"] as const;
export type Method = Uppercase<(typeof methods)[number]>;

/** One thing that a program can ask the hub. */
export interface Endpoint {
  readonly method: Method;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly hasBody: boolean;
}

/** Endpoints about one kind of thing. */
export interface Chapter {
  readonly name: string;
  readonly endpoints: readonly Endpoint[];
}

/** Returns the endpoints that contain each word of a text, by chapter, in the order of the document. */
export function chaptersOf({ paths }: ApiDocument, text: string): readonly Chapter[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const chapters = new Map<string, Endpoint[]>();
  for (const [path, operations] of Object.entries(paths))
    for (const method of methods) {
      const operation = operations[method];
      // The page itself is nothing to try.
      const name = operation?.tags?.[0] ?? "";
      if (operation === undefined || name === "" || name === "ui") continue;
      const { summary = "", description = "", parameters = [], requestBody } = operation;
      const endpoint: Endpoint = {
        method: method.toUpperCase() as Method,
        path,
        summary,
        description,
        parameters: parameters.filter((parameter) => parameter.in === "query"),
        hasBody: requestBody !== undefined,
      };
      const searched = `${endpoint.method} ${path} ${summary}`.toLowerCase();
      if (words.every((word) => searched.includes(word)))
        chapters.set(name, [...(chapters.get(name) ?? []), endpoint]);
    }
  return [...chapters].map(([name, endpoints]) => ({ name, endpoints }));
}

/** What a reader has filled in for a call. */
export interface Filled {
  readonly query: Readonly<Record<string, string>>;
  /** The text of JSON; empty for none. */
  readonly body: string;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Returns a command of curl that makes a call. The key comes from the shell, so that nobody copies it by chance. */
export function curlOf(origin: string, { method, path }: Endpoint, { query, body }: Filled): string {
  const given = Object.entries(query).filter(([, value]) => value !== "");
  const search = given.length === 0 ? "" : `?${new URLSearchParams(given).toString()}`;
  const parts = ["curl"];
  if (method !== "GET") parts.push("-X", method);
  parts.push('-H "authorization: $HUB_KEY"');
  if (body.trim() !== "") parts.push("-H 'content-type: application/json'", "-d", quoted(body.trim()));
  return [...parts, quoted(origin + path + search)].join(" ");
}

/** The most of an answer that is shown (characters). */
const mostShown = 20_000;

/** Returns an answer for reading, cut where it is long. */
export function shownAnswer(answer: unknown): string {
  const text = JSON.stringify(answer, null, 2);
  return text.length <= mostShown ? text : `${text.slice(0, mostShown)}\n…`;
}
