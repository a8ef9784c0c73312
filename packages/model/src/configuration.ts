import Type from "typebox";
import { lazyValidator } from "./lazy-validator.ts";
import type { CfgItem } from "./configuration-item.ts";
import {
  cfgItem,
  CfgItem as CfgItemSchema,
  ConfigurationItem,
  ConfigurationValue,
  itemsProblem,
  secretShown,
  valueProblem,
} from "./configuration-item.ts";
import type { ConfigurationValues } from "./configuration-item.ts";
import type { Decider, Rejection, World } from "./decider.ts";
import { reject } from "./decider.ts";
import { isLocked } from "./device-access.ts";
import type { EventOf } from "./event.ts";
import { defineEvent } from "./event.ts";
import type { Language } from "./language.ts";
import { limits } from "./limits.ts";
import { Id } from "./schema.ts";

/** Settings that a device should take, requested together. */
interface ConfigurationRequest {
  readonly request: string;
  readonly parameters: ConfigurationValues;
}

/** The settings of a device. A value counts once the device has confirmed it. */
export interface Configuration {
  readonly id: string;
  readonly items: readonly ConfigurationItem[];
  /** The known values of the device's settings. */
  readonly values: ConfigurationValues;
  /** The requests that the device has not answered yet, oldest first. */
  readonly pending: readonly ConfigurationRequest[];
  /** The last failed request; null after a success or a new request. */
  readonly failure: { readonly parameters: ConfigurationValues; readonly message: string } | null;
  /** The secrets of pending requests; missing without any. `values` and `parameters` show none. */
  readonly secrets?: Readonly<Record<string, ConfigurationValues>>;
}

declare module "./states.ts" {
  interface States {
    configuration: Configuration;
  }
}

const Values = Type.Record(Type.String(), ConfigurationValue);

/** CONFIGURATION (hub-api 2.5), with further fields after `parameters` about the last request. */
export const ConfigurationObject = Type.Object({
  type: Type.Literal("CONFIGURATION"),
  id: Id,
  template: Type.Optional(
    Type.Object({ type: Type.Literal("CFG_TEMPLATE"), parameters: Type.Array(CfgItemSchema) }),
  ),
  parameters: Values,
  status: Type.Enum(["APPLIED", "PENDING", "FAILED"]),
  /** The values that were requested and do not hold (yet). */
  requested: Type.Union([Values, Type.Null()]),
  /** Why it failed. */
  message: Type.Union([Type.String(), Type.Null()]),
});
export type ConfigurationObject = Type.Static<typeof ConfigurationObject>;

/** CONFIGURATION as clients send it; values that are null or missing stay unchanged. */
export const SetConfiguration = Type.Object({
  type: Type.Literal("CONFIGURATION"),
  id: Id,
  parameters: Type.Record(Type.String(), Type.Unknown()),
});

export type ConfigurationCommand =
  | Type.Static<typeof SetConfiguration>
  | { type: "RESET_CONFIGURATION"; id: string }
  /** The adapter's description of the settings; null when the device has none (any more). */
  | {
      type: "DESCRIBE_CONFIGURATION";
      id: string;
      items: readonly ConfigurationItem[] | null;
      values: ConfigurationValues;
    }
  | { type: "NOTE_CONFIGURED"; id: string; request: string }
  | { type: "NOTE_CONFIGURATION_FAILED"; id: string; request: string; code: string; message: string };

/** Values in events are not checked against limits, as older releases had others. */
const Logged = Type.Record(Type.String(), Type.Union([Type.Boolean(), Type.Number(), Type.String()]));
const ConfigurationDescribed = defineEvent("ConfigurationDescribed", 1, {
  items: Type.Array(Type.Record(Type.String(), Type.Unknown())),
  values: Logged,
});
const ConfigurationRequested = defineEvent(
  "ConfigurationRequested",
  1,
  {
    request: Type.String(),
    /** Of secrets only whether they are to be set. */
    parameters: Logged,
    secrets: Type.Optional(Logged),
  },
  ["secrets"],
);
const ConfigurationApplied = defineEvent("ConfigurationApplied", 1, { request: Type.String() });
const ConfigurationFailed = defineEvent("ConfigurationFailed", 1, {
  request: Type.String(),
  code: Type.String(),
  message: Type.String(),
});
const ConfigurationRemoved = defineEvent("ConfigurationRemoved", 1, {});

type Described = EventOf<typeof ConfigurationDescribed>;
/** Settings were requested of a device. */
export type ConfigurationRequested = EventOf<typeof ConfigurationRequested>;
export type ConfigurationEvent =
  | Described
  | ConfigurationRequested
  | EventOf<typeof ConfigurationApplied>
  | EventOf<typeof ConfigurationFailed>
  | EventOf<typeof ConfigurationRemoved>;

const items = lazyValidator(Type.Array(ConfigurationItem, { maxItems: limits.configurationItems }));

