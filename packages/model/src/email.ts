import Type from "typebox";
import { limits } from "./limits.ts";

const atom = "[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+";
const label = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?";

/**
 * The only accepted form of an email address: ASCII (the pattern of HTML's `input type=email`), so no
 * look-alike letters. Other domains are written as `xn--`.
 */
export const Email = Type.String({
  maxLength: limits.emailChars,
  pattern: `^${atom}@${label}(?:\\.${label})*$`,
});

/**
 * Returns an address in the form by which people are told apart, with A to Z as a to z. `toLowerCase` would
 * also fold other letters into these, such as the Kelvin sign (U+212A) into k.
 */
export function foldedEmail(email: string): string {
  return email.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}
