import type { Attribute } from "../cluster.ts";
import { Cluster } from "../cluster.ts";
import type { Value } from "../zcl/types.ts";

type Name = "checkIn" | "longPoll" | "shortPoll" | "fastPollTimeout";

const quarterSecond = 250;

/** Lets a sleepy device check in from time to time (0x0020). Times in quarter seconds. */
export class PollControl extends Cluster<Name> {
  #cancel: () => void = () => undefined;
  #fastUntil = 0;

  constructor(checkInSeconds = 3600) {
    super(0x0020, {
      checkIn: { id: 0x0000, type: "uint32", value: checkInSeconds * 4, isWritable: true },
      longPoll: { id: 0x0001, type: "uint32", value: 24 },
      shortPoll: { id: 0x0002, type: "uint16", value: 2 },
      fastPollTimeout: { id: 0x0003, type: "uint16", value: 40, isWritable: true },
    });
    this.on(0x00, (payload) => {
      const [starts, timeout] = [payload.uint8() === 1, payload.uint16()];
      const quarters = timeout || this.number("fastPollTimeout");
      if (starts) this.#fastUntil = this.host.now() + quarters * quarterSecond;
      return undefined;
    });
    this.on(0x01, () => {
      this.#fastUntil = 0;
      return undefined;
    });
    this.on(0x02, (payload) => this.set({ longPoll: payload.uint32() }) as undefined);
    this.on(0x03, (payload) => this.set({ shortPoll: payload.uint16() }) as undefined);
  }

  /** Whether it was asked to poll often. */
  get isFast(): boolean {
    return this.host.now() < this.#fastUntil;
  }

  override online(): void {
    this.#wait();
  }

  override write(attribute: Attribute, value: Value, peerEndpoint: number): void {
    super.write(attribute, value, peerEndpoint);
    this.#wait();
  }

  #wait(): void {
    this.#cancel();
    const quarters = this.number("checkIn");
    if (quarters === 0) return;
    this.#cancel = this.host.after(quarters * quarterSecond, () => {
      this.host.sendToBound(this, { command: 0x00, payload: new Uint8Array(), wantsDefaultResponse: true });
      this.#wait();
    });
  }
}
