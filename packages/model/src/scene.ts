import Type from "typebox";
import type { ActivatorEvent } from "./activator.ts";
import type { Decider, Decision, World } from "./decider.ts";
import { isRejection, reject } from "./decider.ts";
import type { DomainEvent, EventOf, Upcasters } from "./event.ts";
import { defineEvent } from "./event.ts";
import { limits } from "./limits.ts";
import type { Presets } from "./preset.ts";
import {
  Preset,
  presetsForGuests,
  presetsOf,
  presetsWithout,
  ScenePresetRequest,
  scenesShowing,
} from "./preset.ts";
import { withoutScene } from "./rule.ts";
import { Scene, type SceneState } from "./scene-object.ts";
import {
  excludedIds,
  excludingRenewed,
  requirementProblem,
  turnOff,
  turnOn,
  unmetRequirement,
} from "./scene-switching.ts";
import { rangesProblem, SceneTimeRequest, StoredRange, storedRange, withTimeRanges } from "./schedule.ts";
import { Id, isSameList, Name, unchangedIfNull } from "./schema.ts";

/** CMD_SCENE (hub-api 2.7, ChangeScene); without an id it creates a scene. */
export const CmdScene = Type.Object({
  type: Type.Literal("CMD_SCENE"),
  id: unchangedIfNull(Id),
  name: unchangedIfNull(Name),
  isOn: unchangedIfNull(Type.Boolean()),
  presets: unchangedIfNull(Type.Record(Type.String(), ScenePresetRequest)),
  requiredIds: unchangedIfNull(Type.Array(Id, { maxItems: limits.requiredScenes })),
  sceneTimes: unchangedIfNull(Type.Array(SceneTimeRequest, { maxItems: limits.sceneTimes })),
});
export const CmdSceneOn = Type.Object({ type: Type.Literal("CMD_SCENE_ON"), id: Id });
export const CmdSceneOff = Type.Object({ type: Type.Literal("CMD_SCENE_OFF"), id: Id });
type CmdScene = Type.Static<typeof CmdScene>;

export type SceneCommand =
  | CmdScene
  | Type.Static<typeof CmdSceneOn>
  | Type.Static<typeof CmdSceneOff>
  | { type: "ADD_FACTORY_SCENES" }
  | { type: "DROP_TARGET"; id: string; device: string }
  | { type: "REMOVE_SCENE"; id: string };

const Ids = Type.Array(Type.String());
const StoredPresets = Type.Record(Type.String(), Preset);
const SceneCreated = defineEvent("SceneCreated", 2, {
  category: Scene.properties.category,
  icon: Scene.properties.icon,
  name: Type.String(),
  presets: StoredPresets,
  requiredIds: Ids,
  sceneTimes: Type.Array(StoredRange),
});
const SceneRenamed = defineEvent("SceneRenamed", 1, { name: Type.String() });
const ScenePresetsChanged = defineEvent("ScenePresetsChanged", 1, { presets: StoredPresets });
const SceneRequirementsChanged = defineEvent("SceneRequirementsChanged", 1, { requiredIds: Ids });
const SceneTimesChanged = defineEvent("SceneTimesChanged", 2, { sceneTimes: Type.Array(StoredRange) });
/** Also for a scene that is on already: its presets are applied again. */
const SceneTurnedOn = defineEvent("SceneTurnedOn", 1, {});
const SceneTurnedOff = defineEvent("SceneTurnedOff", 1, {});
const SceneRemoved = defineEvent("SceneRemoved", 1, {});

export type SceneEvent =
  | EventOf<typeof SceneCreated>
  | EventOf<typeof SceneRenamed>
  | EventOf<typeof ScenePresetsChanged>
  | EventOf<typeof SceneRequirementsChanged>
  | EventOf<typeof SceneTimesChanged>
  | EventOf<typeof SceneTurnedOn>
  | EventOf<typeof SceneTurnedOff>
  | EventOf<typeof SceneRemoved>;

export const sceneUpcasters: Upcasters = {
  "SceneCreated@1": withTimeRanges,
  "SceneTimesChanged@1": withTimeRanges,
};

/** Events that may change which scenes another one excludes. */
const excluding: ReadonlySet<string> = new Set(["SceneCreated", "SceneRequirementsChanged", "SceneRemoved"]);

