// Writes firmware-profiles/schema/profile.json, by which editors check a profile while it is written.
//
//   node scripts/toolchain.mjs exec scripts/profile-schema.ts
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Profile } from "@ledge/hub/profile";

export const schemaFile = join(import.meta.dirname, "..", "firmware-profiles", "schema", "profile.json");

/** The JSON Schema of profiles, as text. */
export function profileSchema(): string {
  const head = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "A firmware profile of Ledge",
  };
  return `${JSON.stringify({ ...head, ...(JSON.parse(JSON.stringify(Profile)) as object) }, null, 2)}\n`;
}

if (import.meta.main) writeFileSync(schemaFile, profileSchema());
