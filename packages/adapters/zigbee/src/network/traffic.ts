import type { SendZdo, StickAdapter } from "../library-inside.ts";

/** Traffic counters since the stick was first opened, in the names of the API. */
export interface TrafficCounts {
  /** Frames that the stick received. */
  readonly rx_successful: number;
  /** Frames that the next node acknowledged, and broadcasts. */
  readonly tx_successful: number;
  /** Frames without an acknowledgement or a route. */
  readonly tx_err_no_ack: number;
  /** Frames for which the channel was never free. */
  readonly tx_err_busy_channel: number;
}

const sending = ["sendZclFrameToEndpoint", "sendZclFrameToGroup", "sendZclFrameToAll"] as const;

/** Counts the traffic of a stick and holds sends while the radio is away. */
export class Traffic {
  readonly #counts: Record<keyof TrafficCounts, number> = {
    rx_successful: 0,
    tx_successful: 0,
    tx_err_no_ack: 0,
    tx_err_busy_channel: 0,
  };
  /** Settles when the radio is back. */
  #away: Promise<unknown> | undefined;
  #sendZdo: SendZdo | undefined;

  get counts(): TrafficCounts {
    return { ...this.#counts };
  }

  /** Wraps a stick: counts its frames, and holds its sends while the radio is away. */
  follow(adapter: StickAdapter): void {
    const received = (): void => void (this.#counts.rx_successful += 1);
    adapter.on("zclPayload", received);
    adapter.on("zdoResponse", received);
    const sendZdo = adapter.sendZdo.bind(adapter);
    this.#sendZdo = sendZdo;
    adapter.sendZdo = (...args) => this.#send(() => sendZdo(...args));
    for (const name of sending) {
      const send = adapter[name].bind(adapter);
      adapter[name] = (...args) => this.#send(() => send(...args));
    }
  }

  /**
   * Holds all sends while `listen` runs; one such call at a time.
   * @param listen gets a send that is not held.
   */
  async withRadioAway<T>(listen: (sendZdo: SendZdo) => Promise<T>): Promise<T> {
    while (this.#away !== undefined) await this.#away.catch(() => {});
    if (this.#sendZdo === undefined) throw new Error("no stick was opened yet");
    const listening = listen(this.#sendZdo);
    this.#away = listening;
    try {
      return await listening;
    } finally {
      this.#away = undefined;
    }
  }

  async #send(send: () => Promise<unknown>): Promise<unknown> {
    while (this.#away !== undefined) await this.#away.catch(() => {});
    try {
      const answer = await send();
      this.#counts.tx_successful += 1;
      return answer;
    } catch (error) {
      this.#counts[fateOf(error)] += 1;
      throw error;
    }
  }
}

/** Classifies a failed send by the library's error text. A frame that only lacks an answer did arrive. */
function fateOf(error: unknown): "tx_successful" | "tx_err_no_ack" | "tx_err_busy_channel" {
  const words = String(error);
  if (/CHANNEL_?ACCESS|BUSY/i.test(words)) return "tx_err_busy_channel";
  return /NO_?ACK|NO_ROUTE|NwkRoute|EXPIRED|Data request failed|delivery/i.test(words)
    ? "tx_err_no_ack"
    : "tx_successful";
}
