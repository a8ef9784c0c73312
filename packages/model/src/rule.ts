import Type from "typebox";
import type { Decider, Reader, Rejection, World } from "./decider.ts";
import { idsOf, isRejection, reject } from "./decider.ts";
import type { EventOf, Upcasters } from "./event.ts";
import { defineEvent } from "./event.ts";
import { limits } from "./limits.ts";
import { rangesProblem, RuleTimerRequest, StoredRange, storedRange, withTimeRanges } from "./schedule.ts";
import { Id, isSameList, Name, unchangedIfNull } from "./schema.ts";

const Ids = Type.Array(Id, { maxItems: limits.ruleFieldValues });
const Value = Type.Object({ type: Type.String() }, { additionalProperties: true });

/** CONFIG (hub-api 2.8): the values of a template's fields. */
export const RuleConfig = Type.Object({
  type: Type.Literal("CONFIG"),
  id: Id,
  name: Name,
  configType: Name,
  inputs: Type.Record(Type.String(), Ids),
  outputs: Type.Record(Type.String(), Ids),
  extras: Type.Record(Type.String(), Type.Array(Value, { maxItems: limits.ruleFieldValues })),
});
export type RuleConfig = Type.Static<typeof RuleConfig>;

/** RULE (hub-api 2.8). `scenes` says for each listed scene whether it is on. */
export const Rule = Type.Object({
  type: Type.Literal("RULE"),
  id: Id,
  is_on: Type.Boolean(),
  scenes: Type.Record(Type.String(), Type.Boolean()),
  timers: Type.Array(StoredRange),
  config: RuleConfig,
  timestamp: Type.Integer(),
});

/** A rule without what depends on its scenes. */
export interface RuleState {
  readonly id: string;
  readonly is_on: boolean;
  readonly scenes: readonly string[];
  readonly timers: readonly StoredRange[];
  readonly config: RuleConfig;
  /** The timestamp (ms) of the commit that created it. */
  readonly createdAt: number;
}

declare module "./states.ts" {
  interface States {
    rule: RuleState;
  }
}

/** A CONFIG as clients send it; without an id it creates a rule. */
export const RuleConfigRequest = Type.Object({
  ...RuleConfig.properties,
  type: unchangedIfNull(Type.Literal("CONFIG")),
  id: unchangedIfNull(Id),
});
export type RuleConfigRequest = Type.Static<typeof RuleConfigRequest>;
/** RULE_ON_CFG (hub-api 2.8); without scenes and timers the rule is controlled by hand only. */
export const RuleOnConfig = Type.Object({
  type: unchangedIfNull(Type.Literal("RULE_ON_CFG")),
  scenes: unchangedIfNull(Type.Array(Id, { maxItems: limits.ruleScenes })),
  timers: unchangedIfNull(Type.Array(RuleTimerRequest, { maxItems: limits.ruleTimers })),
});

export const RuleOnCommand = Type.Object({ type: Type.Literal("RULE_ON_COMMAND"), id: Id });
export const RuleOffCommand = Type.Object({ type: Type.Literal("RULE_OFF_COMMAND"), id: Id });

export type RuleCommand =
  /** A CONFIG, and a RULE_ON_CFG in which null and missing fields stay unchanged. */
  | { type: "SET_RULE"; config: Type.Static<typeof RuleConfigRequest>; on?: Type.Static<typeof RuleOnConfig> }
  | { type: "SET_RULE_ON"; id: string; on: Type.Static<typeof RuleOnConfig> }
  | Type.Static<typeof RuleOnCommand>
  | Type.Static<typeof RuleOffCommand>
  /** The rule does harm, so it is turned off until somebody turns it on. */
  | { type: "STOP_RULE"; id: string; reason: RuleStopReason }
  /** A device or scene in its CONFIG was removed. */
  | { type: "DROP_FROM_RULE"; id: string; gone: string }
  | { type: "REMOVE_RULE"; id: string };

/** Why the hub turns a rule off: it triggers itself, commands or works too much, or its steps fail. */
export type RuleStopReason = "loop" | "too many commands" | "too much work" | "faults";

