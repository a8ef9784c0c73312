import type { Broker, WantedBroker } from "../../api/broker.ts";
import { exposedKinds, type Exposed } from "../../api/broker.ts";
import type { Key } from "../../texts/texts.ts";

/** The broker while somebody types; empty texts stand for nothing. */
export interface BrokerForm {
  readonly url: string;
  readonly username: string;
  /** Empty: that which the hub has stays. */
  readonly password: string;
  readonly expose: readonly Exposed[];
  readonly commands: Broker["commands"];
  readonly user: string;
  /** Base topics with commas between. */
  readonly zigbee2mqtt: string;
  readonly tasmota: string;
  readonly homeAssistant: string;
}

export const brokerFields = [
  "url",
  "username",
  "password",
  "user",
  "zigbee2mqtt",
  "tasmota",
  "homeAssistant",
] as const;
export type BrokerField = (typeof brokerFields)[number];

/** Returns what the form holds of a broker; of none, what the hub takes for one. */
export function formOf(broker: Broker | null): BrokerForm {
  return {
    url: broker?.url ?? "",
    username: broker?.username ?? "",
    password: "",
    expose: broker?.expose ?? exposedKinds,
    commands: broker?.commands ?? "comfort",
    user: broker?.user ?? "",
    zigbee2mqtt: broker?.zigbee2mqtt.join(", ") ?? "",
    tasmota: broker?.tasmota ?? "",
    homeAssistant: broker?.homeAssistant ?? "",
  };
}

const address = /^mqtts?:\/\/[^\s/@?#]+$/;

/** Returns what of a form the hub would refuse, by field. */
export function flawsOf(
  { url, username, password }: BrokerForm,
  broker: Broker | null,
): Readonly<Partial<Record<BrokerField, Key>>> {
  const hasMoved =
    broker?.hasPassword === true && (broker.url !== url.trim() || broker.username !== username);
  return {
    ...(url.trim() === ""
      ? { url: "login.missing" as const }
      : !address.test(url.trim()) && { url: "broker.badUrl" as const }),
    ...(username === "" && password !== "" && { username: "login.missing" as const }),
    ...(hasMoved && username !== "" && password === "" && { password: "broker.passwordAgain" as const }),
  };
}

const orNull = (text: string): string | null => (text.trim() === "" ? null : text.trim());

/** Returns what the hub is told of a form. A broker without a user has no password. */
export function wantedOf(form: BrokerForm): WantedBroker {
  const { url, username, password, expose, commands, user, zigbee2mqtt, tasmota, homeAssistant } = form;
  const topics = zigbee2mqtt.split(",").flatMap((text) => orNull(text) ?? []);
  return {
    url: url.trim(),
    username: orNull(username),
    ...(username.trim() === "" ? { password: null } : password !== "" && { password }),
    expose: exposedKinds.filter((kind) => expose.includes(kind)),
    commands,
    user: orNull(user),
    zigbee2mqtt: [...new Set(topics)],
    tasmota: orNull(tasmota),
    homeAssistant: orNull(homeAssistant),
  };
}
