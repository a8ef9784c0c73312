// Kills the writing process of a cloud on PostgreSQL and NATS under load, and counts what was lost; docs/fleet.md.
//
//   npm run -s fleet -- [--kills N] [--writers N] [--json]
import { parseArgs } from "node:util";
import { countOf } from "../count-of.ts";
import { prove } from "./proof.ts";

/** How long (ms) a new writer may take: its lease ends 10 s after the kill at the latest. */
const boundMs = 15_000;

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "50" },
    writers: { type: "string", default: "8" },
    json: { type: "boolean", default: false },
  },
});
const proof = await prove({
  kills: countOf("kills", values.kills),
  writers: countOf("writers", values.writers),
  tell: (line) => console.error(line),
});
const slowestMs = proof.takeoverMs.at(-1) ?? 0;
if (values.json) console.log(JSON.stringify({ ...proof, slowestMs, boundMs }));
else
  for (const [name, value] of Object.entries({ ...proof, slowestMs, boundMs }))
    console.log(`${name.padEnd(16)}${String(value)}`);
if (proof.lost > 0 || !proof.controlCaught || slowestMs > boundMs) process.exitCode = 1;
