import { limits } from "@ledge/model";

/** Why there are no prices: what is wrong with their source or with what it says, in words for people. */
export class PriceProblem extends Error {
  override readonly name = "PriceProblem";
  /** @param message may hold what a source says: it is cut, as it goes into the log and into an alarm */
  constructor(message: string) {
    super(message.slice(0, limits.priceProblemChars));
  }
}
