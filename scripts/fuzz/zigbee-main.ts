// Sends random frames through the definitions of Zigbee models; docs/fuzz.md.
//
//   npm run -s fuzz:zigbee -- [--cases N] [--seed S] [--json]
import { parseArgs } from "node:util";
import { fuzzFrames } from "@ledge/adapter-zigbee/testing";
import { countOf } from "../count-of.ts";

const { values } = parseArgs({
  options: {
    cases: { type: "string", default: "1000000" },
    seed: { type: "string", default: String(Date.now() % 2 ** 20) },
    json: { type: "boolean", default: false },
  },
});
const [cases, seed] = [countOf("cases", values.cases), countOf("seed", values.seed)];
const began = performance.now();
const { shown, failures } = await fuzzFrames({
  cases,
  seed,
  progress: (done) => {
    if (done % 100_000 === 0) console.error(`${done} of ${cases}`);
  },
});
const seconds = Math.round((performance.now() - began) / 1000);
const memoryMb = Math.round(process.memoryUsage().rss / 2 ** 20);
const found = { seed, cases, shown, failures: failures.length, seconds, memoryMb };
if (values.json) console.log(JSON.stringify(found));
else for (const [name, value] of Object.entries(found)) console.log(`${name.padEnd(12)}${value}`);
for (const failure of failures.slice(0, 20)) console.error(failure);
// Converters have timers under way.
process.exit(failures.length > 0 ? 1 : 0);
