import { join } from "node:path";
import { openLmdbLog } from "@ledge/log";
import { upcasters } from "@ledge/model";

/** Returns how many button presses the log of a stopped hub has, by the id of their device. */
export async function pressesIn(dataFolder: string): Promise<ReadonlyMap<string, number>> {
  const log = await openLmdbLog({ folder: join(dataFolder, "log"), upcasters, readOnly: true });
  try {
    const presses = new Map<string, number>();
    for (const { events } of log.read()) {
      for (const { type, id, ...fields } of events) {
        const { attributes = {} } = fields as { readonly attributes?: object };
        if (type === "DeviceReported" && "button" in attributes) presses.set(id, (presses.get(id) ?? 0) + 1);
      }
    }
    return presses;
  } finally {
    await log.close();
  }
}
