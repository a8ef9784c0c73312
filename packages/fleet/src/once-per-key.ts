/** Work that runs once at a time for each key: whoever wants it meanwhile waits for the same. */
export class OncePerKey {
  readonly #running = new Map<string, Promise<void>>();

  run(key: string, work: () => Promise<void>): Promise<void> {
    const running = this.#running.get(key);
    if (running !== undefined) return running;
    const started = work().finally(() => this.#running.delete(key));
    this.#running.set(key, started);
    return started;
  }

  /** Resolves when all that runs now has ended, however it ends. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running.values());
  }
}
