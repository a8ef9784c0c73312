export { fuzzInstaller } from "../custom/test-fuzz.ts";
export { Life, liveMonth } from "./month.ts";
export { recordedSteps, stepped, transitioned } from "./steps.ts";
