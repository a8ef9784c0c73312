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

/** A kernel in memory, with the model's aggregates unless others are given, under a clock that tests move. */
export interface TestKernel {
  readonly kernel: Kernel;
  readonly clock: SimulatedClock;
  readonly log: MemoryLog;
  /** What `onFatal` was told. */
  readonly fatal: readonly Error[];
  /** Submits commands on behalf of the system; resolves as the kernel answers. */
  readonly submit: (
    commands: AnyCommand | readonly AnyCommand[],
    how?: Partial<Submission>,
  ) => Promise<Outcome>;
  /** Submits one command that must be accepted; resolves with the id that it created or addressed. */
  readonly accept: (command: AnyCommand) => Promise<string>;
  /**
   * The process dies and starts again: a kernel of its own over what was durable, with the same clock and
   * options. The one before lets go of the clock.
   */
  readonly restart: (changes?: TestKernelOptions) => TestKernel;
}

let idsOfProcess = 0;

/** A fresh id in the form of a UUID. They count up, so that a test that fails fails again with the same ids. */
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
      // What is in flight may never end, so nobody waits for it.
      kernel.close().catch(() => undefined);
      return openTestKernel({ ...others, log: durable, clock, ...changes });
    },
  };
}