const SceneIds = Type.Array(Type.String());
const Timers = Type.Array(StoredRange);
const RuleCreated = defineEvent("RuleCreated", 2, { config: RuleConfig, scenes: SceneIds, timers: Timers });
const RuleConfigured = defineEvent("RuleConfigured", 1, { config: RuleConfig });
const RuleOnConfigured = defineEvent("RuleOnConfigured", 2, { scenes: SceneIds, timers: Timers });
/** By the named scene, or by hand. */
const RuleTurnedOn = defineEvent("RuleTurnedOn", 1, { scene: Type.Union([Type.String(), Type.Null()]) });
const RuleTurnedOff = defineEvent("RuleTurnedOff", 1, {});
const RuleStopped = defineEvent("RuleStopped", 1, { reason: Type.String() });
const RuleRemoved = defineEvent("RuleRemoved", 1, {});

export type RuleEvent =
  | EventOf<typeof RuleCreated>
  | EventOf<typeof RuleConfigured>
  | EventOf<typeof RuleOnConfigured>
  | EventOf<typeof RuleTurnedOn>
  | EventOf<typeof RuleTurnedOff>
  | EventOf<typeof RuleStopped>
  | EventOf<typeof RuleRemoved>;

export const ruleUpcasters: Upcasters = {
  "RuleCreated@1": withTimeRanges,
  "RuleOnConfigured@1": withTimeRanges,
};

export const rule: Decider<RuleState, RuleCommand, RuleEvent> = {
  kind: "rule",
  commands: [
    "SET_RULE",
    "SET_RULE_ON",
    "RULE_ON_COMMAND",
    "RULE_OFF_COMMAND",
    "STOP_RULE",
    "DROP_FROM_RULE",
    "REMOVE_RULE",
  ],
  events: [
    RuleCreated,
    RuleConfigured,
    RuleOnConfigured,
    RuleTurnedOn,
    RuleTurnedOff,
    RuleStopped,
    RuleRemoved,
  ],
  delta: {
    type: "RULE_DELTA",
    hidesFromGuests: true,
    render: ({ id, is_on, scenes, timers, config: whole }, { read, timestamp, forGuests }) => {
      const shown = scenes.map((scene) => [scene, read.get("scene", scene)?.isOn ?? false] as const);
      const config = forGuests ? configForGuests(whole, read) : whole;
      return { type: "RULE", id, is_on, scenes: Object.fromEntries(shown), timers, config, timestamp };
    },
    dependents: (event, read, forGuests) => {
      if (event.type === "DeviceVisibilitySet" || event.type === "DeviceRemoved")
        return forGuests ? naming(event.id, read) : [];
      return read.get("scene", event.id) === undefined ? [] : listing([event.id], read).map(({ id }) => id);
    },
  },

  target: (command) => (command.type === "SET_RULE" ? (command.config.id ?? undefined) : command.id),

  decide(command, state, world) {
    if (command.type === "SET_RULE") return set(command, state, world);
    if (state === undefined) return reject("not-found", `no rule ${command.id}`, "id");
    const { id } = state;
    switch (command.type) {
      case "SET_RULE_ON":
        return setOn(state, command.on, world);
      case "RULE_ON_COMMAND":
      case "RULE_OFF_COMMAND": {
        const isOn = command.type === "RULE_ON_COMMAND";
        if (isOn === state.is_on) return [];
        if (state.scenes.length > 0)
          return reject("wrong-state", "its scenes turn this rule on and off", "id");
        return [isOn ? turnedOn(id, null) : turnedOff(id)];
      }
      case "STOP_RULE":
        return state.is_on ? [{ type: "RuleStopped", id, reason: command.reason } satisfies RuleEvent] : [];
      case "DROP_FROM_RULE": {
        const config = configWithout(state.config, command.gone);
        return config === undefined ? [] : [{ type: "RuleConfigured", id, config } satisfies RuleEvent];
      }
      case "REMOVE_RULE":
        return [{ type: "RuleRemoved", id } satisfies RuleEvent];
    }
  },

  evolve(state, event, timestamp) {
    if (event.type === "RuleCreated") {
      const { id, config, scenes, timers } = event;
      return { id, is_on: false, scenes, timers, config, createdAt: timestamp };
    }
    if (state === undefined) return undefined;
    switch (event.type) {
      case "RuleConfigured":
        return { ...state, config: event.config };
      case "RuleOnConfigured":
        return { ...state, scenes: event.scenes, timers: event.timers };
      case "RuleTurnedOn":
        return { ...state, is_on: true };
      case "RuleTurnedOff":
      case "RuleStopped":
        return { ...state, is_on: false };
      case "RuleRemoved":
        return undefined;
    }
  },
};

