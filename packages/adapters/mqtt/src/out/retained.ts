/** How many messages may wait for the broker's acknowledgement. */
const atOnce = 64;

/**
 * The retained messages of which the broker shall hold the newest. What changes several times before the broker takes
 * it goes out once; what a broker has lost goes out again.
 */
export class Retained {
  readonly #publish: (topic: string, payload: string) => Promise<void>;
  readonly #wanted = new Map<string, string>();
  /** Topics that the broker has not taken yet, the oldest first. */
  readonly #due = new Set<string>();
  #underWay = 0;
  #isOpen = false;
  /** Counts connections. */
  #connection = 0;

  /** @param publish resolves when the broker has taken a message, rejects when it has not */
  constructor(publish: (topic: string, payload: string) => Promise<void>) {
    this.#publish = publish;
  }

  has(topic: string): boolean {
    return this.#wanted.get(topic) !== undefined && this.#wanted.get(topic) !== "";
  }

  set(topic: string, payload: string): void {
    if (this.#wanted.get(topic) === payload) return;
    this.#wanted.set(topic, payload);
    this.#due.add(topic);
    this.#send();
  }

  /** Makes the broker forget a topic: an empty message does. */
  remove(topic: string): void {
    this.set(topic, "");
  }

  /** A connection has begun: everything is sent, as the broker may have lost what it had. */
  opened(): void {
    this.#isOpen = true;
    this.#connection += 1;
    for (const topic of this.#wanted.keys()) this.#due.add(topic);
    this.#send();
  }

  lost(): void {
    this.#isOpen = false;
  }

  #send(): void {
    for (const topic of this.#due) {
      if (!this.#isOpen || this.#underWay >= atOnce) return;
      this.#due.delete(topic);
      void this.#sendOne(topic);
    }
  }

  async #sendOne(topic: string): Promise<void> {
    const payload = this.#wanted.get(topic) ?? "";
    const connection = this.#connection;
    this.#underWay += 1;
    try {
      await this.#publish(topic, payload);
      if (payload === "" && this.#wanted.get(topic) === "") this.#wanted.delete(topic);
    } catch {
      this.#due.add(topic);
      // It fails with its connection alone: the next one sends it.
      if (connection === this.#connection) this.#isOpen = false;
    }
    this.#underWay -= 1;
    this.#send();
  }
}
