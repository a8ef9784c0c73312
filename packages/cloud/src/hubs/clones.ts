import type { Logger } from "@ledge/host/logger";
import type { CloneKind } from "@ledge/link/tunnel";
import { limits } from "@ledge/model";
import type { CloudParts } from "../parts.ts";
import { type AnyCommand, refusalOf } from "../model/submitting.ts";

/** State of a hub with a clone. */
interface Known {
  /** When the connected hub was last told (elapsed ms). */
  toldAt: number;
  cancel: () => void;
}

/** Tracks clones: hubs that asked for a link which another hub with the same identity holds. */
export class Clones {
  readonly #parts: Pick<CloudParts, "kernel" | "clock">;
  readonly #logger: Logger;
  readonly #known = new Map<string, Known>();

  constructor(parts: Pick<CloudParts, "kernel" | "clock">, logger: Logger) {
    this.#parts = parts;
    this.#logger = logger;
    // Clones that were noted before this process started expire, too.
    for (const [hubId, { clone }] of parts.kernel.all("registration"))
      if (clone !== null) this.#known.set(hubId, { toldAt: -Infinity, cancel: this.#untilQuiet(hubId) });
  }

  /**
   * Notes that a clone has asked for the link and was refused. A clone counts as gone when it has not asked
   * for `limits.cloneQuietMs`.
   * @returns whether to tell the hub that holds the link; false when it was told lately
   */
  note(hubId: string, kind: CloneKind): boolean {
    const { kernel, clock } = this.#parts;
    const now = clock.monotonic();
    const known = this.#known.get(hubId) ?? { toldAt: -Infinity, cancel: () => {} };
    known.cancel();
    known.cancel = this.#untilQuiet(hubId);
    this.#known.set(hubId, known);
    if (kernel.get("registration", hubId)?.clone?.kind !== kind) {
      this.#logger.warn({ hubId, kind }, "two hubs have the same identity");
      this.#submit({ type: "NOTE_CLONE", id: hubId, kind });
    }
    const isDue = now - known.toldAt >= limits.cloneToldMs;
    if (isDue) known.toldAt = now;
    return isDue;
  }

  stop(): void {
    for (const { cancel } of this.#known.values()) cancel();
    this.#known.clear();
  }

  #untilQuiet(hubId: string): () => void {
    return this.#parts.clock.after(limits.cloneQuietMs, () => {
      this.#known.delete(hubId);
      this.#submit({ type: "NOTE_CLONE_GONE", id: hubId });
    });
  }

  #submit(command: AnyCommand): void {
    refusalOf(this.#parts.kernel, "system", command).catch((error: unknown) =>
      this.#logger.warn({ error }, "could not record the state of a hub with a clone"),
    );
  }
}