const turnedOn = (id: string, scene: string | null): RuleEvent => ({ type: "RuleTurnedOn", id, scene });
const turnedOff = (id: string): RuleEvent => ({ type: "RuleTurnedOff", id });

type SetRule = Extract<RuleCommand, { type: "SET_RULE" }>;
type OnConfig = Type.Static<typeof RuleOnConfig>;

function set(
  { config: wanted, on = {} }: SetRule,
  state: RuleState | undefined,
  world: World,
): RuleEvent[] | Rejection {
  const known = wanted.id ?? undefined;
  if (known !== undefined && state === undefined) return reject("not-found", `no rule ${known}`, "id");
  const fields = [wanted.inputs, wanted.outputs, wanted.extras].flatMap((of) => Object.keys(of));
  if (fields.length > limits.ruleFields || fields.some((name) => name.length > limits.nameChars)) {
    return reject("invalid", `a rule has at most ${limits.ruleFields} fields`, "inputs");
  }
  if (state === undefined && world.size("rule") >= limits.rules) {
    return reject("invalid", `at most ${limits.rules} rules`);
  }
  const id = state?.id ?? world.newId();
  const { name, configType, inputs, outputs, extras } = wanted;
  const config: RuleConfig = { type: "CONFIG", id, name, configType, inputs, outputs, extras };
  if (JSON.stringify(config).length > limits.ruleConfigChars) {
    return reject("invalid", `a rule's CONFIG has at most ${limits.ruleConfigChars} characters`);
  }
  if (state === undefined) {
    const draft: RuleState = { id, is_on: false, scenes: [], timers: [], config, createdAt: world.now };
    const ons = setOn(draft, on, world);
    if (isRejection(ons)) return ons;
    return [{ type: "RuleCreated", id, config, scenes: [], timers: [] }, ...ons];
  }
  const ons = setOn(state, on, world);
  if (isRejection(ons)) return ons;
  const isSame = JSON.stringify(config) === JSON.stringify(state.config);
  return isSame ? ons : [{ type: "RuleConfigured", id, config }, ...ons];
}

/** Sets the list of scenes or timers; a rule that lists scenes is on exactly while one of them is. */
function setOn(state: RuleState, on: OnConfig, world: World): RuleEvent[] | Rejection {
  const { id } = state;
  const scenes = on.scenes ? [...new Set(on.scenes)] : state.scenes;
  const timers = on.timers?.map(storedRange) ?? state.timers;
  if (scenes.length > 0 && timers.length > 0) {
    return reject("invalid", "a rule follows scenes or timers, not both", on.timers ? "timers" : "scenes");
  }
  const unknown = scenes.find((scene) => world.get("scene", scene) === undefined);
  if (unknown !== undefined) return reject("invalid", `no scene ${unknown}`, "scenes");
  const problem = rangesProblem(timers, "timers");
  if (problem !== undefined) return problem;
  const events: RuleEvent[] = [];
  const isSame = isSameList(scenes, state.scenes) && JSON.stringify(timers) === JSON.stringify(state.timers);
  if (!isSame) events.push({ type: "RuleOnConfigured", id, scenes: [...scenes], timers: [...timers] });
  return [...events, ...follow({ ...state, scenes }, state.scenes.length > 0, noScenes, world)];
}

