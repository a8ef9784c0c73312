import type { Logger } from "@ledge/host/logger";
import type { CloneKind } from "@ledge/link/tunnel";
import { limits } from "@ledge/model";
import type { CloudParts } from "../parts.ts";
import { type AnyCommand, refusalOf } from "../model/submitting.ts";

/** What is known here of a hub that is there twice. */
interface Known {
  /** When the one that has the link was last told (elapsed ms). */
  toldAt: number;
  cancel: () => void;
}

/** Hubs of which another one of the same identity has lately asked for the link. */
export class Clones {
  readonly #parts: Pick<CloudParts, "kernel" | "clock">;
  readonly #logger: Logger;
  readonly #known = new Map<string, Known>();

  constructor(parts: Pick<CloudParts, "kernel" | "clock">, logger: Logger) {
    this.#parts = parts;
    this.#logger = logger;
    // What was noted before this process began is over in its time.
    for (const [hubId, { clone }] of parts.kernel.all("registration"))
      if (clone !== null) this.#known.set(hubId, { toldAt: -Infinity, cancel: this.#untilQuiet(hubId) });
  }

  /**
   * Another hub of the same identity has asked for the link and was refused. It counts as gone once it has not done so
   * for `limits.cloneQuietMs`.
   * @returns whether the one that has the link is to be told: it is not for each of many dials
   */
  note(hubId: string, kind: CloneKind): boolean {
    const { kernel, clock } = this.#parts;
    const now = clock.monotonic();
    const known = this.#known.get(hubId) ?? { toldAt: -Infinity, cancel: () => {} };
    known.cancel();
    known.cancel = this.#untilQuiet(hubId);
    this.#known.set(hubId, known);
    if (kernel.get("registration", hubId)?.clone?.kind !== kind) {
      this.#logger.warn({ hubId, kind }, "two hubs have one identity");
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
      this.#logger.warn({ error }, "a hub that is there twice is not noted"),
    );
  }
}
