import type { ConfigurationItem } from "@ledge/model";

/** The fields of a setting that most settings have empty. */
export const plainItem = {
  help: null,
  defaultValue: null,
  options: [],
  minValue: null,
  maxValue: null,
  readOnly: false,
} as const satisfies Partial<ConfigurationItem>;

/** Codes of a lock that are offered as settings at most. */
export const pinCodesOffered = 50;

/**
 * Returns a code of a lock as a secret setting; an empty text removes the code.
 * @param user the lock's number of the code, from 1
 */
export function pinCodeItem(name: string, user: number): ConfigurationItem {
  return {
    ...plainItem,
    name,
    fieldType: "TEXT",
    label: {
      en: `Code of user ${user}`,
      fi: `Käyttäjän ${user} koodi`,
      sv: `Kod för användare ${user}`,
      de: `Code des Benutzers ${user}`,
    },
    secret: true,
  };
}

/**
 * Returns why a lock cannot take a code, to follow the name of the setting; undefined when it can. An empty text, which
 * removes a code, always can. The answer never shows the code.
 * @param shortest and `longest` in digits
 */
export function pinCodeProblem(code: string, shortest: number, longest: number): string | undefined {
  if (code === "") return undefined;
  if (!/^\d+$/.test(code)) return "must have digits only";
  const fits = code.length >= shortest && code.length <= longest;
  return fits ? undefined : `must have ${shortest} to ${longest} digits`;
}
