import type { Sealing } from "@ledge/log";
import { PersonalKeys } from "./personal/keys.ts";
import { personalSealing } from "./personal/sealing.ts";
import { SecretKeys } from "./secrets/keys.ts";
import { secretSealing, type SecretSealing } from "./secrets/sealing.ts";

/** All that is sealed in the log of a data folder, under the keys that the folder holds. */
export interface FolderSealing extends Sealing {
  readonly personalKeys: PersonalKeys;
  readonly secrets: SecretSealing;
}

export function folderSealing(folder: string): FolderSealing {
  const personalKeys = new PersonalKeys(folder);
  const personal = personalSealing(personalKeys);
  const secrets = secretSealing(new SecretKeys(folder));
  return {
    personalKeys,
    secrets,
    seal: (events) => secrets.seal(personal.seal(events)),
    open: (events) => secrets.open(personal.open(events)),
    sealRow: (row) => secrets.sealRow(personal.sealRow(row)),
    openRow: (row) => secrets.openRow(personal.openRow(row)),
  };
}
