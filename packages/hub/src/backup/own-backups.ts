import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { limits } from "@ledge/model";
import { tied } from "@ledge/port";
import { adapterEnvironment } from "../adapters/environment.ts";

const ledge = import.meta.url.endsWith(".ts")
  ? new URL("../cli.ts", import.meta.url)
  : new URL("./ledge.mjs", import.meta.url);

/** What a backup in the data folder was made for: a lock of the configuration, or somebody who asked. */
type Occasion = "locked" | "asked";

/** Returns the folder within a data folder for backups that the hub keeps (0700, files 0600). */
export function backupsFolder(folder: string): string {
  return join(folder, "backups");
}

/** Lists the complete backups that the hub keeps, oldest first for each occasion. */
export function backupsIn(folder: string, occasion?: Occasion): string[] {
  try {
    return readdirSync(backupsFolder(folder))
      .filter((name) => name.endsWith(".ledge") && name.startsWith(occasion ?? ""))
      .toSorted();
  } catch {
    return [];
  }
}

/** @param at ms since the epoch */
export function backupName(occasion: Occasion, at: number): string {
  return `${occasion}-${new Date(at).toISOString().replaceAll(/[:.]/g, "-")}.ledge`;
}

/**
 * Makes the folder, and removes parts of backups that a power cut may have left behind. Parts for another occasion
 * stay: such a backup may be under way.
 */
export function clearFolder(folder: string, occasion: Occasion): void {
  mkdirSync(backupsFolder(folder), { recursive: true, mode: 0o700 });
  for (const part of readdirSync(backupsFolder(folder)))
    if (part.startsWith(occasion) && !part.endsWith(".ledge")) rmSync(join(backupsFolder(folder), part));
}

/**
 * Has a process of its own write a backup of the hub that runs on a folder.
 * @param input of the process, such as a passphrase
 * @throws Error with what the process said
 */
export function runBackup(
  file: string,
  folder: string,
  options: readonly string[],
  input = "",
): Promise<void> {
  const args = [fileURLToPath(ledge), "backup", file, ...options, "--force", "--data", folder];
  const child = spawn(...tied(process.execPath, args), {
    env: adapterEnvironment(process.env),
    stdio: ["pipe", "ignore", "pipe"],
  });
  // A process that ends early takes no input; its end says why.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  let said = "";
  child.stderr.on(
    "data",
    (chunk: Buffer) => (said = `${said}${chunk.toString()}`.slice(-limits.programOutputChars)),
  );
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`ledge backup ended with ${code}: ${said.trim()}`));
    });
  });
}
