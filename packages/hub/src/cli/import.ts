import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ZigbeeImport } from "@ledge/api";
import type { CliCommand, Invocation } from "@ledge/host/cli/command";
import { ask, CliError, exactlyOne, exitCodes } from "@ledge/host/cli/command";
import { table } from "@ledge/host/cli/print";
import { limits, zigbee2mqttFiles } from "@ledge/model";
import { apiPrefix } from "../version.ts";

/** Imports the network, devices and groups of Zigbee2MQTT. */
export const importZigbee2mqtt: CliCommand = {
  words: "import zigbee2mqtt",
  usage: "FOLDER",
  summary: "Takes over the Zigbee network, devices and groups of Zigbee2MQTT; stop Zigbee2MQTT first",
  options: { "dry-run": { type: "boolean", help: "only says what would happen" } },
  check: exactlyOne("which folder?"),
  async run(invocation) {
    const [folder = ""] = invocation.positionals;
    const dryRun = invocation.options["dry-run"] === true;
    const body = { type: "ZIGBEE2MQTT_FOLDER", dryRun, files: filesIn(folder) };
    const imported = await ask<ZigbeeImport>(invocation, "POST", `${apiPrefix}/hub/zigbeeimport`, body);
    if (invocation.json) invocation.print(JSON.stringify(imported));
    else printImport(invocation, imported, dryRun);
    return exitCodes.done;
  },
};

/** @throws CliError for anything but ordinary files of a reasonable size */
function filesIn(folder: string): Readonly<Record<string, string>> {
  let left: number = limits.importChars;
  const files: Record<string, string> = {};
  for (const [name, isNeeded] of zigbee2mqttFiles) {
    const path = join(folder, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined && !isNeeded) continue;
    if (found?.isFile() !== true) throw new CliError(exitCodes.usage, `${path} is no file`);
    left -= found.size;
    if (left < 0)
      throw new CliError(exitCodes.usage, `${folder} holds more than ${limits.importChars} bytes`);
    files[name] = textOf(path);
  }
  return files;
}

function textOf(path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path));
  } catch (error) {
    throw new CliError(exitCodes.usage, `${path}: ${(error as Error).message}`);
  }
}

function printImport({ print }: Invocation, imported: ZigbeeImport, dryRun: boolean): void {
  const { channel, panId, hasBackup, devices, groups, later } = imported;
  print(`network 0x${panId.toString(16).padStart(4, "0")} on channel ${channel}`);
  if (!hasBackup) print("without a backup of the coordinator: only the stick that carries it can be used");
  print(
    table(
      ["device", "class", "model"],
      devices.map((each) => [each.name, each.class, each.model ?? "-"]),
    ),
  );
  for (const { name, members } of groups) print(`group ${name}: ${members.length} members`);
  for (const { ieee, name } of later) print(`not known yet: ${name ?? ieee}; the next scan finds it`);
  print(
    dryRun ? "nothing was changed" : `${devices.length} devices and ${groups.length} groups are imported`,
  );
}
