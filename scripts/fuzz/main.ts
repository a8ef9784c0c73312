// Sends a hub of its own what nobody should, and tells how it took it; docs/fuzz.md.
//
//   npm run -s fuzz -- [--cases N] [--seed S] [--json]
import { randomBytes } from "node:crypto";
import { parseArgs } from "node:util";
import { runFuzz } from "./fuzz.ts";

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      cases: { type: "string", default: "5000" },
      seed: { type: "string", default: randomBytes(4).toString("hex") },
      json: { type: "boolean", default: false },
    },
  });
  const cases = Number(values.cases);
  if (!Number.isSafeInteger(cases) || cases < 0) {
    console.error(`--cases takes a whole number, not ${values.cases}`);
    process.exit(2);
  }
  const result = await runFuzz({ cases, seed: values.seed, tell: (line) => console.error(line) });
  if (values.json) console.log(JSON.stringify(result));
  else {
    const { byStatus, failures, ...figures } = result;
    for (const [name, value] of Object.entries({ ...figures, ...byStatus }))
      console.log(`${name.padEnd(14)}${value}`);
    for (const failure of failures) console.log(failure);
  }
  if (result.failures.length > 0) process.exitCode = 1;
}

await main();
