// Runs several test files in one process. Each file gets a suite of its own, so its hooks run for its own tests only.
//
//   node [FLAGS OF THE TEST RUNNER] scripts/test-group.ts FILE...
import { describe, test } from "node:test";
import { pathToFileURL } from "node:url";

for (const file of process.argv.slice(2)) {
  describe(file, async () => {
    try {
      await import(pathToFileURL(file).href);
    } catch (error) {
      test(`${file} is loaded`, () => {
        throw error;
      });
    }
  });
}
