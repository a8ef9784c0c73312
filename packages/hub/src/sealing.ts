import type { Sealing } from "@ledge/log";
import { PersonalKeys } from "./personal/keys.ts";
import { personalFields } from "./personal/sealing.ts";
import { sealingOf } from "./sealed-fields.ts";
import { SecretKeys } from "./secrets/keys.ts";
import { secretFields, type SecretFields } from "./secrets/sealing.ts";

/** All that is sealed in the log of a data folder, under the keys that the folder holds. */
export interface FolderSealing extends Sealing {
  readonly personalKeys: PersonalKeys;
  readonly secrets: SecretFields;
}

export function folderSealing(folder: string): FolderSealing {
  const personalKeys = new PersonalKeys(folder);
  const secrets = secretFields(new SecretKeys(folder));
  return { ...sealingOf(personalFields(personalKeys), secrets), personalKeys, secrets };
}
