import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import type { Kernel, KernelOptions, Outcome, Submission } from "@ledge/kernel";
import { openKernel } from "@ledge/kernel";
import type { MemoryLog } from "@ledge/log";
import { memoryLog } from "@ledge/log";
import type { Command } from "@ledge/model";
import { aggregates, categories, EpochOpened } from "@ledge/model";
import { SimulatedClock } from "./simulated-clock.ts";

type AnyCommand = Command & Readonly<Record<string, unknown>>;

export interface TestKernelOptions extends Partial<Omit<KernelOptions, "log" | "clock">> {
  readonly log?: MemoryLog;
  readonly clock?: SimulatedClock;
}

/** A kernel in memory with a simulated clock, over the model's aggregates unless others are given. */
export interface TestKernel {
  readonly kernel: Kernel;
  readonly clock: SimulatedClock;
  readonly log: MemoryLog;
  /** The errors passed to `onFatal`. */
  readonly fatal: readonly Error[];
  /** Submits commands on behalf of the system. Resolves with the kernel's answer. */
  readonly submit: (
    commands: AnyCommand | readonly AnyCommand[],
    how?: Partial<Submission>,
  ) => Promise<Outcome>;
  /** Submits one command that must be accepted. Resolves with the id that it created or addressed. */
  readonly accept: (command: AnyCommand) => Promise<string>;
  /**
   * Simulates a crash and a restart: opens another kernel over what was durable, with the same clock and options.
   * The old kernel no longer uses the clock.
   */
  readonly restart: (changes?: TestKernelOptions) => TestKernel;
}

let idsOfProcess = 0;

/** Returns a new id in the form of a UUID. Ids count up, so that a failing test fails again with the same ids. */
function countedId(): string {
  return `00000000-0000-4000-8000-${String(++idsOfProcess).padStart(12, "0")}`;
}

/** Opens a kernel over a log in memory. */
export function openTestKernel(options: TestKernelOptions = {}): TestKernel {
  const { log = memoryLog(), clock = new SimulatedClock(), ...others } = options;
  const fatal: Error[] = [];
  const kernel = openKernel({
    aggregates,
    categories,
    reactions: [],
    epochEvent: EpochOpened.type,
    newId: countedId,
    timeTrusted: () => true,
    onFatal: (error) => fatal.push(error),
    pause: () => setImmediate(),
    release: "test",
    ...others,
    log,
    clock,
  });
  const submit: TestKernel["submit"] = (commands, how) =>
    kernel.submit({ commands: "type" in commands ? [commands] : commands, origin: "system", ...how });
  return {
    kernel,
    clock,
    log,
    fatal,
    submit,
    async accept(command) {
      const outcome = await submit(command);
      assert.ok(outcome.accepted, `${command.type}: ${JSON.stringify(outcome)}`);
      const [result] = outcome.results;
      assert.ok(result?.rejection === undefined);
      return result?.id ?? "";
    },
    restart(changes) {
      const durable = log.clone();
      // Commits in flight may never end, so do not wait for them.
      kernel.close().catch(() => undefined);
      return openTestKernel({ ...others, log: durable, clock, ...changes });
    },
  };
}
