import { refuseSetting } from "@ledge/port";
import { isRecord } from "@ledge/exposes";

/** Bounds of a configuration. The parser recurses, and needs quadratic time for deep nesting. */
const most = { chars: 262_144, lineChars: 4096, depth: 20 } as const;

/**
 * Parses a file of a foreign configuration into plain objects, lists, texts, numbers and booleans. Refuses
 * aliases, which can make a small file huge, and tags, which can make it anything.
 * @param where the name of the file, for messages
 * @throws AdapterError `settings`
 */
export async function readYaml(where: string, text: string): Promise<Readonly<Record<string, unknown>>> {
  if (text.length > most.chars) refuseSetting(where, `is longer than ${most.chars} characters`);
  if (text.split("\n").some(({ length }) => length > most.lineChars))
    refuseSetting(where, `has a line of more than ${most.lineChars} characters`);
  if (nesting(text) > most.depth) refuseSetting(where, `is nested deeper than ${most.depth} levels`);
  const { parseDocument, visit } = await import("yaml");
  const document = parseDocument(text, { schema: "core", logLevel: "error" });
  const [problem = document.warnings[0]] = document.errors;
  if (problem !== undefined) refuseSetting(where, `is no usable YAML: ${problem.message.split("\n", 1)[0]}`);
  visit(document, { Alias: () => refuseSetting(where, "has an alias, which Zigbee2MQTT never writes") });
  const value: unknown = document.toJS();
  return isRecord(value) ? value : refuseSetting(where, "is no table of settings");
}

/** Returns how deep the brackets of a text are nested at most. */
function nesting(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const character of text) {
    if (character === "[" || character === "{") deepest = Math.max(deepest, (depth += 1));
    if (character === "]" || character === "}") depth -= 1;
  }
  return deepest;
}
