// Opens logs that power cuts have left, one after the other, in a process that a damaged one may end.
import { openLmdbLog } from "@ledge/log";

export interface Question {
  /** Of the log. */
  readonly folder: string;
  /** Names of rooms whose events were acknowledged. */
  readonly names: readonly string[];
}

export type Answer =
  | { readonly opened: true; readonly lost: readonly string[]; readonly damage: number }
  | { readonly opened: false; readonly message: string };

process.on("message", ({ folder, names }: Question) => {
  void check(folder, names).then((answer) => process.send?.(answer));
});

async function check(folder: string, names: readonly string[]): Promise<Answer> {
  try {
    const log = await openLmdbLog({ folder });
    try {
      const there = new Set<string>();
      for (const { events } of log.read())
        for (const event of events) if ("name" in event) there.add(String(event["name"]));
      const lost = names.filter((name) => !there.has(name));
      return { opened: true, lost: lost.slice(0, 5), damage: log.verify().damage.length };
    } finally {
      await log.close();
    }
  } catch (error) {
    return { opened: false, message: String(error) };
  }
}
