import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { SimulatedClock } from "@ledge/testkit";
import { adapterContract } from "./contract.ts";
import { createAdapter } from "./testdata/careless-adapter.ts";

const command = { type: "set", attributes: { isOn: true } } as const;

// This file runs itself once more, there to fail: a careless adapter under the contract.
if (process.env["LEDGE_CARELESS"] === "1") {
  const makeCareless = async () => ({
    module: new URL("./testdata/careless-adapter.ts", import.meta.url),
    create: createAdapter,
    settings: {},
    wrong: [{ settings: { port: 0 }, field: "port" }],
    clock: new SimulatedClock(),
    taken: { native: "lamp 1", command },
    slow: { native: "slow", command },
    vanish: async () => {},
    restore: async () => {},
    dispose: async () => {},
  });
  adapterContract("careless", makeCareless, {
    finds: "sensor",
    answers: { type: "GET_NOTHING" },
    groupcast: { natives: ["lamp 1", "lamp 2", "lamp 3"], command },
  });
} else {
  test("the contract finds an adapter that keeps none of it", findsTheCareless);
}

async function findsTheCareless(): Promise<void> {
  const output = await runCareless();
  const titles = (pattern: RegExp): unknown[] => [...output.matchAll(pattern)].map(([, title]) => title);
  assert.deepEqual(titles(/^ +not ok \d+ - (.*)$/gm), [
    "announces each device before its reports, and always as the same",
    "what has settings or firmware says so, and its adapter offers to change it",
    "a second start changes nothing",
    "stop is idempotent, and nothing is reported after it",
    "stop before a start is no error",
    "a stop ends the commands under way",
    "a device takes a command, and reports all anew when asked",
    "a command to an unknown device is refused",
    "an aborted command ends soon",
    "a port that vanishes takes its devices with it and brings them back",
    "wrong settings are refused, and the error names the field",
    "what a pairing window finds is a device when it is kept, and not before",
    "what is discarded is no device, and can be found again",
    "a device that was let go for good can be found again",
    "nothing is found without a window, and a window ends by itself",
    "a device that nobody has ever seen is not kept, and is discarded without a word",
    "a cast is taken by every member of its group",
    "a device that is no member is told to have missed a cast",
    "a group that is no more takes no cast",
    "an adapter that has stopped casts no more",
    "a request is answered with plain data",
    "a request of an adapter that has stopped is refused",
  ]);
  // It is the line that carries the flood and looks into the table of requests, not the adapter.
  assert.deepEqual(titles(/^ +ok \d+ - (.*)$/gm), [
    "a request that is none of its own is refused as that",
    "brings ten thousand reports through a slow line: no pulse lost, levels merged",
  ]);
}

/** What the test runner says in a process of its own. */
function runCareless(): Promise<string> {
  const { NODE_TEST_CONTEXT: _, ...rest } = process.env;
  const env = { ...rest, LEDGE_CARELESS: "1" };
  const args = ["--test-reporter=tap", "--test-name-pattern=in process", fileURLToPath(import.meta.url)];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { env }, (_error, stdout) => resolve(stdout));
  });
}
