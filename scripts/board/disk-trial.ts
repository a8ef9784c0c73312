import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { claimed } from "./client.ts";
import { changes, loadSecondsFor } from "./cut-load.ts";
import { type CutOptions, type CutResult, tryCuts } from "./cuts-trial.ts";
import { RecordedDisk } from "./recorded-disk.ts";
import { WriteLog } from "./write-log.ts";

/**
 * Cuts the power of a hub of this machine on a recorded disk: the kernel, its ext4 and the hub are not emulated,
 * so that a hundred cuts take minutes.
 * @param release folder of the bundles
 * @param folder for the disk; it must be empty
 */
export async function tryDisk(release: string, folder: string, options: CutOptions): Promise<CutResult> {
  const disk = await RecordedDisk.mount(join(folder, "disk"));
  const path = join(folder, "cut");
  let hub: ChildProcess | undefined;
  try {
    const flags = ["--port", "0", "--https-port", "0", "--no-mdns", "--host", "127.0.0.1", "--cloud", "none"];
    const profile = join(release, "firmware-profiles", "generic-x86-64.json");
    const data = ["--data", join(disk.mounted, "ledge"), "--profile", profile];
    hub = spawn(process.execPath, [join(release, "lib", "hub.mjs"), ...data, ...flags], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const client = await claimed(hub);
    const record = new WriteLog(disk.record);
    const acknowledged = await changes(client, undefined, record, loadSecondsFor(options.cuts));
    record.close();
    // What is written from now on came after the cut.
    copyFileSync(disk.record, path);
    await killed(hub);
    await disk.remove();
    const partition = { at: 0, length: disk.length };
    return await tryCuts({ path, partition, home: "/ledge", acknowledged }, folder, options);
  } finally {
    if (hub) await killed(hub);
    await disk.remove();
  }
}

async function killed(hub: ChildProcess): Promise<void> {
  if (hub.exitCode !== null || hub.signalCode !== null) return;
  const ended = once(hub, "close");
  hub.kill("SIGKILL");
  await ended;
}
