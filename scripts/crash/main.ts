// Kills the log's process and cuts its power, and checks what is left; docs/crash.md.
//
//   npm run -s crash -- [--cuts N] [--kills N] [--seed S] [--json] [--keep]
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { countOf } from "../count-of.ts";
import { runSuite, type Totals } from "./suite.ts";

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      cuts: { type: "string", default: "100" },
      kills: { type: "string", default: "20" },
      seed: { type: "string", default: String(Date.now() % 2 ** 31) },
      json: { type: "boolean", default: false },
      keep: { type: "boolean", default: false },
    },
  });
  const { seed, keep, json } = values;
  const folder = mkdtempSync(join(tmpdir(), "ledge-crash-"));
  const totals = await runSuite({
    cuts: countOf("cuts", values.cuts),
    kills: countOf("kills", values.kills),
    seed,
    folder,
    keep,
    tell: (line) => console.error(line),
  });
  const { cuts, kills, ackedLost, corrupt, crashLoops, controlCaught } = totals;
  if (json) {
    console.log(JSON.stringify({ cuts, kills, ackedLost, corrupt, crashLoops, controlCaught }));
  } else {
    console.log(`${cuts} power cuts and ${kills} kills, seed ${seed}`);
    console.log(
      `losses of acknowledged commits ${ackedLost}, corrupt logs ${corrupt}, crash loops ${crashLoops}`,
    );
    console.log(`controls without a safeguard ${controlCaught ? "were all caught" : "were NOT all caught"}`);
  }
  if (keep) console.error(`the files of failed scenarios are in ${folder}`);
  else rmSync(folder, { recursive: true });
  if (!isSound(totals)) process.exitCode = 1;
}

function isSound({ ackedLost, corrupt, crashLoops, controlCaught }: Totals): boolean {
  return ackedLost + corrupt + crashLoops === 0 && controlCaught;
}

await main();
