import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { AdapterLog } from "@ledge/port";
import type { ExternalDescription } from "./description.ts";
import { descriptionOf } from "./description.ts";

/** Files in a folder of definitions, and bytes of one. */
export const definitionLimits = { files: 500, bytes: 262_144 } as const;

/**
 * Reads the definitions of a folder, in the order of the names of their files; none from a folder that is not
 * there. A file that cannot be used is logged and left out.
 */
export async function readDefinitions(
  folder: string,
  log: AdapterLog,
): Promise<readonly ExternalDescription[]> {
  const names = await readdir(folder).catch(() => []);
  const known: ExternalDescription[] = [];
  for (const name of names
    .toSorted((one, other) => (one < other ? -1 : 1))
    .slice(0, definitionLimits.files)) {
    const found = await readDefinition(join(folder, name), name);
    if ("problem" in found) log("warn", "cannot use a definition", { file: name, reason: found.problem });
    else known.push(found);
  }
  if (names.length > definitionLimits.files)
    log("warn", `only ${definitionLimits.files} definitions are read`, { folder });
  return known;
}

async function readDefinition(
  path: string,
  name: string,
): Promise<ExternalDescription | { readonly problem: string }> {
  if (!name.endsWith(".json")) return { problem: "a definition is a file that ends in .json, without code" };
  try {
    const { size } = await stat(path);
    if (size > definitionLimits.bytes) return { problem: `it has more than ${definitionLimits.bytes} bytes` };
    return descriptionOf(JSON.parse(await readFile(path, "utf8")) as unknown);
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

/** Returns the definition for a device: the first that names its model, and its manufacturer if it names one. */
export function definitionFor(
  known: readonly ExternalDescription[],
  device: { readonly modelID?: string | undefined; readonly manufacturerName?: string | undefined },
): ExternalDescription | undefined {
  const { modelID, manufacturerName } = device;
  if (modelID === undefined) return undefined;
  return known.find(
    ({ models, manufacturer }) =>
      models.includes(modelID) && (manufacturer === undefined || manufacturer === manufacturerName),
  );
}
