// Runs a simulated home full of rules for a month, twice: with a process that dies repeatedly, and without.
//
//   npm run -s rules:month -- [--days N] [--drops N] [--seed N] [--json]
import { parseArgs } from "node:util";
import { liveMonth } from "@ledge/rules/testing";
import { countOf } from "./count-of.ts";

const { values } = parseArgs({
  options: {
    days: { type: "string", default: "30" },
    drops: { type: "string", default: "1000" },
    seed: { type: "string", default: String(Date.now() % 2 ** 31) },
    json: { type: "boolean", default: false },
  },
});
const seed = countOf("seed", values.seed);
const of = { days: countOf("days", values.days), drops: countOf("drops", values.drops), seed };
const { differing, twice, isRebuilt, stopped, ...figures } = await liveMonth(of, (line) =>
  console.error(line),
);
const found = { seed, ...figures, differing: differing.length, twice: twice.length, isRebuilt };
if (values.json) console.log(JSON.stringify({ ...found, stopped: stopped.length }));
else {
  for (const [name, value] of Object.entries(found)) console.log(`${name.padEnd(12)}${value}`);
  for (const line of [...differing, ...twice, ...stopped]) console.log(line);
}
if (differing.length + twice.length > 0 || !isRebuilt) process.exitCode = 1;
