import type { SendZdo, StickAdapter } from "../library-inside.ts";

/** What can be told of the radio's traffic since the stick was opened first, by the names of the API. */
export interface TrafficCounts {
  /** Frames that were taken from the air, and told by the stick. */
  readonly rx_successful: number;
  /** Frames that the next node has acknowledged, and those to everybody. */
  readonly tx_successful: number;
  /** Frames that nobody has acknowledged, or for which there was no route. */
  readonly tx_err_no_ack: number;
  /** Frames for which the channel was never free. */
  readonly tx_err_busy_channel: number;
}

const sending = ["sendZclFrameToEndpoint", "sendZclFrameToGroup", "sendZclFrameToAll"] as const;

/** All that goes through a stick: counted, and held back while the radio is elsewhere. */
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

  /** Follows a stick. What it sends waits while the radio is away. */
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
   * Takes the radio away from whoever sends while `listen` lasts; one at a time.
   * @param listen is given what is not held back.
   */
  async withRadioAway<T>(listen: (sendZdo: SendZdo) => Promise<T>): Promise<T> {
    while (this.#away !== undefined) await this.#away.catch(() => {});
    if (this.#sendZdo === undefined) throw new Error("there has been no stick yet");
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

/** The library tells by its words why a frame did not arrive; without an answer it did. */
function fateOf(error: unknown): "tx_successful" | "tx_err_no_ack" | "tx_err_busy_channel" {
  const words = String(error);
  if (/CHANNEL_ACCESS|BUSY/i.test(words)) return "tx_err_busy_channel";
  return /NO_ACK|NO_ROUTE|EXPIRED|Data request failed|delivery/i.test(words)
    ? "tx_err_no_ack"
    : "tx_successful";
}
