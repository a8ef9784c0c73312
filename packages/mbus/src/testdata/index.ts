export { type ExampleFrame, exampleFrames } from "./frames.ts";
export { mutated, tryDecoding } from "./mutations.ts";
