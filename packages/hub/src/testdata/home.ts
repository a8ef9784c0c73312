import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openKernel, systemClock } from "@ledge/kernel";
import { openLmdbLog } from "@ledge/log";
import { declared, upcasters } from "@ledge/model";
import { socketConsole } from "@ledge/host/cli/client";
import { logFolder } from "@ledge/host/folder";
import { PersonalKeys } from "@ledge/host/personal/keys";
import { personalFields } from "@ledge/host/personal/sealing";
import { sealingOf } from "@ledge/host/sealed-fields";
import { folderSealing } from "@ledge/host/sealing";
import { kernelParts } from "../start/kernel-parts.ts";
import type { HubProcess } from "./hub-process.ts";

/** Secrets that must not appear in a backup unless it seals them. */
export const canaries = ["canary-network-key", "canary-store"] as const;

/**
 * Puts secrets into the folder of a stopped hub: a stored value of an adapter in the log, and a file of an
 * adapter.
 * @param inTheClear writes the value as logs did before secrets were sealed
 */
export async function hideCanaries(folder: string, inTheClear = false): Promise<void> {
  const [value, file] = canaries;
  const sealing = inTheClear
    ? sealingOf(personalFields(new PersonalKeys(folder), declared))
    : folderSealing(folder, declared);
  const log = await openLmdbLog({ folder: logFolder(folder), upcasters, sealing });
  const kernel = openKernel({
    ...kernelParts,
    log,
    clock: systemClock,
    timeTrusted: () => true,
    onFatal: () => {},
  });
  const command = { type: "STORE_VALUE", id: "radio", key: "network", value: { key: value } };
  await kernel.submit({ commands: [command], origin: "system" });
  await kernel.close();
  mkdirSync(join(folder, "adapters", "radio"), { recursive: true });
  writeFileSync(join(folder, "adapters", "radio", "store.db"), file);
}

/** Returns the names of the files below a folder that contain one of these texts. */
export function filesWith(folder: string, texts: readonly (string | Buffer)[]): string[] {
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((path) => statSync(path).isFile())
    .filter((path) => {
      const bytes = readFileSync(path);
      return texts.some((text) => bytes.includes(text));
    });
}

/**
 * Returns the answer to a poll over the console, which does not affect presence. The categories come without
 * the answer's timestamp.
 */
export async function wholePoll(
  { folder }: HubProcess,
  ts = 0,
): Promise<{ timestamp: number; full: boolean; polls: unknown[] }> {
  const { json } = await socketConsole(folder).call("GET", `/cc/1.14/hub/poll?ts=${ts}`);
  const { timestamp, full, polls } = json as {
    timestamp: number;
    full: boolean;
    polls: Record<string, unknown>[];
  };
  return { timestamp, full, polls: polls.map((delta) => ({ ...delta, timestamp: 0 })) };
}
