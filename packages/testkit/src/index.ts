export * from "./event-problems.ts";
export * from "./gate.ts";
export * from "./given-when-then.ts";
export * from "./poll-client.ts";
export * from "./simulated-clock.ts";
export * from "./test-kernel.ts";
export * from "./random-home.ts";
export * from "./kernel-image.ts";
