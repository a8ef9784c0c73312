export * from "./camera.ts";
export { exampleAnswers } from "./responses.ts";
