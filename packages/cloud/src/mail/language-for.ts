import type { Directory } from "../accounts/directory.ts";
import { type Language, languageOf } from "../model/languages.ts";

/**
 * Returns the language of a mail to an address: that of its account, if there is one that has any.
 * @param wishes as for `languageOf`, such as the language of whoever causes the mail
 */
export function languageFor(
  email: string,
  directory: Pick<Directory, "accountOf">,
  ...wishes: readonly (string | null | undefined)[]
): Language {
  return languageOf(directory.accountOf(email.trim())?.language, ...wishes);
}
