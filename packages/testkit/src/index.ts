export * from "./event-problems.ts";
export * from "./gate.ts";
export * from "./given-when-then.ts";
export * from "./poll-client.ts";
export * from "./simulated-clock.ts";
export * from "./temporary-folder.ts";
export * from "./test-kernel.ts";
export { userIds } from "./random-configuration.ts";
export * from "./random-home.ts";
export * from "./random.ts";
export * from "./kernel-image.ts";
export * from "./well-formed.ts";
export * from "./sample-devices.ts";
export * from "./serial/machine.ts";
<<<<<<< HEAD
export * from "./until.ts";
=======
export * from "./trial.ts";
>>>>>>> 0040b4c (What-if: rules tried on what was recorded, open loop)
