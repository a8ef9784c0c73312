import { readFileSync } from "node:fs";
import { limits } from "@ledge/model";
import type { BackupSubject } from "../backup/subject.ts";
import type { CliCommand, Invocation } from "./command.ts";
import { CliError, exitCodes } from "./command.ts";

/**
 * The passphrase in the file that `--passphrase-file` names, without the end of its line; undefined when
 * `--without-secrets` is there instead or neither is.
 * @throws CliError
 */
export function passphraseOf({ options }: Pick<Invocation, "options">): string | undefined {
  const file = options["passphrase-file"];
  if (typeof file !== "string") return undefined;
  if (options["without-secrets"] === true)
    throw new CliError(exitCodes.usage, "--passphrase-file or --without-secrets, not both");
  let text: string;
  try {
    text = readFileSync(file, "utf8").replace(/\r?\n$/, "");
  } catch (error) {
    throw new CliError(exitCodes.unavailable, (error as Error).message);
  }
  if (text.length < limits.backupPassphraseChars) {
    throw new CliError(
      exitCodes.usage,
      `the passphrase in ${file} is shorter than ${limits.backupPassphraseChars} characters`,
    );
  }
  return text;
}

/** Options of the commands that take a passphrase. */
export const passphraseOptions = {
  "passphrase-file": { type: "string", help: "a file that holds the passphrase for keys and other secrets" },
  "without-secrets": { type: "boolean", help: "leave keys and other secrets out" },
} as const;

/** Those of them that a subject's backups know. */
export function optionsFor({
  needsSecrets,
}: Pick<BackupSubject, "needsSecrets">): CliCommand["options"] & {} {
  const { "passphrase-file": file } = passphraseOptions;
  return needsSecrets ? { "passphrase-file": file } : passphraseOptions;
}
