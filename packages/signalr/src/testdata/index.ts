// What tests elsewhere in the repository use of this package's tests.
export { RawClient } from "../test-raw.ts";
export { FuzzedConnection } from "./fuzzed-connection.ts";
export { fuzzedMethods } from "./fuzzed-hub.ts";