/** Scenes. */
export const scene: Decider<SceneState, SceneCommand, SceneEvent> = {
  kind: "scene",
  commands: [
    "CMD_SCENE",
    "CMD_SCENE_ON",
    "CMD_SCENE_OFF",
    "ADD_FACTORY_SCENES",
    "DROP_TARGET",
    "REMOVE_SCENE",
  ],
  events: [
    SceneCreated,
    SceneRenamed,
    ScenePresetsChanged,
    SceneRequirementsChanged,
    SceneTimesChanged,
    SceneTurnedOn,
    SceneTurnedOff,
    SceneRemoved,
  ],
  delta: {
    type: "SCENE_DELTA",
    hidesFromGuests: true,
    render: (state, { read, timestamp, forGuests }) => ({
      ...state,
      presets: forGuests ? presetsForGuests(state.presets, read) : state.presets,
      excludedIds: excludedIds(state, read),
      timestamp,
    }),
    dependents: (event, read, forGuests) =>
      excluding.has(event.type) ? excludingRenewed(event, read) : scenesShowing(event, read, forGuests),
  },

  target: (command) => ("id" in command ? (command.id ?? undefined) : undefined),

  decide(command, state, world) {
    if (command.type === "ADD_FACTORY_SCENES") return addFactoryScenes(world);
    if (command.type === "CMD_SCENE" && (command.id ?? undefined) === undefined)
      return create(command, world);
    if (state === undefined) return reject("not-found", `no scene ${command.id}`, "id");
    switch (command.type) {
      case "CMD_SCENE":
        return change(state, command, world);
      case "CMD_SCENE_ON":
        return turnOn(state, world);
      case "CMD_SCENE_OFF":
        return turnOff(state, world);
      case "DROP_TARGET":
        return presetsChanged(
          state,
          presetsWithout(state.presets, (device) => device === command.device),
        );
      case "REMOVE_SCENE":
        return remove(state, world);
    }
  },

  evolve(state, event, timestamp) {
    if (event.type === "SceneCreated") {
      const { id, category, icon, name, presets, requiredIds, sceneTimes } = event;
      const isOn = false;
      return { type: "SCENE", id, category, icon, name, isOn, presets, requiredIds, sceneTimes, timestamp };
    }
    if (state === undefined) return undefined;
    switch (event.type) {
      case "SceneRenamed":
        return { ...state, name: event.name, timestamp };
      case "ScenePresetsChanged":
        return { ...state, presets: event.presets, timestamp };
      case "SceneRequirementsChanged":
        return { ...state, requiredIds: event.requiredIds, timestamp };
      case "SceneTimesChanged":
        return { ...state, sceneTimes: event.sceneTimes, timestamp };
      case "SceneTurnedOn":
        return { ...state, isOn: true, timestamp };
      case "SceneTurnedOff":
        return { ...state, isOn: false, timestamp };
      case "SceneRemoved":
        return undefined;
    }
  },
};

/** Adds the missing ones of HOME and AWAY; HOME goes on unless one of them is on. */
function addFactoryScenes(world: World): Decision<SceneEvent> {
  const factory = [...world.all("scene")].flatMap(([, { icon, isOn }]) =>
    icon === null ? [] : [{ icon, isOn }],
  );
  const events: SceneEvent[] = [];
  for (const [icon, name] of [
    ["HOME", "Home"],
    ["AWAY", "Away"],
  ] as const) {
    if (factory.some((known) => known.icon === icon)) continue;
    const id = world.newId();
    const empty = { presets: {}, requiredIds: [], sceneTimes: [] };
    events.push({ type: "SceneCreated", id, category: "FACTORY", icon, name, ...empty });
    if (icon === "HOME" && !factory.some(({ isOn }) => isOn)) events.push({ type: "SceneTurnedOn", id });
  }
  return events;
}

