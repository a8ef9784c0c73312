import { limits } from "@ledge/model";
import { type AdapterErrorCode, type PairingStatus, radioTroubles } from "./adapter.ts";
import type { FromAdapter } from "./messages.ts";

type Fields = Readonly<Record<string, unknown>>;

const errorCodes: ReadonlySet<unknown> = new Set<AdapterErrorCode>([
  "unreachable",
  "timeout",
  "busy",
  "asleep",
  "unsupported",
  "refused",
  "settings",
  "cancelled",
  "stopped",
]);
const pairingStatuses: ReadonlySet<unknown> = new Set<PairingStatus>(["CONNECTING", "CONNECTED", "COMPLETE"]);
const logLevels: ReadonlySet<unknown> = new Set(["debug", "info", "warn", "error"]);

/** Checks the fields of each kind of message. The model validates the content of devices and reports. */
const forms: Readonly<Record<FromAdapter["type"], (message: Fields) => boolean>> = {
  started: ({ protocol, inFlight, offers }) =>
    isText(protocol) && isCount(inFlight) && inFlight > 0 && isFields(offers) && areOffers(offers),
  inFlight: ({ count }) => isCount(count) && count > 0,
  failed: ({ code, message }) => errorCodes.has(code) && isText(message),
  stopped: () => true,
  announce: ({ device }) => isFields(device) && isDevice(device),
  found: ({ device }) => isFields(device) && isFound(device),
  lost: ({ native }) => isName(native),
  trouble: ({ trouble }) => trouble === null || radioTroubles.some((each) => each === trouble),
  reports: ({ reports, dropped }) => Array.isArray(reports) && reports.every(isReport) && isCount(dropped),
  outcome: ({ id, ok, code, message, value }) =>
    isCount(id) &&
    isShallow(value) &&
    (ok === true || (ok === false && errorCodes.has(code) && isText(message))),
  answered: ({ id, native, ok, code, message }) =>
    isCount(id) &&
    isName(native) &&
    (ok === true || (ok === false && errorCodes.has(code) && isText(message))),
  pong: ({ id }) => isCount(id),
  store: ({ id, key, value }) =>
    isCount(id) &&
    isName(key) &&
    isShallow(value) &&
    JSON.stringify(value ?? null).length <= limits.adapterValueBytes,
  log: ({ level, message, fields }) =>
    logLevels.has(level) &&
    isText(message) &&
    (fields === undefined || (isFields(fields) && isShallow(fields))),
};

/** Returns a message of an adapter, or undefined when it is invalid: a broken process may send anything. */
export function receivedMessage(message: unknown): FromAdapter | undefined {
  if (!isFields(message)) return undefined;
  const { type } = message;
  if (typeof type !== "string" || !Object.hasOwn(forms, type)) return undefined;
  return forms[type as FromAdapter["type"]](message) ? (message as FromAdapter) : undefined;
}

function isDevice(device: Fields): boolean {
  const { native, radio, class: type, capabilities, name, manufacturer, model } = device;
  const { extras, stateExtras, configuration, upgrade } = device;
  return (
    isName(native) &&
    isName(radio) &&
    isText(type) &&
    Array.isArray(capabilities) &&
    capabilities.every(isText) &&
    isText(name) &&
    isTextOrNull(manufacturer) &&
    isTextOrNull(model) &&
    (stateExtras === undefined || (Array.isArray(stateExtras) && isShallow(stateExtras))) &&
    [extras, upgrade, configuration].every(
      (part) => part === undefined || (isFields(part) && isShallow(part)),
    ) &&
    (configuration === undefined || isConfiguration(configuration as Fields))
  );
}

function isConfiguration({ items, values }: Fields): boolean {
  return Array.isArray(items) && (values === undefined || isFields(values));
}

function isFound({ native, description, status, actionRequired, help, helpValues }: Fields): boolean {
  return (
    isName(native) &&
    (description === null ||
      (isFields(description) && isDevice(description) && description["native"] === native)) &&
    pairingStatuses.has(status) &&
    typeof actionRequired === "boolean" &&
    (help === null || isName(help)) &&
    (helpValues === undefined || (isFields(helpValues) && Object.values(helpValues).every(isName)))
  );
}

function areOffers({ pairing, groupcast, protocolCommands, requests }: Fields): boolean {
  return typeof pairing === "boolean" && [groupcast, protocolCommands, requests].every(areNames);
}

function areNames(value: unknown): boolean {
  return Array.isArray(value) && value.every(isName);
}

function isReport(report: unknown): boolean {
  if (!isFields(report)) return false;
  const { native, attributes, at } = report;
  return (
    isName(native) && isFields(attributes) && isShallow(attributes) && (at === undefined || isMoment(at))
  );
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isTextOrNull(value: unknown): boolean {
  return value === null || isText(value);
}

/** Whether a value is an address or key, used for lookups. */
function isName(value: unknown): boolean {
  return isText(value) && value !== "" && value.length <= limits.nativeChars;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Whether a value is nested no deeper than the limit: the log could not store a deeper one. */
function isShallow(value: unknown, depth: number = limits.bodyDepth): boolean {
  if (typeof value !== "object" || value === null) return true;
  return depth > 0 && Object.values(value).every((inner) => isShallow(inner, depth - 1));
}

/** Whether a value is a time; adapters may give fractions. */
function isMoment(value: unknown): boolean {
  return typeof value === "number" && value >= 0 && value <= Number.MAX_SAFE_INTEGER;
}
