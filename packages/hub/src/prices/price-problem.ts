/** Why there are no prices: what is wrong with their source or with what it says, in words for people. */
export class PriceProblem extends Error {
  override readonly name = "PriceProblem";
}
