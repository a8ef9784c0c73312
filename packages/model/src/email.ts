import Type from "typebox";
import { limits } from "./limits.ts";

const atom = "[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+";
const label = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?";

/**
 * An email address in the one form that is taken: ASCII alone (the pattern of HTML's `input type=email`). A letter that
 * only looks like another cannot stand in it. A domain in other letters is written as `xn--`.
 */
export const Email = Type.String({
  maxLength: limits.emailChars,
  pattern: `^${atom}@${label}(?:\\.${label})*$`,
});

/**
 * An address as people are told apart by: A to Z count as a to z. `toLowerCase` would fold other letters into these, such
 * as the sign for Kelvin (U+212A) into k.
 */
export function foldedEmail(email: string): string {
  return email.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}
