import type { Sealing } from "@ledge/log";
import type { Declared } from "@ledge/model";
import { PersonalKeys } from "./personal/keys.ts";
import { personalFields } from "./personal/sealing.ts";
import { sealingOf } from "./sealed-fields.ts";
import { SecretKeys } from "./secrets/keys.ts";
import { secretFields, type SecretFields } from "./secrets/sealing.ts";

/** Seals the log of a data folder, with the keys in that folder. */
export interface FolderSealing extends Sealing {
  readonly personalKeys: PersonalKeys;
  readonly secrets: SecretFields;
}

/** @param declared what the log's aggregates declare */
export function folderSealing(folder: string, declared: Declared): FolderSealing {
  const personalKeys = new PersonalKeys(folder);
  const secrets = secretFields(new SecretKeys(folder), declared);
  return { ...sealingOf(personalFields(personalKeys, declared), secrets), personalKeys, secrets };
}
