/** Makes an answer when its time has come. It may throw, as a handler may. */
export type Making = () => unknown;

/**
 * An answer that comes later, and costs little until then: its handler has returned, so that nothing of the
 * request is kept but what the answer goes to.
 */
export class Held {
  /**
   * Begins to wait.
   * @param answer gets the answer, once
   * @returns a function that ends the waiting, because the client has gone
   */
  readonly begin: (answer: (make: Making) => void) => () => void;

  constructor(begin: Held["begin"]) {
    this.begin = begin;
  }
}
