// Runs a hub with a Zigbee and a Z-Wave radio that have all kinds of trouble, and reports how the hub fares; docs/soak.md.
//
//   npm run -s soak -- [--minutes N] [--devices N] [--seed N] [--json]
//   npm run -s soak -- --silence MINUTES [--json]
import { parseArgs } from "node:util";
import { countOf } from "../count-of.ts";
import { runSilence } from "./silence.ts";
import { runSoak } from "./soak.ts";

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      minutes: { type: "string", default: "10" },
      devices: { type: "string", default: "20" },
      seed: { type: "string", default: "1" },
      silence: { type: "string" },
      json: { type: "boolean", default: false },
    },
  });
  const tell = (line: string): void => console.error(line);
  if (values.silence !== undefined) {
    const minutes = countOf("silence", values.silence);
    show(await runSilence(minutes * 60_000, tell), values.json);
    return;
  }
  const result = await runSoak({
    ms: countOf("minutes", values.minutes) * 60_000,
    devices: countOf("devices", values.devices),
    seed: countOf("seed", values.seed),
    pauseMs: 20_000,
    tell,
  });
  show(result, values.json);
  if (result.lost > 0 || result.differing > 0) process.exitCode = 1;
}

function show(result: object, isJson: boolean): void {
  if (isJson) console.log(JSON.stringify(result));
  else for (const [name, value] of Object.entries(result)) console.log(`${name.padEnd(24)}${String(value)}`);
}

await main();
