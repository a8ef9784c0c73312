import { ask, CliError, exitCodes, type Invocation } from "@ledge/host/cli/command";
import { apiPrefix } from "../version.ts";
import { parseMoment } from "./moment.ts";

/** Rows that list objects by id. */
const lists = ["devices", "rules", "scenes", "rooms", "groups", "zones"] as const;

interface Listed {
  readonly name?: string;
  readonly config?: { readonly name: string };
}

/** The id of an object by its id or its name, whatever its case. @throws CliError when it is of none, or of several */
export async function idNamed(invocation: Invocation, text: string): Promise<string> {
  const wanted = text.toLowerCase();
  const found = new Map<string, string>();
  for (const list of lists) {
    const objects = await ask<Record<string, Listed>>(invocation, "GET", `${apiPrefix}/${list}`);
    if (Object.hasOwn(objects, text)) return text;
    for (const [id, { name, config }] of Object.entries(objects))
      if ((config?.name ?? name ?? "").toLowerCase() === wanted) found.set(id, list);
  }
  const [first, ...others] = found.keys();
  // Other objects can be asked about by their id alone.
  if (first === undefined) return text;
  if (others.length === 0) return first;
  const ids = [...found].map(([id, list]) => `${id} (${list})`).join(", ");
  throw new CliError(exitCodes.usage, `several are called ${text}: ${ids}`);
}

/** A moment as ms since the epoch, as `parseMoment` reads it. @throws CliError */
export function momentOf(text: string): number {
  const at = parseMoment(text, Date.now());
  if (at !== undefined) return at;
  throw new CliError(
    exitCodes.usage,
    `${text} is no time: ms since the epoch, or such as 2026-01-15T20:00, 2h ago, yesterday 18:00`,
  );
}
