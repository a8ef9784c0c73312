import mqtt, { type IClientOptions, type MqttClient } from "mqtt";
import { until } from "../until.ts";

/** Another client of a broker. It hears everything. */
export class BrokerClient {
  readonly #client: MqttClient;
  /** The newest message of each topic that has one; an empty one takes a topic away. */
  readonly newest = new Map<string, string>();
  /** All messages since it came, in their order. */
  readonly heard: { readonly topic: string; readonly payload: string; readonly retained: boolean }[] = [];

  readonly #answers = new Map<string, (payload: string) => void>();

  private constructor(client: MqttClient) {
    this.#client = client;
  }

  static async join(url: string, options: IClientOptions = {}): Promise<BrokerClient> {
    const client = await mqtt.connectAsync(url, { reconnectPeriod: 0, ...options });
    const joined = new BrokerClient(client);
    client.on("error", () => {});
    client.on("message", (topic, payload, { retain }) => {
      const text = payload.toString();
      joined.#answers.get(topic)?.(text);
      joined.heard.push({ topic, payload: text, retained: retain });
      if (text === "") joined.newest.delete(topic);
      else joined.newest.set(topic, text);
    });
    await client.subscribeAsync("#", { qos: 1 });
    return joined;
  }

  /** Calls back with each message to a topic. */
  on(topic: string, answer: (payload: string) => void): void {
    this.#answers.set(topic, answer);
  }

  async say(topic: string, payload: string | object, retain = false): Promise<void> {
    const text = typeof payload === "string" ? payload : JSON.stringify(payload);
    await this.#client.publishAsync(topic, text, { qos: 1, retain });
  }

  /** Resolves when the newest message of a topic fulfils a condition, with that message. */
  async shows(topic: string, is: (payload: string) => boolean): Promise<string> {
    return await until(topic, () => {
      const payload = this.newest.get(topic);
      return payload !== undefined && is(payload) ? payload : undefined;
    });
  }

  async leave(): Promise<void> {
    await this.#client.endAsync(true);
  }
}
