import type { Sealing } from "@ledge/log";
import type { Declared } from "@ledge/model";
import type { Keyring } from "./personal/keyring.ts";
import { PersonalKeys } from "./personal/keys.ts";
import { personalFields } from "./personal/sealing.ts";
import { sealingOf } from "./sealed-fields.ts";
import { SecretKeys } from "./secrets/keys.ts";
import { secretFields, type SecretFields } from "./secrets/sealing.ts";

/** Seals a log with secret keys, and with the keys of people. */
export interface KeptSealing<Keys extends Keyring> extends Sealing {
  readonly personalKeys: Keys;
  readonly secrets: SecretFields;
}

/** Seals the log of a data folder, with the keys in that folder. */
export type FolderSealing = KeptSealing<PersonalKeys>;

/** Seals the log of a data folder, with the keys in that folder. @param declared what the log's aggregates declare */
export function folderSealing(folder: string, declared: Declared): FolderSealing {
  return sealingWith(new SecretKeys(folder), new PersonalKeys(folder), declared);
}

export function sealingWith<Keys extends Keyring>(
  secretKeys: SecretKeys,
  personalKeys: Keys,
  declared: Declared,
): KeptSealing<Keys> {
  const secrets = secretFields(secretKeys, declared);
  return { ...sealingOf(personalFields(personalKeys, declared), secrets), personalKeys, secrets };
}
