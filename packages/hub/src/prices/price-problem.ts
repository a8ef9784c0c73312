import { limits } from "@ledge/model";

/** The reason why there are no prices, in words for people. */
export class PriceProblem extends Error {
  override readonly name = "PriceProblem";
  /** @param message may quote the source, so it is cut for the log and the alarm */
  constructor(message: string) {
    super(message.slice(0, limits.priceProblemChars));
  }
}
