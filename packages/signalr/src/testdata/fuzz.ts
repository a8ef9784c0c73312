// What the fuzzer of the repository uses of this package's tests.
export { FuzzedConnection, type TriedFrame } from "./fuzzed-connection.ts";
export { fuzzedMethods } from "./fuzzed-hub.ts";
export type { Chance } from "./mutated-frames.ts";
