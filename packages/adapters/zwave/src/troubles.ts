import type { AdapterHost, RadioTrouble } from "@ledge/port";
import { radioTroubles } from "@ledge/port";

/** What keeps the stick from the devices; the hub is told of one of them at a time. */
export class Troubles {
  readonly #host: Pick<AdapterHost, "trouble">;
  readonly #on = new Set<RadioTrouble>();
  #told: RadioTrouble | null = null;

  constructor(host: Pick<AdapterHost, "trouble">) {
    this.#host = host;
  }

  set(trouble: RadioTrouble, isOn: boolean): void {
    if (isOn) this.#on.add(trouble);
    else this.#on.delete(trouble);
    const now = radioTroubles.find((each) => this.#on.has(each)) ?? null;
    if (now === this.#told) return;
    this.#told = now;
    this.#host.trouble?.(now);
  }
}
