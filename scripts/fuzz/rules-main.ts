// Installs random sources as custom rules, and sends random events to the accepted ones; docs/fuzz.md.
//
//   npm run -s fuzz:rules -- [--cases N] [--seed S] [--json]
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { fuzzInstaller } from "@ledge/rules/testing";
import { countOf } from "../count-of.ts";

/** A case that takes longer (ms) fails, because it blocks the hub for that time. */
const slowMs = 2000;

const { values } = parseArgs({
  options: {
    cases: { type: "string", default: "20000" },
    seed: { type: "string", default: String(Date.now() % 2 ** 20) },
    json: { type: "boolean", default: false },
  },
});
const [cases, seed] = [countOf("cases", values.cases), countOf("seed", values.seed)];
const example = readFileSync(new URL("../../docs/custom-rules/afterglow.json", import.meta.url), "utf8");
const began = performance.now();
let last = began;
let slowestMs = 0;
const slow: string[] = [];
const { failures, refusals, ...figures } = fuzzInstaller(cases, seed, [example], (at, source) => {
  const now = performance.now();
  const took = now - last;
  last = now;
  slowestMs = Math.max(slowestMs, took);
  if (took > slowMs) slow.push(`${at}: ${Math.round(took)} ms\n${source.slice(0, 2000)}`);
  if ((at + 1) % 10_000 === 0) console.error(`${at + 1} of ${cases}`);
});
const found = {
  seed,
  ...figures,
  reasons: Object.keys(refusals).length,
  failures: failures.length + slow.length,
  slowestMs: Math.round(slowestMs),
  seconds: Math.round((last - began) / 1000),
};
if (values.json) console.log(JSON.stringify(found));
else for (const [name, value] of Object.entries(found)) console.log(`${name.padEnd(12)}${value}`);
for (const line of [...failures, ...slow]) console.error(line);
if (found.failures > 0) process.exitCode = 1;
