// Runs a hub under the load of a full house and reports how it fares; docs/load.md.
//
//   npm run -s load -- [--seconds N] [--clients N] [--commands N] [--reports N] [--idle N] [--devices N] [--json]
import { parseArgs } from "node:util";
import { countOf } from "../count-of.ts";
import { type LoadResult, runLoad } from "./load.ts";

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seconds: { type: "string", default: "60" },
      clients: { type: "string", default: "200" },
      commands: { type: "string", default: "50" },
      reports: { type: "string", default: "500" },
      idle: { type: "string", default: "2000" },
      devices: { type: "string", default: "400" },
      json: { type: "boolean", default: false },
    },
  });
  const result = await runLoad({
    seconds: countOf("seconds", values.seconds),
    clients: countOf("clients", values.clients),
    pollEveryMs: 2000,
    commandsPerSecond: countOf("commands", values.commands),
    reportsPerSecond: countOf("reports", values.reports),
    idle: countOf("idle", values.idle),
    devices: countOf("devices", values.devices),
    tell: (line) => console.error(line),
  });
  if (values.json) {
    const { latency, ...rest } = result;
    const each = (pick: "p50" | "p99"): object =>
      Object.fromEntries(Object.entries(latency).map(([kind, found]) => [kind, found[pick]]));
    console.log(JSON.stringify({ ...rest, p50: each("p50"), p99: each("p99") }));
  } else {
    for (const [name, value] of lines(result)) console.log(`${name.padEnd(24)}${value}`);
  }
  if (result.errors > 0) process.exitCode = 1;
}

function* lines({ latency, problems, ...figures }: LoadResult): IterableIterator<[string, string]> {
  for (const [name, value] of Object.entries(figures)) yield [name, String(value)];
  for (const [kind, { count, p50, p99 }] of Object.entries(latency)) {
    yield [`${kind} (ms)`, `p50 ${p50}, p99 ${p99}, of ${count}`];
  }
  for (const problem of problems) yield ["problem", problem];
}

await main();
