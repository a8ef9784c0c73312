import type { AdapterHost } from "@ledge/port";
import type { LineSource } from "@ledge/serial";
import type { Place, PlaceEvents } from "./place.ts";
import { readRtl433 } from "./rtl433.ts";

export interface ReceiverOptions extends PlaceEvents {
  readonly name: string;
  readonly source: LineSource;
  readonly host: AdapterHost;
}

/** What rtl_433 hears. */
export class Receiver implements Place {
  readonly name: string;
  readonly #options: ReceiverOptions;

  constructor(options: ReceiverOptions) {
    this.#options = options;
    this.name = options.name;
  }

  start(): void {
    const { source, host, onSignal, onChange } = this.#options;
    source.start({
      onLine: (line) => {
        const signal = readRtl433(line);
        if (signal !== undefined) onSignal(signal);
        else if (line.trim() !== "") host.log("debug", "cannot read a line", { receiver: this.name, line });
      },
      onChange: (isUp, reason) => {
        if (isUp) host.log("info", "receiver open", { receiver: this.name });
        else host.log("warn", "receiver lost", { receiver: this.name, reason });
        onChange(isUp);
      },
    });
  }

  async stop(): Promise<void> {
    await this.#options.source.stop();
  }
}
