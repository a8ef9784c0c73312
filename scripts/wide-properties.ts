// Runs properties and simulations many times, with new seeds in each round; `npm test` runs each once. A failure prints
// its seed and ends the run after its round.
//
//   npm run -s properties -- [--rounds N] [FILE OR FOLDER...]
import { join } from "node:path";
import { parseArgs } from "node:util";
import { countOf } from "./count-of.ts";
import { randomTests, testFiles } from "./lanes.ts";
import { runTests } from "./run-tests.ts";

const { values, positionals } = parseArgs({
  options: { rounds: { type: "string", default: "10" } },
  allowPositionals: true,
});
const rounds = countOf("rounds", values.rounds);
const files = randomTests(testFiles(positionals));
const env = {
  ...process.env,
  NODE_COMPILE_CACHE: join(import.meta.dirname, "..", ".toolchain", "compile-cache"),
};
let passed = files.length > 0;
for (let round = 1; passed && round <= rounds; round += 1) {
  console.log(`round ${round} of ${rounds}`);
  passed = await runTests(files, env, { times: false, budgets: false });
}
if (!passed) process.exitCode = 1;
