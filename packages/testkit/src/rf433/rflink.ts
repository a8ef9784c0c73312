import { type Clock, realTime } from "../clock.ts";
import { LineFaults } from "../serial/line-faults.ts";
import type { HostLine, PluggableStick } from "../serial/serve.ts";

const banner = "Nodo RadioFrequencyLink - RFLink Gateway V1.1 - R46";
/** Answered though nothing is sent on the air. */
const settings = /^(?:STATUS|VERSION|RTSSHOW|set[A-Za-z0-9]+=(?:ON|OFF)|[A-Z]*DEBUG=(?:ON|OFF))$/;

/** An RFLink gateway at a serial port: its board starts when the port is opened, hears what it is told to, and sends. */
export class SimulatedRflink implements PluggableStick {
  readonly faults: LineFaults;
  /** What it has sent on the air, such as `NewKaku;0cac142;3;ON`. */
  readonly sent: string[] = [];
  /** Called with each code that it has sent. */
  onSent: (code: string) => void = () => {};
  /** How long its board takes to start, and to send a code. */
  bootMs = 20;
  sendMs = 5;
  /** `silent`: it sends and says nothing of it. `deaf`: it answers nothing at all. `ignorant`: it knows no code. */
  mood: "well" | "silent" | "deaf" | "ignorant" = "well";
  readonly #clock: Clock;
  #isOn = true;
  #isReady = false;
  #sequence = 0;
  #write: (bytes: Uint8Array) => void = () => {};

  constructor(clock: Clock = realTime) {
    this.#clock = clock;
    this.faults = new LineFaults(clock);
  }

  connect(write: (bytes: Uint8Array) => void): HostLine {
    let rest = "";
    this.#write = write;
    this.#isReady = false;
    this.#clock.after(this.bootMs, () => {
      if (this.#write !== write) return;
      this.#isReady = true;
      this.#sequence = 0;
      this.#say(banner);
    });
    return {
      receive: (chunk) => {
        const lines = (rest + Buffer.from(chunk).toString("latin1")).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) this.#take(line.trim());
      },
      close: () => {
        if (this.#write === write) this.#write = () => {};
      },
    };
  }

  power(isOn: boolean): void {
    this.#isOn = isOn;
  }

  /** Hears a code, such as `NewKaku;ID=0cac142;SWITCH=3;CMD=ON`. */
  hear(code: string): void {
    this.#say(code);
  }

  /** Writes a line as it is, with what noise makes of it. */
  garble(line: string): void {
    this.#write(Buffer.from(line, "latin1"));
  }

  #take(line: string): void {
    // A board that is still starting loses what it is told.
    if (!this.#isOn || !this.#isReady || this.mood === "deaf") return;
    const [node, ...parts] = line.split(";");
    if (node !== "10" || parts.pop() !== "") return;
    const [name = ""] = parts;
    if (parts.length === 1 && name === "PING") return this.#say("PONG");
    if (parts.length === 1 && settings.test(name)) return this.#say(name);
    if (parts.length < 3 || this.mood === "ignorant") return this.#say("CMD UNKNOWN");
    this.#clock.after(this.sendMs, () => {
      if (!this.#isOn) return;
      const code = parts.join(";");
      this.sent.push(code);
      this.onSent(code);
      if (this.mood !== "silent") this.#say("OK");
    });
  }

  #say(text: string): void {
    if (!this.#isOn || !this.#isReady || this.mood === "deaf") return;
    const sequence = this.#sequence.toString(16).toUpperCase().padStart(2, "0");
    this.#sequence = (this.#sequence + 1) & 0xff;
    this.#write(Buffer.from(`20;${sequence};${text};\r\n`, "latin1"));
  }
}
