import type { Reply } from "../cluster.ts";
import { Cluster } from "../cluster.ts";
import type { ByteReader } from "../zcl/bytes.ts";
import { write } from "../zcl/bytes.ts";
import { status } from "../zcl/status.ts";

type Name =
  | "state"
  | "kind"
  | "isEnabled"
  | "pinUsers"
  | "longestPin"
  | "shortestPin"
  | "autoRelock"
  | "sendsPin"
  | "requiresPin";

export const lockStates = { notFully: 0, locked: 1, unlocked: 2 } as const;
/** The source of a lock operation, in operation event notifications. */
const sources = { keypad: 0, radio: 1, manual: 2 } as const;

const [lock, unlock, toggle, unlockWithTimeout] = [0x00, 0x01, 0x02, 0x03];
const [setPin, clearPin] = [0x05, 0x07];
/** What a lock with a PIN keeps: codes of users 0 to 4, with 4 to 6 digits. */
const pins = { users: 5, shortest: 4, longest: 6 } as const;

/** A door lock (0x0101). */
export class Lock extends Cluster<Name> {
  /** The codes of its users, set over the radio. */
  readonly codes = new Map<number, string>();
  readonly #pin: string | null;
  #isJammed = false;
  #cancel: () => void = () => undefined;

  /** @param pin required by commands from the radio; null for none, and for a lock that keeps no codes. */
  constructor(pin: string | null = null) {
    super(0x0101, {
      state: { id: 0x0000, type: "enum8", value: lockStates.locked, isReportable: true },
      kind: { id: 0x0001, type: "enum8", value: 0 },
      isEnabled: { id: 0x0002, type: "bool", value: true },
      pinUsers: { id: 0x0012, type: "uint16", value: pin === null ? 0 : pins.users },
      longestPin: { id: 0x0017, type: "uint8", value: pins.longest },
      shortestPin: { id: 0x0018, type: "uint8", value: pins.shortest },
      autoRelock: { id: 0x0023, type: "uint32", value: 0, isWritable: true },
      sendsPin: { id: 0x0032, type: "bool", value: false, isWritable: true },
      requiresPin: { id: 0x0033, type: "bool", value: pin !== null },
    });
    this.#pin = pin;
    for (const plain of [lock, unlock, toggle]) this.takes(plain, [], ["octets"]);
    this.takes(unlockWithTimeout, ["uint16"], ["octets"]);
    this.on(lock, (payload) => this.#command(lock, payload, true));
    this.on(unlock, (payload) => this.#command(unlock, payload, false));
    this.on(toggle, (payload) => this.#command(toggle, payload, !this.isLocked));
    this.on(unlockWithTimeout, (payload) => {
      const seconds = payload.uint16();
      return this.#command(unlockWithTimeout, payload, false, seconds);
    });
    if (pin === null) return;
    this.takes(setPin, ["uint16", "uint8", "enum8", "octets"]);
    this.takes(clearPin, ["uint16"]);
    this.on(setPin, (payload) => {
      const user = payload.uint16();
      payload.bytes(2);
      return this.#keep(setPin, user, payload.text());
    });
    this.on(clearPin, (payload) => this.#keep(clearPin, payload.uint16(), null));
  }

  /** A code is entered at the lock itself: it tells that one was added, and the code. */
  program(user: number, code: string): void {
    this.codes.set(user, code);
    const to = write().uint8(sources.keypad).uint8(2).uint16(user).text(code).uint8(0).uint8(1);
    this.host.sendToBound(this, { command: 0x21, payload: to.uint32(0xffff_ffff).uint8(0).done() });
  }

  #keep(command: number, user: number, code: string | null): Reply {
    const isFit = code === null || (code.length >= pins.shortest && code.length <= pins.longest);
    const isTaken = user < pins.users && isFit;
    if (isTaken && code !== null) this.codes.set(user, code);
    else if (isTaken) this.codes.delete(user);
    return {
      command,
      payload: write()
        .uint8(isTaken ? status.success : status.failure)
        .done(),
    };
  }

  get isLocked(): boolean {
    return this.get("state") === lockStates.locked;
  }

  /** Jams the bolt: from now on it stops halfway. */
  jam(isJammed = true): void {
    this.#isJammed = isJammed;
  }

  /** Turns the lock like a hand inside, or somebody at its keypad. */
  turn(isLocked: boolean, source: keyof typeof sources = "manual"): void {
    this.#move(isLocked, sources[source], 0);
  }

  #command(command: number, payload: ByteReader, isLocked: boolean, seconds = 0): Reply {
    const pin = payload.remaining > 0 ? payload.text() : "";
    const isRefused = this.#pin !== null && pin !== this.#pin;
    const moved = !isRefused && this.#move(isLocked, sources.radio, seconds);
    return {
      command,
      payload: write()
        .uint8(moved ? status.success : status.failure)
        .done(),
    };
  }

  #move(isLocked: boolean, source: number, seconds: number): boolean {
    this.#cancel();
    if (this.#isJammed) {
      this.set({ state: lockStates.notFully });
      return false;
    }
    this.set({ state: isLocked ? lockStates.locked : lockStates.unlocked });
    this.#tell(source, isLocked);
    const relock = seconds || this.number("autoRelock");
    if (!isLocked && relock > 0) {
      this.#cancel = this.host.after(relock * 1000, () => this.#move(true, sources.manual, 0));
    }
    return true;
  }

  /** Operation event notification: source, code, user (none), pin (none), local time (unknown). */
  #tell(source: number, isLocked: boolean): void {
    const to = write()
      .uint8(source)
      .uint8(isLocked ? 1 : 2)
      .uint16(0)
      .uint8(0)
      .uint32(0xffff_ffff)
      .uint8(0);
    this.host.sendToBound(this, { command: 0x20, payload: to.done() });
  }
}
