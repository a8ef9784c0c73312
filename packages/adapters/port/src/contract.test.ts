import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { SimulatedClock } from "@ledge/testkit";
import { adapterContract } from "./contract.ts";
import { createAdapter } from "./testdata/careless-adapter.ts";

const command = { type: "set", attributes: { isOn: true } } as const;

// This file also runs itself in a child process, to apply the contract to a careless adapter, which must
// fail.
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
  test("the contract catches an adapter that breaks every promise", findsTheCareless);
}

async function findsTheCareless(): Promise<void> {
  const output = await runCareless();
  const titles = (pattern: RegExp): unknown[] => [...output.matchAll(pattern)].map(([, title]) => title);
  assert.deepEqual(titles(/^ +not ok \d+ - (.*)$/gm), [
    "announces each device before it reports, always with the same description",
    "announces settings and firmware with their capability and offers to change them",
    "a second start changes nothing",
    "a device accepts a command and reports again on refresh",
    "refuses a command to an unknown device",
    "an aborted command ends soon",
    "finds nothing without a window, and a window closes by itself",
    "refuses to keep an unknown device and ignores its discard",
    "does not announce a discarded device and finds it again",
    "finds a forgotten device again",
    "announces a found device once it is kept, not before",
    "answers a request with plain data",
    "stop is idempotent and ends all reports",
    "stop before a start succeeds",
    "a stop ends pending commands",
    "a vanished port makes its devices unreachable until it returns",
    "refuses wrong settings and names the field",
    "every member of a group accepts a cast",
    "reports that a device outside the group missed a cast",
    "no device accepts a cast to a deleted group",
    "refuses casts after stop",
    "refuses requests after stop",
  ]);
  // The line, not the adapter, carries the flood and looks up requests.
  assert.deepEqual(titles(/^ +ok \d+ - (.*)$/gm), [
    "refuses an unknown request as unsupported",
    "delivers ten thousand reports over a slow line: keeps every pulse, merges levels",
  ]);
}

/** Returns the output of the test runner in a child process. */
function runCareless(): Promise<string> {
  const { NODE_TEST_CONTEXT: _, ...rest } = process.env;
  const env = { ...rest, LEDGE_CARELESS: "1" };
  const args = ["--test-reporter=tap", "--test-name-pattern=in process", fileURLToPath(import.meta.url)];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { env }, (_error, stdout) => resolve(stdout));
  });
}
