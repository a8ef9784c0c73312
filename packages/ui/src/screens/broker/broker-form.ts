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
  /** Texts in PEM. Empty: those that the hub has stay. */
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
  /** The hub shall have them no longer. */
  readonly dropsCa: boolean;
  readonly dropsCertificate: boolean;
}

export const brokerFields = [
  "url",
  "username",
  "password",
  "user",
  "zigbee2mqtt",
  "tasmota",
  "homeAssistant",
  "ca",
  "certificate",
  "key",
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
    ca: "",
    certificate: "",
    key: "",
    dropsCa: false,
    dropsCertificate: false,
  };
}

const address = /^mqtts?:\/\/[^\s/@?#]+$/;

type Flaws = Readonly<Partial<Record<BrokerField, Key>>>;

const secure = /^mqtts:/;
const pem = /-----BEGIN [A-Z ]+-----/;
const pems = ["ca", "certificate", "key"] as const;

/** Returns what is wrong with the texts in PEM. */
function flawsOfPem(form: BrokerForm): Flaws {
  const typed = pems.filter((field) => form[field].trim() !== "");
  const isSecure = secure.test(form.url.trim());
  const flawed = typed.flatMap((field): [BrokerField, Key][] => {
    if (!isSecure) return [[field, "broker.noTls"]];
    return pem.test(form[field]) ? [] : [[field, "broker.noPem"]];
  });
  const half = (typed.includes("key") ? 1 : 0) + (typed.includes("certificate") ? 1 : 0) === 1;
  const missing = typed.includes("key") ? "certificate" : "key";
  return Object.fromEntries(half ? [[missing, "login.missing"], ...flawed] : flawed) as Flaws;
}

/** Returns what of a form the hub would refuse, by field. */
export function flawsOf(form: BrokerForm, broker: Broker | null): Flaws {
  const { url, username, password } = form;
  const hasMoved =
    broker?.hasPassword === true && (broker.url !== url.trim() || broker.username !== username);
  return {
    ...(url.trim() === ""
      ? { url: "login.missing" as const }
      : !address.test(url.trim()) && { url: "broker.badUrl" as const }),
    ...(username === "" && password !== "" && { username: "login.missing" as const }),
    ...(hasMoved && username !== "" && password === "" && { password: "broker.passwordAgain" as const }),
    ...flawsOfPem(form),
  };
}

const orNull = (text: string): string | null => (text.trim() === "" ? null : text.trim());

/** Returns what becomes of certificates and key. A broker without TLS has none. */
function pemsOf(form: BrokerForm): Pick<WantedBroker, (typeof pems)[number]> {
  if (!secure.test(form.url.trim())) return { ca: null, certificate: null, key: null };
  const { ca, certificate, key, dropsCa, dropsCertificate } = form;
  const authority = ca.trim() === "" ? dropsCa && { ca: null } : { ca };
  const own =
    certificate.trim() === "" ? dropsCertificate && { certificate: null, key: null } : { certificate, key };
  return { ...authority, ...own };
}

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
    ...pemsOf(form),
  };
}
