import type { Outcome, Submission } from "@ledge/dispatch";
import type { Kernel } from "@ledge/kernel";
import type { AdapterErrorCode, NativeId } from "@ledge/port";

/** Errors that say nothing about whether a device takes a command. */
const unheard: ReadonlySet<AdapterErrorCode> = new Set([
  "unreachable",
  "timeout",
  "busy",
  "cancelled",
  "stopped",
]);

/**
 * Knows which commands wait for devices of one adapter that sleep. The commands themselves are pending in the log, so a
 * start sends them again, and the adapter says again that the device sleeps.
 */
export class Sleepers {
  readonly #kernel: Pick<Kernel, "get">;
  /** Ids of commands by device. */
  readonly #waiting = new Map<NativeId, Set<string>>();

  constructor(kernel: Pick<Kernel, "get">) {
    this.#kernel = kernel;
  }

  /**
   * Takes note of an outcome. Returns whether it is no news: a command that waits goes on waiting while its device
   * sleeps or cannot be reached.
   */
  keeps(id: string, outcome: Outcome): boolean {
    const command = this.#kernel.get("command", id);
    const native = command && this.#kernel.get("binding", command.device)?.native;
    const isUnheard = outcome.result === "failed" && unheard.has(outcome.code);
    const isWaiting = command?.waits !== undefined && (isUnheard || outcome.result === "deferred");
    if (native !== undefined && (isWaiting || outcome.result === "deferred"))
      this.#waiting.set(native, (this.#waiting.get(native) ?? new Set()).add(id));
    return isWaiting;
  }

  /** Returns all commands that wait, as `heard` does. */
  all(): readonly Submission[] {
    return [...this.#waiting.keys()].flatMap((native) => this.heard(native));
  }

  /** Returns what to send to a device that has reported: the commands that wait for it, oldest first. */
  heard(native: NativeId): readonly Submission[] {
    const ids = this.#waiting.get(native);
    if (ids === undefined) return [];
    this.#waiting.delete(native);
    return [...ids]
      .flatMap((id) => this.#kernel.get("command", id) ?? [])
      .toSorted((one, two) => one.issuedAt - two.issuedAt)
      .flatMap(({ id, device, attributes }): readonly Submission[] => {
        const binding = this.#kernel.get("binding", device);
        const before = this.#kernel.get("device", device)?.state ?? {};
        if (binding === undefined || binding.removed) return [];
        const command = { type: "set", attributes } as const;
        return [{ id, native, radio: binding.radio, command, absolute: true, before }];
      });
  }
}
