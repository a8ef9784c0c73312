import { type AdapterClock, settledWithin } from "@ledge/port";
import type { LineEvents, LineSource } from "@ledge/serial";
import type { MqttClient } from "mqtt";
import type { MqttPlace } from "./settings.ts";

const reconnectMs = 5000;
const endMs = 2000;
/** Of a broker's message; rtl_433 writes a few hundred. */
const mostBytes = 16_384;

/** Takes each message of a topic for a line. Loads the MQTT library only now. */
export class MqttSource implements LineSource {
  readonly #place: MqttPlace;
  readonly #clock: AdapterClock;
  #client: MqttClient | undefined;
  #isUp: boolean | undefined;
  #isStopped = false;
  #connecting: Promise<void> = Promise.resolve();

  constructor(place: MqttPlace, clock: AdapterClock) {
    this.#place = place;
    this.#clock = clock;
  }

  start(events: LineEvents): void {
    this.#connecting = this.#connect(events);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#connecting;
    const client = this.#client;
    if (client !== undefined) await settledWithin(endMs, this.#clock, client.endAsync(true));
  }

  async #connect(events: LineEvents): Promise<void> {
    const { connect } = await import("mqtt");
    if (this.#isStopped) return;
    const { url, topic, username, password, ca } = this.#place;
    const client = connect(url, {
      reconnectPeriod: reconnectMs,
      resubscribe: false,
      ...(username !== undefined && { username }),
      ...(password !== undefined && { password }),
      ...(ca !== undefined && { ca }),
    });
    let reason = "the broker has closed the connection";
    this.#client = client;
    client.on("error", (error) => {
      reason = error.message === "" ? ((error as NodeJS.ErrnoException).code ?? "an error") : error.message;
    });
    client.on("connect", () => {
      client.subscribe(topic, (error, granted = []) => {
        const isRefused = granted.some(({ qos }) => qos > 2);
        if (!error && !isRefused) return this.#tell(events, true, "");
        this.#tell(events, false, error?.message ?? `the broker refuses ${topic}`);
      });
    });
    client.on("message", (_topic, payload, { retain }) => {
      // What is retained was said before, maybe long ago.
      if (!this.#isStopped && !retain && payload.length <= mostBytes) events.onLine(payload.toString("utf8"));
    });
    client.on("close", () => this.#tell(events, false, reason));
  }

  #tell({ onChange }: LineEvents, isUp: boolean, reason: string): void {
    if (this.#isUp === isUp || this.#isStopped) return;
    this.#isUp = isUp;
    onChange(isUp, reason);
  }
}
