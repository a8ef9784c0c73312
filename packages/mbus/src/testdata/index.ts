export { type ExampleFrame, exampleFrames } from "./frames.ts";
export { mutated, toWireless, tryDecoding, tryWireless } from "./mutations.ts";
