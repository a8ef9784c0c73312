import { resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import type { MissingSpan } from "@ledge/log";
import { readHeader } from "@ledge/host/backup/reader";
import type { Repaired } from "../repair/repair.ts";
import { repairLog } from "../repair/repair.ts";
import type { Invocation } from "@ledge/host/cli/command";
import { CliError, exitCodes } from "@ledge/host/cli/command";
import { passphraseOf } from "@ledge/host/cli/passphrase";
import { span } from "@ledge/host/cli/print";
import { asCliError } from "@ledge/host/cli/restore";

/** Runs `ledge doctor --repair`. @throws CliError */
export async function repair(invocation: Invocation): Promise<number> {
  const { folder, json, print, options } = invocation;
  const backup = typeof options["backup"] === "string" ? resolve(options["backup"]) : undefined;
  const passphrase = passphraseOf(invocation);
  let repaired: Repaired | undefined;
  try {
    const isSealed = backup !== undefined && readHeader(backup).key !== undefined;
    if (isSealed && passphrase === undefined && options["without-secrets"] !== true)
      throw new CliError(
        exitCodes.usage,
        `${backup} has sealed secrets: --passphrase-file F, or --without-secrets`,
      );
    if (options["yes"] !== true) await confirm(folder);
    repaired = await repairLog({ folder, backup, passphrase, now: Date.now() });
  } catch (error) {
    throw asCliError(error);
  }
  if (json) print(JSON.stringify({ folder, repaired: repaired ?? null }));
  else if (repaired === undefined) print("The log is whole: there is nothing to repair.");
  else describe(print, repaired);
  return exitCodes.done;
}

async function confirm(folder: string): Promise<void> {
  if (!process.stdin.isTTY)
    throw new CliError(exitCodes.usage, "--repair asks for confirmation: without a terminal, add --yes");
  const dialogue = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await dialogue.question(`Make a whole log of the damaged one in ${folder}? [y/N] `);
  dialogue.close();
  if (!/^y(?:es)?$/i.test(answer.trim())) throw new CliError(exitCodes.refused, "nothing was done");
}

function describe(print: Invocation["print"], repaired: Repaired): void {
  const { lost, commits, events, fromBackup, aside } = repaired;
  const more = fromBackup === 0 ? "" : `, ${fromBackup} of them from the backup`;
  print(`The log is whole again: ${commits} commits with ${events} events${more}.`);
  if (lost.length === 0) print("Nothing is lost.");
  for (const one of lost) print(`Lost: ${spanText(one)}.`);
  if (aside.length > 0) print(`The damaged files are kept: ${aside.join(", ")}.`);
  print("Every client gets a full answer to its next poll.");
}

function spanText({ from, to, commits, events, problem }: MissingSpan): string {
  const at = (timestamp: number): string => new Date(timestamp).toISOString();
  const begin = from === 0 ? "the beginning" : at(from);
  if (to === null) return `what came behind ${begin}, if anything did (${problem})`;
  const lost = [counted(commits, "commit"), ...(events === null ? [] : [counted(events, "event")])].join(
    " with ",
  );
  const within = from === 0 ? "" : ` within ${span(to - from)},`;
  return `${lost}${within} between ${begin} and ${at(to)} (${problem})`;
}

function counted(count: number | null, what: string): string {
  return count === 1 ? `1 ${what}` : `${count} ${what}s`;
}
