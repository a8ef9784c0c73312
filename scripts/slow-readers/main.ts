// Lets three clients read slowly from a cloud, one over each transport, while a home changes; docs/platform.md.
//
//   npm run -s push:slow -- [--minutes N] [--rate N] [--json]
import { parseArgs } from "node:util";
import { slowHour } from "@ledge/cloud/testing";
import { collectGarbage } from "@ledge/testkit";
import { countOf } from "../count-of.ts";

/** How much more memory (MB) a process may hold at the end than at the start. */
const growthMb = 8;
const devices = 50;

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "60" },
    rate: { type: "string", default: "20" },
    json: { type: "boolean", default: false },
  },
});
const [minutes, changesPerSecond] = [countOf("minutes", values.minutes), countOf("rate", values.rate)];
const memory: number[] = [];

/** What this process holds (MB), without what the system can reclaim. */
function held(): number {
  for (let round = 0; round < 3; round++) collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return Math.round((heapUsed + external) / 1e5) / 10;
}

function middleOf(found: readonly number[]): number {
  return found.toSorted((a, b) => a - b)[found.length >> 1] ?? Number.NaN;
}

const readings = await slowHour({
  seconds: minutes * 60,
  devices,
  changesPerSecond,
  minute() {
    memory.push(held());
    if (memory.length % 10 === 0) console.error(`${memory.length} minutes, ${memory.at(-1)} MB`);
  },
});
const third = Math.ceil(memory.length / 3);
const [memoryStart, memoryEnd] = [middleOf(memory.slice(0, third)), middleOf(memory.slice(-third))];
const changes = minutes * 60 * changesPerSecond;
if (values.json) console.log(JSON.stringify({ minutes, changes, memoryStart, memoryEnd, readings }));
else {
  console.log(
    `${changes} changes in ${minutes} minutes, ${memoryStart} MB at first, ${memoryEnd} MB at last`,
  );
  for (const { transport, pushes, isUpToDate } of readings)
    console.log(`${transport}: ${pushes} pushes, ${isUpToDate ? "the last state" : "NOT the last state"}`);
}
const isFlat = memoryEnd <= memoryStart + growthMb;
if (!isFlat) console.error(`memory grew from ${memoryStart} to ${memoryEnd} MB`);
if (!isFlat || readings.some(({ isUpToDate }) => !isUpToDate)) process.exitCode = 1;
