import { logFolder } from "@ledge/host/folder";
import { folderSealing } from "@ledge/host/sealing";
import { type Kernel, openKernel, systemClock } from "@ledge/kernel";
import { LogError, openLmdbLog } from "@ledge/log";
import { declared, upcasters } from "@ledge/model";
import { foreignLog } from "../folder/folder.ts";
import { readIdentity } from "../secrets/identity-key.ts";
import { kernelParts } from "../start/kernel-parts.ts";
import type { LostFile } from "../start/lost-files.ts";
import { lostFiles } from "../start/lost-files.ts";
import type { Check } from "./log-checks.ts";

/** Checks the files of a stopped hub's data folder against its log, which must be whole. */
export async function keptChecks(folder: string): Promise<Check[]> {
  try {
    return lostChecks(await lostIn(folder));
  } catch (error) {
    // For example an event that this release does not know.
    return [{ name: "keys", ok: false, detail: (error as Error).message }];
  }
}

/** @throws EvolveError, LogError */
async function lostIn(folder: string): Promise<LostFile[]> {
  const sealing = folderSealing(folder, declared);
  const log = await openLmdbLog({ folder: logFolder(folder), upcasters, sealing, readOnly: true });
  let kernel: Kernel | undefined;
  try {
    kernel = openKernel({
      ...kernelParts,
      log,
      reactions: [],
      clock: systemClock,
      timeTrusted: () => true,
      onFatal: () => {},
      readOnly: { state: "rescue", reason: "ledge doctor looks at it" },
    });
    const [hub] = [...kernel.all("hub")].map(([, state]) => state);
    const foreign = foreignLog(folder, hub?.id);
    if (foreign !== undefined) throw new LogError("damaged", foreign);
    const found = hub === undefined ? undefined : readIdentity(folder, hub.keys.identity);
    return lostFiles(sealing, kernel, typeof found === "string" ? found : undefined);
  } finally {
    await (kernel ?? log).close();
  }
}

export function lostChecks(lost: readonly LostFile[]): Check[] {
  if (lost.length === 0) return [{ name: "keys", ok: true, detail: "all there" }];
  return lost.map(({ file, problem, remedy }) => ({
    name: file,
    ok: false,
    detail: `${problem}: ${remedy}`,
  }));
}
