export { fuzzInstaller } from "./custom/test-fuzz.ts";
export { Life, liveMonth } from "./test-month.ts";
export { recordedSteps, stepped, transitioned } from "./test-steps.ts";
