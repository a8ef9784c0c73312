import { limits } from "@ledge/model";
import { Slots } from "../process/slots.ts";

/** How a receiver has answered last; `new` before the first time. */
export type Pace = "new" | "quick" | "slow" | "failing";

/** A place for a request. */
export interface Place {
  /** Lets another receiver have the place, because this request takes long. @param bytes which the request keeps */
  overdue(bytes: number): void;
  leave(): void;
}

export type PlaceBounds = Readonly<
  Record<
    | "egressAtOnce"
    | "egressNewAtOnce"
    | "egressSlowAtOnce"
    | "egressFailingAtOnce"
    | "egressOverdueAtOnce"
    | "egressOverdueBytes",
    number
  >
>;

/**
 * Bounds the requests under way. Receivers of one pace wait for each other only, so those that hang keep none waiting
 * that answers. A request of a receiver that was new or quick leaves its place when it is overdue, as long as not too
 * many are.
 */
export class Places {
  readonly #bounds: PlaceBounds;
  readonly #slots: Readonly<Record<Pace, Slots>>;
  #overdue = 0;
  #overdueBytes = 0;

  constructor(bounds: PlaceBounds = limits) {
    this.#bounds = bounds;
    this.#slots = {
      new: new Slots(bounds.egressNewAtOnce),
      quick: new Slots(bounds.egressAtOnce),
      slow: new Slots(bounds.egressSlowAtOnce),
      failing: new Slots(bounds.egressFailingAtOnce),
    };
  }

  /** Waits for a place. */
  async enter(pace: Pace): Promise<Place> {
    let leave = await this.#slots[pace].enter();
    let isOverdue = pace === "slow" || pace === "failing";
    return {
      overdue: (bytes) => {
        if (isOverdue || !this.#hasRoom(bytes)) return;
        isOverdue = true;
        this.#overdue++;
        this.#overdueBytes += bytes;
        leave();
        leave = () => {
          this.#overdue--;
          this.#overdueBytes -= bytes;
        };
      },
      leave: () => leave(),
    };
  }

  #hasRoom(bytes: number): boolean {
    const { egressOverdueAtOnce, egressOverdueBytes } = this.#bounds;
    return this.#overdue < egressOverdueAtOnce && this.#overdueBytes + bytes <= egressOverdueBytes;
  }
}
