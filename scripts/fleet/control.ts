import { openPostgresLog } from "@ledge/fleet-postgres";

/** Lets two writers append without fences. @returns whether verifying the log shows it */
export async function isControlCaught(url: string): Promise<boolean> {
  const logs = [await openPostgresLog({ url }), await openPostgresLog({ url })];
  try {
    for (const [at, log] of logs.entries()) {
      const event = { type: "AccountAdded", id: `a${at}`, version: 1, origin: "system", depth: 0 } as const;
      await log.append({ timestamp: 10 + at, events: [event] });
    }
    logs.push(await openPostgresLog({ url }));
    return (logs.at(-1)?.verify().damage.length ?? 0) > 0;
  } finally {
    for (const log of logs) await log.close();
  }
}
