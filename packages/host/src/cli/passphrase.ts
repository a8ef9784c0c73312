import { readFileSync } from "node:fs";
import { limits } from "@ledge/model";
import type { BackupSubject } from "../backup/subject.ts";
import type { CliCommand, Invocation } from "./command.ts";
import { CliError, exitCodes } from "./command.ts";

/** What came on the standard input, which can be read only once. */
let standardInput: string | undefined;

function textOf(file: string): string {
  if (file !== "-") return readFileSync(file, "utf8");
  return (standardInput ??= readFileSync(0, "utf8"));
}

/**
 * Returns the passphrase in the file that `--passphrase-file` names (`-`: the standard input), without its line end; undefined with
 * `--without-secrets`, or with neither.
 * @throws CliError
 */
export function passphraseOf({ options }: Pick<Invocation, "options">): string | undefined {
  const file = options["passphrase-file"];
  if (typeof file !== "string") return undefined;
  if (options["without-secrets"] === true)
    throw new CliError(exitCodes.usage, "--passphrase-file or --without-secrets, not both");
  let text: string;
  try {
    text = textOf(file).replace(/\r?\n$/, "");
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

/** Options of the commands that need a passphrase. */
export const passphraseOptions = {
  "passphrase-file": {
    type: "string",
    help: "a file with the passphrase for keys and other secrets; - reads it here",
  },
  "without-secrets": { type: "boolean", help: "leave keys and other secrets out" },
} as const;

/** Returns those of them that a subject's backups support. */
export function optionsFor({
  needsSecrets,
}: Pick<BackupSubject, "needsSecrets">): CliCommand["options"] & {} {
  const { "passphrase-file": file } = passphraseOptions;
  return needsSecrets ? { "passphrase-file": file } : passphraseOptions;
}