/** One instance per device with settings, with the device's id. */
export const configuration: Decider<Configuration, ConfigurationCommand, ConfigurationEvent> = {
  kind: "configuration",
  commands: [
    "CONFIGURATION",
    "RESET_CONFIGURATION",
    "DESCRIBE_CONFIGURATION",
    "NOTE_CONFIGURED",
    "NOTE_CONFIGURATION_FAILED",
  ],
  events: [
    ConfigurationDescribed,
    ConfigurationRequested,
    ConfigurationApplied,
    ConfigurationFailed,
    ConfigurationRemoved,
  ],
  secrets: ["secrets"],

  target: ({ id }) => id,

  decide(command, state, world) {
    const { id } = command;
    if (command.type === "DESCRIBE_CONFIGURATION") return describe(command, state);
    if (state === undefined) return reject("not-found", `device ${id} has no configuration`, "id");
    switch (command.type) {
      case "CONFIGURATION":
        return request(state, wantedOf(state, command.parameters), world);
      case "RESET_CONFIGURATION":
        return request(state, defaultsOf(state), world);
      case "NOTE_CONFIGURED":
        if (!isPending(state, command.request)) return [];
        return [{ type: "ConfigurationApplied", id, request: command.request } satisfies ConfigurationEvent];
      case "NOTE_CONFIGURATION_FAILED": {
        if (!isPending(state, command.request)) return [];
        const { request: of, code, message } = command;
        return [{ type: "ConfigurationFailed", id, request: of, code, message } satisfies ConfigurationEvent];
      }
    }
  },

  evolve(state, event) {
    if (event.type === "ConfigurationDescribed") return described(state, event);
    if (state === undefined || event.type === "ConfigurationRemoved") return undefined;
    if (event.type === "ConfigurationRequested") {
      const { request: of, parameters, secrets } = event;
      const news = { ...state, pending: [...state.pending, { request: of, parameters }], failure: null };
      return secrets === undefined ? news : { ...news, secrets: { ...state.secrets, [of]: secrets } };
    }
    const { parameters = {} } = state.pending.find(({ request: of }) => of === event.request) ?? {};
    const pending = state.pending.filter(({ request: of }) => of !== event.request);
    const rest = withoutSecrets(state, event.request);
    return event.type === "ConfigurationApplied"
      ? { ...rest, pending, values: { ...state.values, ...parameters }, failure: null }
      : { ...rest, pending, failure: { parameters, message: event.message } };
  },
};

/** Returns the configuration as the API shows it. */
export function configurationObject(
  { id, items: all, values, pending, failure }: Configuration,
  language: Language,
  withTemplate: boolean,
): ConfigurationObject {
  const parameters: CfgItem[] = withTemplate ? all.map((item) => cfgItem(item, language)) : [];
  const waiting = Object.assign({}, ...pending.map((each) => each.parameters)) as ConfigurationValues;
  const status = pending.length > 0 ? "PENDING" : failure === null ? "APPLIED" : "FAILED";
  return {
    type: "CONFIGURATION",
    id,
    ...(withTemplate && { template: { type: "CFG_TEMPLATE", parameters } }),
    parameters: values,
    status,
    requested: status === "PENDING" ? waiting : (failure?.parameters ?? null),
    message: status === "FAILED" ? (failure?.message ?? null) : null,
  };
}

/** Returns a state that has forgotten the secrets of a request. */
function withoutSecrets(state: Configuration, answered: string): Configuration {
  const { secrets, ...rest } = state;
  const { [answered]: _, ...others } = secrets ?? {};
  return Object.keys(others).length === 0 ? rest : { ...rest, secrets: others };
}

/**
 * Returns what to tell a device for a pending request, its secrets in place. A secret that could not be read
 * from disk is left out.
 */
export function toldParameters(
  { items: all, pending, secrets = {} }: Configuration,
  sought: string,
): ConfigurationValues {
  const { parameters = {} } = pending.find(({ request: of }) => of === sought) ?? {};
  const known = secrets[sought] ?? {};
  const isHidden = new Set(all.filter(({ secret }) => secret).map(({ name }) => name));
  return Object.fromEntries(
    Object.entries(parameters).flatMap(([name, value]): [string, ConfigurationValue][] => {
      if (!isHidden.has(name)) return [[name, value]];
      const told = Object.hasOwn(known, name) ? known[name] : undefined;
      return typeof told === "string" ? [[name, told]] : [];
    }),
  );
}

function isPending({ pending }: Configuration, sought: string): boolean {
  return pending.some(({ request: of }) => of === sought);
}

/** Returns the values that the device will have after all pending requests. */
function foreseen({ values, pending }: Configuration): ConfigurationValues {
  return Object.assign({}, values, ...pending.map(({ parameters }) => parameters)) as ConfigurationValues;
}

