import type { Logger } from "@ledge/host/logger";
import type { Clock } from "@ledge/kernel";
import { limits } from "@ledge/model";
import type { Cloud } from "../cloud.ts";
import { Failed, failedBy } from "../graph/errors.ts";
import { isOpen, type Operation } from "../model/operation.ts";
import { type AnyCommand, refusalOf, timeOf } from "../model/submitting.ts";
import { OperationIndex } from "./operation-index.ts";

/** What an operation needs to go on. */
export interface Going {
  /** Notes how far it has come: 0 to 99. */
  readonly progress: (percent: number) => Promise<void>;
  /** Aborted when the operation is canceled, or the process ends. */
  readonly signal: AbortSignal;
}

/**
 * Does the work of an operation, from its beginning or from wherever a restart of the cloud has interrupted
 * it.
 * @returns its result, or why it failed
 */
export type Work = (operation: Operation, going: Going) => Promise<object | Failed>;

export interface OperationsOptions {
  readonly cloud: Pick<Cloud, "kernel"> & Partial<Pick<Cloud, "onLeading">>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly newId: () => string;
  /** By type of command. */
  readonly works: Readonly<Record<string, Work>>;
  readonly bounds?: OperationBounds;
}

/** By the names in `limits`. */
export type OperationBounds = Readonly<
  Record<"operationsOpen" | "operationsKept" | "operationKeptMs" | "operationSweepMs", number>
>;

/** What starts an operation. */
export type Beginning = Pick<Operation, "command" | "owner" | "target" | "input" | "correlationId">;

/**
 * Long work of accounts. It is durable before it begins, and goes on after a restart. Operations that nobody
 * knows how to go on with fail. The process that writes the log works on all of them, also on those that others begin.
 */
export class Operations {
  readonly index: OperationIndex;
  readonly #options: OperationsOptions;
  readonly #running = new Map<string, AbortController>();
  /** How many of an account are being written. */
  readonly #starting = new Map<string, number>();
  #isStopped = false;
  #cancelSweep: () => void = () => {};
  #unsubscribe: () => void = () => {};

  constructor(options: OperationsOptions) {
    this.#options = options;
    this.index = new OperationIndex(options.cloud.kernel);
    const lead = (): void => this.#lead();
    if (options.cloud.onLeading === undefined) lead();
    else options.cloud.onLeading(lead);
  }

  #lead(): void {
    const { kernel } = this.#options.cloud;
    for (const [, operation] of kernel.all("operation")) if (isOpen(operation)) void this.#run(operation);
    this.#unsubscribe = kernel.subscribe({
      published: ({ events }) => {
        for (const { type, id } of events)
          if (type === "OperationStarted") this.#start(id);
          else if (type === "OperationCanceled") this.#running.get(id)?.abort();
      },
    });
    this.#sweep();
  }

  #start(id: string): void {
    const operation = this.#options.cloud.kernel.get("operation", id);
    if (operation !== undefined && !this.#isStopped) void this.#run(operation);
  }

  /** Returns why an account may start no more operations now; undefined when it may. */
  refusal(owner: string): Failed | undefined {
    const { operationsOpen } = this.#options.bounds ?? limits;
    const open = this.index.ofOwner(owner).filter(isOpen).length + (this.#starting.get(owner) ?? 0);
    if (open < operationsOpen) return undefined;
    return new Failed("E_LIMIT", `at most ${operationsOpen} operations may be open`);
  }

  /**
   * Starts an operation. It is durable when this resolves.
   * @throws KernelError
   */
  async begin(beginning: Beginning): Promise<Operation | Failed> {
    const { cloud, newId, bounds = limits } = this.#options;
    const { owner } = beginning;
    const full = this.refusal(owner);
    if (full !== undefined) return full;
    const kept = this.index.ofOwner(owner);
    const starting = this.#starting.get(owner) ?? 0;
    const id = newId();
    const tooMany = kept.length + starting >= bounds.operationsKept;
    const oldest = tooMany ? kept.filter((one) => !isOpen(one)).toSorted(byAge)[0] : undefined;
    const dropped = oldest === undefined ? [] : [{ type: "DROP_OPERATION", id: oldest.id }];
    this.#starting.set(owner, starting + 1);
    try {
      const command = { type: "START_OPERATION", id, ...beginning };
      const refused = await refusalOf(cloud.kernel, `user:${owner}`, ...dropped, command);
      if (refused !== undefined) return failedBy(refused);
    } finally {
      this.#starting.set(owner, (this.#starting.get(owner) ?? 1) - 1);
      if (this.#starting.get(owner) === 0) this.#starting.delete(owner);
    }
    const operation = cloud.kernel.get("operation", id);
    if (operation === undefined) throw new Error(`operation ${id} is gone`);
    return operation;
  }

  /** Cancels an operation: what it has done so far stays. @throws KernelError */
  async cancel(id: string, by: string): Promise<Failed | undefined> {
    const { kernel } = this.#options.cloud;
    const refused = await refusalOf(kernel, `user:${by}`, { type: "CANCEL_OPERATION", id });
    return refused && failedBy(refused);
  }

  /** Stops working; what is open goes on with the next start. */
  stop(): void {
    this.#isStopped = true;
    this.#cancelSweep();
    this.#unsubscribe();
    this.index.stop();
    for (const controller of this.#running.values()) controller.abort();
  }

  async #run(operation: Operation): Promise<void> {
    const { works, logger } = this.#options;
    const { id, command } = operation;
    const controller = new AbortController();
    this.#running.set(id, controller);
    const progress = (percent: number): Promise<void> =>
      this.#note({ type: "NOTE_OPERATION_PROGRESS", id, percent });
    try {
      const work = works[command];
      const done = work
        ? await work(operation, { progress, signal: controller.signal })
        : new Failed("E_NOT_SUPPORTED", `this release cannot go on with ${command}`);
      await this.#note(endOf(id, done));
    } catch (error) {
      logger.error({ error, command }, "an operation failed");
      await this.#note(endOf(id, new Failed("E_UNKNOWN", "internal error"))).catch(() => {});
    } finally {
      this.#running.delete(id);
    }
  }

  async #note(command: AnyCommand): Promise<void> {
    if (this.#isStopped) return;
    const refused = await refusalOf(this.#options.cloud.kernel, "system", command);
    if (refused !== undefined && refused.rejected !== "not-found") throw new Error(refused.message);
  }

  /** Drops what ended long ago, now and every so often. */
  #sweep(): void {
    const { cloud, clock, logger, bounds = limits } = this.#options;
    const before = timeOf(cloud.kernel) - bounds.operationKeptMs;
    const gone: AnyCommand[] = [];
    for (const [id, operation] of cloud.kernel.all("operation"))
      if (!isOpen(operation) && operation.timestamp < before) gone.push({ type: "DROP_OPERATION", id });
    const dropped = gone.slice(0, limits.cascadeCommands);
    if (dropped.length > 0)
      refusalOf(cloud.kernel, "system", ...dropped).catch((error: unknown) =>
        logger.warn({ error }, "could not drop old operations"),
      );
    this.#cancelSweep = clock.after(bounds.operationSweepMs, () => this.#sweep());
  }
}

function byAge(one: Operation, other: Operation): number {
  return one.createdAt - other.createdAt;
}

function endOf(id: string, done: object | Failed): AnyCommand {
  if (!(done instanceof Failed)) return { type: "NOTE_OPERATION_DONE", id, result: done };
  const { code, message, details } = done.error;
  return { type: "NOTE_OPERATION_FAILED", id, error: { code, message, ...(details && { details }) } };
}
