// Stands in for the thread that reads the past. The requested time selects its behaviour.
import { parentPort, workerData } from "node:worker_threads";
import type { PastRow } from "@ledge/api";
import type { Question, ThreadData, ThreadMessage } from "../messages.ts";

const { givenUp } = workerData as ThreadData;
const tell = (message: ThreadMessage): void => parentPort?.postMessage(message, []);

/** Its behaviour by time. */
export const odd = { answers: 0, hangs: 1, throws: 2, exits: 3, fills: 4, waits: 5, fails: 6 } as const;

parentPort?.on("message", ({ number, args }: Question) => {
  const { at, query } = args as PastRow;
  if (at === odd.answers) tell({ type: "answered", number, bytes: Buffer.from(JSON.stringify(query)) });
  if (at === odd.hangs) for (;;);
  if (at === odd.throws) throw new Error("made to throw");
  if (at === odd.exits) process.exit(3);
  if (at === odd.fills)
    for (const held: number[][] = []; ;) held.push(Array.from({ length: 1e6 }, (_, i) => i));
  if (at === odd.fails) tell({ type: "failed", number, error: new Error("made to fail") });
  if (at !== odd.waits) return;
  while (Atomics.load(givenUp, 0) !== number) continue;
  tell({ type: "refused", number, status: 503, message: "given up", problems: [], retryAfterS: 1, more: {} });
});
tell({ type: "up" });