/** Returns a CONFIG without a device, group or scene; undefined when it does not name it. */
function configWithout(config: RuleConfig, gone: string): RuleConfig | undefined {
  if (!namedIn(config).includes(gone)) return undefined;
  const devices = (of: RuleConfig["inputs"]): RuleConfig["inputs"] =>
    Object.fromEntries(Object.entries(of).map(([field, ids]) => [field, ids.filter((id) => id !== gone)]));
  const extras = Object.entries(config.extras).map(
    ([field, values]) => [field, values.filter((value) => sceneIn(value) !== gone)] as const,
  );
  const { inputs, outputs } = config;
  return {
    ...config,
    inputs: devices(inputs),
    outputs: devices(outputs),
    extras: Object.fromEntries(extras),
  };
}

/** Returns the devices, groups and scenes that a CONFIG names. */
export function namedIn({ inputs, outputs, extras }: RuleConfig): readonly string[] {
  const devices = [...Object.values(inputs), ...Object.values(outputs)].flat();
  return [
    ...devices,
    ...Object.values(extras).flatMap((values) => values.flatMap((value) => sceneIn(value) ?? [])),
  ];
}

/** Returns the scene that a value of the extras names; undefined for any other value. */
export function sceneIn({ type, ...rest }: RuleConfig["extras"][string][number]): string | undefined {
  const { value } = rest as { readonly value?: unknown };
  return type === "SCENE" && typeof value === "string" ? value : undefined;
}

const noScenes: ReadonlyMap<string, boolean> = new Map();

/**
 * Turns a rule on or off with its scenes.
 * @param hadScenes whether it listed scenes until now; without any it then goes off
 * @param switched the scenes that the present decision turns on or off
 */
function follow(
  { id, is_on, scenes }: RuleState,
  hadScenes: boolean,
  switched: ReadonlyMap<string, boolean>,
  world: Pick<Reader, "get">,
): RuleEvent[] {
  if (scenes.length === 0 && !hadScenes) return [];
  const on = scenes.find((scene) => switched.get(scene) ?? world.get("scene", scene)?.isOn);
  if ((on !== undefined) === is_on) return [];
  return [on === undefined ? turnedOff(id) : turnedOn(id, on)];
}

/** Returns a CONFIG as guests see it: without hidden devices, and groups only with visible members. */
function configForGuests(config: RuleConfig, read: Pick<Reader, "get">): RuleConfig {
  const seen = (fields: RuleConfig["inputs"]): RuleConfig["inputs"] =>
    Object.fromEntries(
      Object.entries(fields).map(([name, ids]) => [
        name,
        ids.filter((id) => read.get("device", id)?.visible === true || read.get("group", id) !== undefined),
      ]),
    );
  return { ...config, inputs: seen(config.inputs), outputs: seen(config.outputs) };
}

/** Returns the rules that have a device. */
function naming(device: string, read: Reader): string[] {
  return idsOf("rule", read).filter((id) => {
    const { inputs = {}, outputs = {} } = read.get("rule", id)?.config ?? {};
    return [inputs, outputs].some((fields) => Object.values(fields).some((ids) => ids.includes(device)));
  });
}

/** Returns the rules that list one of these scenes. */
function listing(scenes: readonly string[], read: Reader): RuleState[] {
  return idsOf("rule", read).flatMap((id) => {
    const state = read.get("rule", id);
    return state?.scenes.some((scene) => scenes.includes(scene)) ? [state] : [];
  });
}

/** Turns rules on and off with the scenes that they list, in the same commit. */
export function followScenes(switched: ReadonlyMap<string, boolean>, read: Reader): RuleEvent[] {
  return listing([...switched.keys()], read).flatMap((state) => follow(state, true, switched, read));
}

/** Removes a scene from the rules that list it, as it is about to be removed. */
export function withoutScene(scene: string, read: Reader): RuleEvent[] {
  return listing([scene], read).flatMap((state) => {
    const scenes = state.scenes.filter((id) => id !== scene);
    const event: RuleEvent = { type: "RuleOnConfigured", id: state.id, scenes, timers: [...state.timers] };
    return [event, ...follow({ ...state, scenes }, true, noScenes, read)];
  });
}