/** Returns a scene after a CMD_SCENE, or why that is refused. Turning it on or off comes later. */
function draftOf(state: SceneState, command: CmdScene, world: World): SceneState | ReturnType<typeof reject> {
  const name = command.name ?? state.name;
  if (state.category === "FACTORY" && name !== state.name) {
    return reject("wrong-state", `${state.name} cannot be renamed`, "name");
  }
  const presets = command.presets ? presetsOf(command.presets, world) : state.presets;
  if (isRejection(presets)) return presets;
  const requiredIds = command.requiredIds ? [...new Set(command.requiredIds)] : state.requiredIds;
  const sceneTimes = command.sceneTimes?.map(storedRange) ?? state.sceneTimes;
  const draft = { ...state, name, presets, requiredIds, sceneTimes };
  const problem = rangesProblem(sceneTimes, "sceneTimes") ?? requirementProblem(draft, world);
  return problem ?? draft;
}

function create(command: CmdScene, world: World): Decision<SceneEvent> {
  const name = command.name ?? undefined;
  if (name === undefined) return reject("invalid", "a new scene needs a name", "name");
  if (world.size("scene") >= limits.scenes) return reject("invalid", `at most ${limits.scenes} scenes`);
  const id = world.newId();
  const kind = { type: "SCENE", category: "USER", icon: null } as const;
  const empty = { isOn: false, presets: {}, requiredIds: [], sceneTimes: [], timestamp: 0 };
  const draft = draftOf({ ...kind, id, name, ...empty }, command, world);
  if (isRejection(draft)) return draft;
  const { category, icon, presets, requiredIds, sceneTimes } = draft;
  const turned = command.isOn === true ? turnOn(draft, world) : [];
  if (isRejection(turned)) return turned;
  return [
    { type: "SceneCreated", id, category, icon, name, presets, requiredIds, sceneTimes } satisfies SceneEvent,
    ...activatorChanged(id, {}, presets),
    ...turned,
  ];
}

function change(state: SceneState, command: CmdScene, world: World): Decision<SceneEvent> {
  const draft = draftOf(state, command, world);
  if (isRejection(draft)) return draft;
  const { id, name, requiredIds, sceneTimes } = draft;
  const events: DomainEvent[] = [];
  if (name !== state.name)
    events.push({ type: "SceneRenamed", id, name } satisfies SceneEvent as DomainEvent);
  events.push(...presetsChanged(state, draft.presets));
  if (!isSameList(requiredIds, state.requiredIds)) events.push(requirementsChanged(id, requiredIds));
  if (JSON.stringify(sceneTimes) !== JSON.stringify(state.sceneTimes)) {
    events.push({ type: "SceneTimesChanged", id, sceneTimes } satisfies SceneEvent as DomainEvent);
  }
  const isOn = command.isOn ?? state.isOn;
  // A client that sends a scene back as it is does not want its presets applied again.
  let turned: Decision = [];
  if (isOn !== state.isOn) turned = isOn ? turnOn(draft, world) : turnOff(draft, world);
  else if (isOn) turned = unmetRequirement(draft, world) ?? [];
  return isRejection(turned) ? turned : [...events, ...turned];
}

function requirementsChanged(id: string, requiredIds: string[]): SceneEvent {
  return { type: "SceneRequirementsChanged", id, requiredIds };
}

function presetsChanged({ id, presets: before }: SceneState, presets: Presets): DomainEvent[] {
  if (JSON.stringify(presets) === JSON.stringify(before)) return [];
  const changed: SceneEvent = { type: "ScenePresetsChanged", id, presets };
  return [changed, ...activatorChanged(id, before, presets)];
}

/** A scene has an activator while it has presets. */
function activatorChanged(id: string, before: Presets, after: Presets): ActivatorEvent[] {
  const [had, has] = [before, after].map((presets) => Object.keys(presets).length > 0);
  if (had === has) return [];
  return [{ type: has ? "ActivatorAdded" : "ActivatorRemoved", id }];
}

/** Removes a scene, also from the requirements of other scenes and the lists of rules. */
function remove({ id, category, name, presets }: SceneState, world: World): Decision<SceneEvent> {
  if (category === "FACTORY") return reject("wrong-state", `${name} cannot be removed`, "id");
  const requiring = [...world.all("scene")].filter(([, { requiredIds }]) => requiredIds.includes(id));
  return [
    ...requiring.map(([other, { requiredIds }]) =>
      requirementsChanged(
        other,
        requiredIds.filter((required) => required !== id),
      ),
    ),
    ...withoutScene(id, world),
    ...activatorChanged(id, presets, {}),
    { type: "SceneRemoved", id } satisfies SceneEvent,
  ];
}
