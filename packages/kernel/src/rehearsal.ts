import type { States } from "@ledge/model";
import { limits } from "@ledge/model";
import { outcomeOf } from "./batch.ts";
import type { Deciders } from "./decide.ts";
import type { Foreseen, Rehearsal } from "./kernel.ts";
import { Overlay } from "./layer.ts";
import type { Projection } from "./projection.ts";
import type { Submission } from "./submission.ts";

/** Decides submissions over the published states without changing these. */
export class Stage implements Rehearsal {
  readonly #deciders: Deciders;
  readonly #projection: Projection;
  readonly #now: () => number;
  readonly #overlay: Overlay;

  constructor(deciders: Deciders, projection: Projection, now: () => number) {
    this.#deciders = deciders;
    this.#projection = projection;
    this.#now = now;
    this.#overlay = new Overlay(projection.states);
  }

  get<K extends keyof States>(kind: K, id: string): States[K] | undefined {
    return this.#overlay.get(kind, id) as States[K] | undefined;
  }

  all<K extends keyof States>(kind: K): IterableIterator<[id: string, state: States[K]]> {
    return this.#overlay.all(kind) as IterableIterator<[string, States[K]]>;
  }

  size(kind: keyof States): number {
    return this.#overlay.size(kind);
  }

  submit({ commands, origin, cause, root, depth = 0, each = false }: Submission): Foreseen {
    const chain = { origin, depth, ...(cause && { cause }), ...(root && { root }) };
    const place = {
      below: this.#overlay,
      timestamp: this.#now(),
      firstIndex: 0,
      reactionsLeft: limits.cascadeCommands,
    };
    const decided = this.#deciders.decide(commands, chain, each, place);
    decided.overlay.mergeInto(this.#overlay);
    return { outcome: outcomeOf(decided, this.#projection.timestamp), events: decided.events };
  }
}
