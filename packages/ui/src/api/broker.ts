// Rows about the MQTT broker of the hub.
import { type Answer, call } from "./call.ts";

export const exposedKinds = ["devices", "groups", "scenes", "rules"] as const;
export type Exposed = (typeof exposedKinds)[number];

/** Which commands the hub takes from the broker; `comfort`: all but those to locks and sirens. */
export const brokerCommands = ["comfort", "none", "all"] as const;

/** MQTT_SETTINGS: the broker that was set by the API. */
export interface Broker {
  readonly url: string;
  readonly username: string | null;
  /** What is shown on the broker. */
  readonly expose: readonly Exposed[];
  readonly commands: (typeof brokerCommands)[number];
  /** Base topics of Zigbee2MQTT whose devices are the hub's. */
  readonly zigbee2mqtt: readonly string[];
  /** The prefix of Tasmota's discovery, and of Home Assistant's; null: not heard. */
  readonly tasmota: string | null;
  readonly homeAssistant: string | null;
  /** The user whose rights the broker's clients have; null: all that is not hidden. */
  readonly user: string | null;
  readonly hasPassword: boolean;
  /** Whether it has an authority for the broker's certificate, and a certificate and key of its own. */
  readonly hasCa: boolean;
  readonly hasCertificate: boolean;
}

/** What is set of the broker; left out is unchanged. Certificates and key are texts in PEM. */
export type WantedBroker = Partial<Omit<Broker, "hasPassword" | "hasCa" | "hasCertificate">> &
  Partial<Readonly<Record<"password" | "ca" | "certificate" | "key", string | null>>>;

/** The broker that was set; null where none was, and that of the profile holds. */
export async function broker(signal: AbortSignal): Promise<Answer<Broker | null>> {
  const answer = await call<Broker>("/hub/mqtt", { signal });
  return !answer.ok && answer.status === 404 ? { ok: true, value: null } : answer;
}

export function setBroker(wanted: WantedBroker): Promise<Answer<Broker>> {
  return call("/hub/mqtt", { method: "PUT", body: { type: "MQTT_SETTINGS", ...wanted } });
}

export function removeBroker(): Promise<Answer<true>> {
  return call("/hub/mqtt", { method: "DELETE" });
}
