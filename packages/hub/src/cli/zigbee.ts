import { lstatSync, readFileSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import type { CliCommand, Invocation } from "@ledge/host/cli/command";
import { ask, CliError, exactlyOne, exitCodes } from "@ledge/host/cli/command";
import { writeWhole } from "@ledge/host/folder";
import { limits } from "@ledge/model";
import type { ZigbeeBackup, ZigbeeBackupFacts } from "../console/zigbee-rows.ts";
import { apiPrefix } from "../version.ts";

/** Writes the state of the Zigbee coordinator to a file in the open coordinator format. */
export const zigbeeBackup: CliCommand = {
  words: "zigbee backup",
  usage: "FILE [--force]",
  summary: "Writes the Zigbee network, with its secret keys, to a file that other programs read",
  options: { force: { type: "boolean", help: "replace FILE if it exists" } },
  check(asked) {
    exactlyOne("zigbee backup FILE")(asked);
    const file = asked.positionals[0] ?? "";
    const there = lstatSync(file, { throwIfNoEntry: false });
    // Replacing a device such as /dev/null would remove it for every program.
    if (there?.isFile() === false)
      throw new CliError(exitCodes.refused, `${file} exists and is not a regular file`);
    if (there !== undefined && asked.options["force"] !== true)
      throw new CliError(exitCodes.refused, `${file} exists already: --force replaces it`);
  },
  async run(invocation) {
    const file = resolve(invocation.positionals[0] ?? "");
    const { text, ...facts } = await ask<ZigbeeBackup>(
      invocation,
      "GET",
      `${apiPrefix}/console/zigbeebackup`,
    );
    try {
      // A file that somebody else has made keeps its mode.
      rmSync(`${file}.new`, { force: true });
      writeWhole(file, `${JSON.stringify(JSON.parse(text), null, 2)}\n`);
    } catch (error) {
      throw new CliError(exitCodes.unwritable, `${file}: ${(error as Error).message}`);
    }
    if (invocation.json) invocation.print(JSON.stringify({ file, ...facts }));
    else
      invocation.print([
        `${file}: ${described(facts)}`,
        "The file contains the keys of the network: whoever has it can join and control the network.",
      ]);
    return exitCodes.done;
  },
};

/** Puts the network of a coordinator backup onto the stick. */
export const zigbeeRestore: CliCommand = {
  words: "zigbee restore",
  usage: "FILE [--replace] [--dry-run]",
  summary: "Puts the Zigbee network of such a file onto the hub's stick",
  options: {
    replace: { type: "boolean", help: "give up the present network if it is another one, with its devices" },
    "dry-run": { type: "boolean", help: "only checks the file" },
  },
  check: exactlyOne("zigbee restore FILE"),
  async run(invocation) {
    const { options, positionals, json, print } = invocation;
    const dryRun = options["dry-run"] === true;
    const body = { backup: textOf(positionals[0] ?? ""), replace: options["replace"] === true, dryRun };
    const path = `${apiPrefix}/console/zigbeerestore`;
    const facts = await ask<ZigbeeBackupFacts>(invocation, "POST", path, body);
    if (json) print(JSON.stringify(facts));
    else printRestored({ print }, facts, dryRun);
    return exitCodes.done;
  },
};

/** @throws CliError for anything but an ordinary file of a reasonable size */
function textOf(file: string): string {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found?.isFile() !== true) throw new CliError(exitCodes.usage, `${file} is no file`);
  if (found.size > limits.importChars)
    throw new CliError(exitCodes.usage, `${file} is longer than ${limits.importChars} bytes`);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(file));
  } catch (error) {
    throw new CliError(exitCodes.usage, `${file}: ${(error as Error).message}`);
  }
}

function described({ channel, panId, devices, at }: ZigbeeBackupFacts): string {
  const when = at === null ? "" : `, as of ${new Date(at).toISOString()}`;
  return `network 0x${panId.toString(16).padStart(4, "0")} on channel ${channel}, ${devices} devices${when}`;
}

function printRestored(
  { print }: Pick<Invocation, "print">,
  facts: ZigbeeBackupFacts,
  dryRun: boolean,
): void {
  print(described(facts));
  print(
    dryRun
      ? "nothing was changed"
      : "The stick carries the network. Start a scan to take over devices that the hub does not have: none has to join anew.",
  );
}
