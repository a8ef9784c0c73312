import { limits } from "@ledge/model";

/** The bounds of an `AnswerRoom`, by the names in `limits`. */
export type RoomBounds = Readonly<Record<"hubAnswersBytes" | "hubAnswersBytesPerUser", number>>;

/** Limits how many bytes of hubs' answers are held while they are collected: of one user, and in all. */
export class AnswerRoom {
  readonly #bounds: RoomBounds;
  readonly #held = new Map<string, number>();
  #all = 0;

  constructor(bounds: RoomBounds = limits) {
    this.#bounds = bounds;
  }

  /** Takes room for bytes of a user's answer. @returns false, and takes nothing, when there is none */
  take(user: string, bytes: number): boolean {
    const { hubAnswersBytes, hubAnswersBytesPerUser } = this.#bounds;
    const held = (this.#held.get(user) ?? 0) + bytes;
    if (held > hubAnswersBytesPerUser || this.#all + bytes > hubAnswersBytes) return false;
    this.#held.set(user, held);
    this.#all += bytes;
    return true;
  }

  giveBack(user: string, bytes: number): void {
    const held = (this.#held.get(user) ?? 0) - bytes;
    if (held <= 0) this.#held.delete(user);
    else this.#held.set(user, held);
    this.#all -= bytes;
  }
}
