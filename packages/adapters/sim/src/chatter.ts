import type { NativeId, Report } from "@ledge/port";
import type { SimulatedWorld } from "./world.ts";

interface Source {
  readonly native: NativeId;
  readonly attribute: "temperature" | "motion";
}

/**
 * Adds reports to those of the home: its thermometers and motion sensors take turns, each with a changed
 * value.
 */
export class Chatter {
  readonly #perMs: number;
  readonly #report: (report: Report) => void;
  readonly #sources: readonly Source[];
  #owed = 0;
  #said = 0;

  constructor(world: SimulatedWorld, reportsPerSecond: number, report: (report: Report) => void) {
    this.#perMs = reportsPerSecond / 1000;
    this.#report = report;
    this.#sources = world.natives.flatMap((native): Source[] => {
      const capabilities = world.capabilities(native);
      if (capabilities.includes("MOTION")) return [{ native, attribute: "motion" }];
      return capabilities.includes("TEMPERATURE") ? [{ native, attribute: "temperature" }] : [];
    });
  }

  /** Reports what is due after another `ms`. */
  pass(ms: number): void {
    const { length } = this.#sources;
    if (length === 0) return;
    for (this.#owed += ms * this.#perMs; this.#owed >= 1; this.#owed -= 1) {
      const { native, attribute } = this.#sources[this.#said % length] as Source;
      const round = Math.floor(this.#said / length);
      const value = attribute === "motion" ? round % 2 === 0 : 20 + (round % 50) / 10;
      this.#report({ native, attributes: { [attribute]: value } });
      this.#said += 1;
    }
  }
}