/**
 * Returns the values of a client that change something; unknown names are ignored, as clients send back what
 * they read.
 */
function wantedOf(
  state: Configuration,
  parameters: Readonly<Record<string, unknown>>,
): ConfigurationValues | Rejection {
  const wanted: Record<string, ConfigurationValue> = {};
  const before = foreseen(state);
  for (const item of state.items) {
    const { name, readOnly } = item;
    const value = Object.hasOwn(parameters, name) ? parameters[name] : null;
    if (value === null || isUnchanged(item, value, before[name])) continue;
    const field = `parameters.${name}`;
    const problem = readOnly ? "cannot be changed" : valueProblem(item, value);
    if (problem !== undefined) return reject("invalid", `${name} ${problem}`, field);
    // JSON, and so the log, has no negative zero.
    wanted[name] = value === 0 ? 0 : (value as ConfigurationValue);
  }
  return wanted;
}

/** A new secret may be the same as before: nobody can tell. */
function isUnchanged({ secret }: ConfigurationItem, value: unknown, before: unknown): boolean {
  return secret ? value === secretShown || (value === "" && before !== secretShown) : value === before;
}

function defaultsOf(state: Configuration): ConfigurationValues {
  const before = foreseen(state);
  const changed = state.items.filter(
    ({ name, readOnly, defaultValue }) => !readOnly && defaultValue !== null && defaultValue !== before[name],
  );
  return Object.fromEntries(
    changed.map(({ name, defaultValue }) => [name, defaultValue as ConfigurationValue]),
  );
}

function request(
  { id, items: all, pending }: Configuration,
  wanted: ConfigurationValues | Rejection,
  world: World,
): readonly ConfigurationEvent[] | Rejection {
  const device = world.get("device", id);
  if (device === undefined) return reject("not-found", `no device ${id}`, "id");
  if (isLocked(device)) return reject("forbidden", "the device is locked", "id");
  if ("rejected" in wanted) return wanted as Rejection;
  if (Object.keys(wanted).length === 0) return [];
  if (pending.length >= limits.configurationsPending) {
    return reject("wrong-state", `the device has not answered ${pending.length} changes yet`, "id");
  }
  return [{ type: "ConfigurationRequested", id, request: world.newId(), ...hidden(all, wanted) }];
}

/** Splits wanted values into those that may be shown, and secrets. */
function hidden(
  all: readonly ConfigurationItem[],
  wanted: ConfigurationValues,
): { parameters: Record<string, ConfigurationValue>; secrets?: Record<string, ConfigurationValue> } {
  const names = all
    .filter(({ name, secret }) => secret && Object.hasOwn(wanted, name))
    .map(({ name }) => name);
  if (names.length === 0) return { parameters: wanted };
  const shown = names.map((name) => [name, wanted[name] === "" ? "" : secretShown] as const);
  const secrets = names.map((name) => [name, wanted[name] as ConfigurationValue] as const);
  return { parameters: { ...wanted, ...Object.fromEntries(shown) }, secrets: Object.fromEntries(secrets) };
}

function describe(
  { id, items: said, values }: Extract<ConfigurationCommand, { type: "DESCRIBE_CONFIGURATION" }>,
  state: Configuration | undefined,
): readonly ConfigurationEvent[] | Rejection {
  if (said === null) return state === undefined ? [] : [{ type: "ConfigurationRemoved", id }];
  if (!items.Check(said)) {
    const [error] = items.Errors(said);
    return reject("invalid", `invalid configuration: ${error?.instancePath} ${error?.message}`, "items");
  }
  const problem = itemsProblem(said);
  if (problem !== undefined) return reject("invalid", problem, "items");
  const event: Described = {
    type: "ConfigurationDescribed",
    id,
    items: said.map((item) => ({ ...item })),
    values: fitting(said, values),
  };
  return JSON.stringify(described(state, event)) === JSON.stringify(state) ? [] : [event];
}

function described(state: Configuration | undefined, { id, items: said, values }: Described): Configuration {
  const { pending = [], failure = null } = state ?? {};
  const all = said as unknown as readonly ConfigurationItem[];
  const known = fitting(all, { ...state?.values, ...values });
  return { id, items: all, values: known, pending, failure };
}

/**
 * Returns the values that are valid for a list of settings, in its order; a device may have invalid ones from
 * an earlier release.
 */
function fitting(
  all: readonly ConfigurationItem[],
  values: ConfigurationValues,
): Record<string, ConfigurationValue> {
  const known = all.filter(
    (item) => Object.hasOwn(values, item.name) && valueProblem(item, values[item.name]) === undefined,
  );
  return Object.fromEntries(
    known.map(({ name, secret }) => {
      const value = values[name] as ConfigurationValue;
      // An adapter that says a secret does not make the hub show it.
      return [name, secret && value !== "" ? secretShown : value];
    }),
  );
}
