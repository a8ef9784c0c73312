import type { AdapterClock, AdapterRequest } from "./adapter.ts";
import { AdapterError } from "./adapter.ts";

/** A command of a client of the hub's server of another protocol. `attributes` null: the client lets go. */
export interface ClientCommand {
  /** Who gave it: an address, such as that of a station or a broker. */
  readonly client: string;
  /** The id of a device; of a group, scene or rule where the server shows those. */
  readonly device: string;
  readonly attributes: Readonly<Record<string, unknown>> | null;
}

interface Given {
  readonly id: number;
  readonly command: ClientCommand;
  readonly resolve: () => void;
  readonly reject: (error: AdapterError) => void;
}

const waitingAtMost = 256;
/** The client waits as long for its acknowledgement. */
const answerMs = 2500;

/** Commands of clients, which the hub takes by a request that waits for them. */
export class ClientCommands {
  readonly #clock: AdapterClock;
  readonly #given = new Map<number, Given>();
  /** Commands that the hub has not taken yet. */
  #waiting: Given[] = [];
  #wake: () => void = () => {};
  #lastId = 0;

  constructor(clock: AdapterClock) {
    this.#clock = clock;
  }

  /** Resolves when the hub has accepted a command. @throws AdapterError */
  async give(command: ClientCommand): Promise<void> {
    if (this.#given.size >= waitingAtMost)
      throw new AdapterError("busy", "too many commands of clients wait");
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#lastId += 1;
    const id = this.#lastId;
    const given = { id, command, resolve, reject };
    this.#given.set(id, given);
    this.#waiting.push(given);
    this.#wake();
    const cancel = this.#clock.after(answerMs, () =>
      reject(new AdapterError("timeout", "the hub does not answer")),
    );
    try {
      await promise;
    } finally {
      cancel();
      this.#given.delete(id);
      this.#waiting = this.#waiting.filter((each) => each !== given);
    }
  }

  /**
   * Takes the outcomes of earlier commands: `outcomes`, each with an id and an error or none. Resolves with the
   * next commands, at the latest after `waitMs` with none.
   */
  async take({ outcomes = [], waitMs }: AdapterRequest, signal: AbortSignal): Promise<readonly object[]> {
    for (const { id, error } of outcomes as readonly { id: number; error?: string }[]) {
      const given = this.#given.get(id);
      if (error === undefined) given?.resolve();
      else given?.reject(new AdapterError("refused", error));
    }
    if (this.#waiting.length === 0) await this.#awaken(Number(waitMs ?? 0), signal);
    return this.#waiting.splice(0).map(({ id, command }) => ({ id, ...command }));
  }

  #awaken(ms: number, signal: AbortSignal): Promise<void> {
    this.#wake();
    return new Promise((resolve) => {
      const cancel = this.#clock.after(ms, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
      signal.addEventListener("abort", () => this.#wake(), { once: true });
    });
  }

  stop(): void {
    for (const { reject } of this.#given.values())
      reject(new AdapterError("stopped", "the adapter has stopped"));
    this.#wake();
  }
}
