import { ask, CliError, exitCodes, type Invocation } from "@ledge/host/cli/command";
import { apiPrefix } from "../version.ts";

/** Endpoints that list objects by id. */
const lists = ["devices", "rules", "scenes", "rooms", "groups", "zones"] as const;
export type Listing = (typeof lists)[number];

interface Listed {
  readonly name?: string;
  readonly config?: { readonly name: string };
}

/**
 * Returns the id of an object by its id or its name, ignoring case. A text that is no name is returned as an
 * id.
 * @param among the list to search
 * @throws CliError when several objects have this name
 */
export async function idNamed(
  invocation: Invocation,
  text: string,
  among: readonly Listing[] = lists,
): Promise<string> {
  const wanted = text.toLowerCase();
  const found = new Map<string, string>();
  for (const list of among) {
    const objects = await ask<Record<string, Listed>>(invocation, "GET", `${apiPrefix}/${list}`);
    if (Object.hasOwn(objects, text)) return text;
    for (const [id, { name, config }] of Object.entries(objects))
      if ((config?.name ?? name ?? "").toLowerCase() === wanted) found.set(id, list);
  }
  const [first, ...others] = found.keys();
  // Other objects can be asked about by id only.
  if (first === undefined) return text;
  if (others.length === 0) return first;
  const ids = [...found].map(([id, list]) => `${id} (${list})`).join(", ");
  throw new CliError(exitCodes.usage, `several are called ${text}: ${ids}`);
}
