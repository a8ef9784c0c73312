import Type from "typebox";
import type { AdoptKey } from "./adopted-keys.ts";
import { decideAdoptKey, KeyAdopted, noAdoptedKeys } from "./adopted-keys.ts";
import { decideGeneration, GenerationOpened, type OpenGeneration } from "./hub-generation.ts";
import type { AuthorizationListCommand, AuthorizationListEvent } from "./authorization-list.ts";
import {
  AuthorizationsTaken,
  CloudTrusted,
  decideAuthorizationList,
  evolveCloud,
} from "./authorization-list.ts";
import { activated, ActivateFeatures, decideActivation, FeaturesActivated, united } from "./activation.ts";
import type { Decider, Decision, World } from "./decider.ts";
import { reject } from "./decider.ts";
import { locked } from "./device.ts";
import type { EventOf } from "./event.ts";
import { defineEvent } from "./event.ts";
import { features } from "./feature.ts";
import { decideSwitch, FeatureSwitched, SwitchFeature, switched } from "./feature-switch.ts";
import type { Hub } from "./hub-state.ts";
import { limits } from "./limits.ts";
import { decideShare, SetShare, shareIn, ShareSet } from "./sharing.ts";
import { decideLocation, HubLocationRequest, LocationSet } from "./location.ts";
import type { OwnershipCommand, OwnershipEvent } from "./ownership.ts";
import { decideClaim, decideOwnership, HubClaimed, KeyRecovered, OwnershipTransferred } from "./ownership.ts";
import { decideRemoteCalls, type NoteRemoteCalls, RemoteCalled } from "./remote-calls.ts";
import { Id, Name, unchangedIfNull } from "./schema.ts";

/** The codes of hub-api 4.1 `/hub/housetypes`. */
export const houseTypes = ["block", "row", "pair", "house", "leisure", "industrial", "other"] as const;
export const HouseType = Type.Union(houseTypes.map((code) => Type.Literal(code)));

/** HUB_META_DATA (hub-api 2.1). */
export const HubMetaData = Type.Object({
  type: Type.Literal("HUB_META_DATA"),
  hubId: Id,
  name: Type.String(),
  version: Type.String(),
  state: Type.Union([Type.Literal("factory_new"), Type.Literal("claimed")]),
  connected: Type.Boolean(),
  features: Type.Array(Type.Integer()),
});

const CreateHub = Type.Object({
  type: Type.Literal("CREATE_HUB"),
  /** Default: a new id. */
  id: Type.Optional(Id),
  name: Name,
  timezone: Type.String(),
});
const RenameHub = Type.Object({
  type: Type.Literal("RENAME_HUB"),
  id: Id,
  name: Name,
  housetype: unchangedIfNull(Type.String()),
});
const SetTimezone = Type.Object({ type: Type.Literal("SET_TIMEZONE"), id: Id, timezone: Type.String() });
const SetLocation = Type.Object({
  ...HubLocationRequest.properties,
  type: Type.Literal("SET_LOCATION"),
  id: Id,
});
const SetFeatures = Type.Object({
  type: Type.Literal("SET_FEATURES"),
  id: Id,
  features: Type.Array(Type.Integer()),
});
const ClaimHub = Type.Object({
  type: Type.Literal("CLAIM_HUB"),
  id: Id,
  userId: Type.Optional(Id),
  email: Type.String(),
  /** Default: what is before the @ of the address. */
  nickname: Type.Optional(Type.String()),
});
const SetHouseType = Type.Object({ type: Type.Literal("SET_HOUSE_TYPE"), id: Id, housetype: Type.String() });
const AddColor = Type.Object({ type: Type.Literal("ADD_COLOR"), id: Id, color: Type.String() });
const ClearColors = Type.Object({ type: Type.Literal("CLEAR_COLORS"), id: Id });
/** Locks the configuration of all present devices. */
const LockConfiguration = Type.Object({ type: Type.Literal("LOCK_CONFIGURATION"), id: Id });
const OpenEpoch = Type.Object({ type: Type.Literal("OPEN_EPOCH"), id: Id, reason: Type.String() });
const NoteSpanLost = Type.Object({
  type: Type.Literal("NOTE_SPAN_LOST"),
  id: Id,
  from: Type.Integer(),
  to: Type.Union([Type.Integer(), Type.Null()]),
  commits: Type.Union([Type.Integer(), Type.Null()]),
  problem: Type.String(),
});
/** Records that somebody has a backup, before they have it. */
const NoteBackup = Type.Object({
  type: Type.Literal("NOTE_BACKUP"),
  id: Id,
  act: Type.Enum(["made", "read"]),
  name: Type.String(),
});
/** Records a request to restart or stop the process or its machine. */
const NoteStop = Type.Object({ type: Type.Literal("NOTE_STOP"), id: Id, act: Type.String() });
/** Records that an adapter is about to do more than set a device's attributes. */
const NoteAsked = Type.Object({
  type: Type.Literal("NOTE_ASKED"),
  id: Id,
  request: Type.String(),
  device: Type.Union([Id, Type.Null()]),
});
const NoteClockJump = Type.Object({
  type: Type.Literal("NOTE_CLOCK_JUMP"),
  id: Id,
  from: Type.Integer(),
  to: Type.Integer(),
  trusted: Type.Boolean(),
});

export type HubCommand =
  | Type.Static<typeof NoteStop>
  | Type.Static<typeof NoteBackup>
  | Type.Static<typeof NoteAsked>
  | Type.Static<typeof NoteClockJump>
  | NoteRemoteCalls
  | AdoptKey
  | OpenGeneration
  | Type.Static<typeof CreateHub>
  | Type.Static<typeof RenameHub>
  | Type.Static<typeof SetTimezone>
  | Type.Static<typeof SetLocation>
  | Type.Static<typeof SetShare>
  | Type.Static<typeof SetFeatures>
  | Type.Static<typeof ActivateFeatures>
  | Type.Static<typeof SwitchFeature>
  | OwnershipCommand
  | AuthorizationListCommand
  | Type.Static<typeof ClaimHub>
  | Type.Static<typeof SetHouseType>
  | Type.Static<typeof AddColor>
  | Type.Static<typeof ClearColors>
  | Type.Static<typeof LockConfiguration>
  | Type.Static<typeof OpenEpoch>
  | Type.Static<typeof NoteSpanLost>;

const HubCreated = defineEvent("HubCreated", 1, { name: Type.String(), timezone: Type.String() });
const HubRenamed = defineEvent("HubRenamed", 1, { name: Type.String() });
const HouseTypeSet = defineEvent("HouseTypeSet", 1, { housetype: Type.String() });
const TimezoneSet = defineEvent("TimezoneSet", 1, { timezone: Type.String() });
/** `features` are on, `off` the hub has too: they are switched off. */
const FeaturesSet = defineEvent("FeaturesSet", 1, {
  features: Type.Array(Type.Integer()),
  off: Type.Optional(Type.Array(Type.Integer())),
});
/** `colors` is the whole list. */
const ColorsSet = defineEvent("ColorsSet", 1, { colors: Type.Array(Type.String()) });
/** The log went back to an earlier state: older poll cursors are void. */
export const EpochOpened = defineEvent("EpochOpened", 1, { reason: Type.String() });
/**
 * Commits after `from` and before `to` (ms) were unreadable and are gone from the log; those at `from` and
 * `to` exist. `from` is 0 for the beginning; `to` is null when nothing after it was readable.
 */
const SpanLost = defineEvent("SpanLost", 1, {
  from: Type.Integer(),
  to: Type.Union([Type.Integer(), Type.Null()]),
  /** How many, if known. */
  commits: Type.Union([Type.Integer(), Type.Null()]),
  problem: Type.String(),
});
/** The wall clock was at `to` where `from` was expected (ms); `trusted` when the time is trusted now. */
const ClockJumped = defineEvent("ClockJumped", 1, {
  from: Type.Integer(),
  to: Type.Integer(),
  trusted: Type.Boolean(),
});
/** All present devices were locked. */
export const ConfigurationLocked = defineEvent("ConfigurationLocked", 1, {});
/** Somebody has a backup of the hub: one was made for them, or they have fetched it. */
const BackupMade = defineEvent("BackupMade", 1, { name: Type.String() });
const BackupRead = defineEvent("BackupRead", 1, { name: Type.String() });
/** `act`: `restart` of the process, `reboot` or `shutdown` of the machine. It may have failed. */
const StopRequested = defineEvent("StopRequested", 1, { act: Type.String() });
/**
 * An adapter was asked to change something outside, such as `SET_WIFI` of a device. The event leaves out the
 * parameters, which may contain credentials. It may have failed.
 */
const AdapterAsked = defineEvent("AdapterAsked", 1, {
  request: Type.String(),
  device: Type.Union([Type.String(), Type.Null()]),
});

export type HubEvent =
  | EventOf<typeof StopRequested>
  | EventOf<typeof BackupMade>
  | EventOf<typeof BackupRead>
  | EventOf<typeof ConfigurationLocked>
  | EventOf<typeof AdapterAsked>
  | EventOf<typeof ClockJumped>
  | RemoteCalled
  | KeyAdopted
  | GenerationOpened
  | EventOf<typeof HubCreated>
  | EventOf<typeof HubRenamed>
  | EventOf<typeof HouseTypeSet>
  | EventOf<typeof TimezoneSet>
  | LocationSet
  | ShareSet
  | EventOf<typeof FeaturesSet>
  | FeaturesActivated
  | FeatureSwitched
  | OwnershipEvent
  | AuthorizationListEvent
  | EventOf<typeof ColorsSet>
  | EventOf<typeof HubClaimed>
  | EventOf<typeof EpochOpened>
  | EventOf<typeof SpanLost>;

/** Returns whether this runtime knows a time zone, old names such as `Asia/Calcutta` included. */
export function isTimezone(name: string | undefined): boolean {
  if (name === undefined || name === "" || name === "Etc/Unknown") return false;
  try {
    return Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== undefined;
  } catch {
    return false;
  }
}

/** Returns all time zones that this runtime knows, UTC first. */
export function timezones(): readonly string[] {
  return ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")];
}

/** The hub itself. */
export const hub: Decider<Hub, HubCommand, HubEvent> = {
  kind: "hub",
  commands: [
    "CREATE_HUB",
    "RENAME_HUB",
    "SET_HOUSE_TYPE",
    "SET_TIMEZONE",
    "SET_LOCATION",
    "SET_SHARE",
    "SET_FEATURES",
    "ACTIVATE_FEATURES",
    "SWITCH_FEATURE",
    "ADD_COLOR",
    "CLEAR_COLORS",
    "LOCK_CONFIGURATION",
    "CLAIM_HUB",
    "TRANSFER_OWNERSHIP",
    "NOTE_KEY_RECOVERED",
    "TRUST_CLOUD",
    "TAKE_AUTHORIZATIONS",
    "OPEN_EPOCH",
    "NOTE_SPAN_LOST",
    "NOTE_CLOCK_JUMP",
    "NOTE_STOP",
    "NOTE_BACKUP",
    "NOTE_ASKED",
    "NOTE_REMOTE_CALLS",
    "ADOPT_KEY",
    "OPEN_GENERATION",
  ],
  events: [
    HubCreated,
    HubRenamed,
    HouseTypeSet,
    TimezoneSet,
    LocationSet,
    ShareSet,
    FeaturesSet,
    FeaturesActivated,
    FeatureSwitched,
    ColorsSet,
    HubClaimed,
    OwnershipTransferred,
    KeyRecovered,
    CloudTrusted,
    AuthorizationsTaken,
    EpochOpened,
    SpanLost,
    ClockJumped,
    StopRequested,
    BackupMade,
    BackupRead,
    ConfigurationLocked,
    AdapterAsked,
    RemoteCalled,
    KeyAdopted,
    GenerationOpened,
  ],

  target: (command) => (command.type === "CREATE_HUB" ? undefined : command.id),

  decide(command, state, world) {
    if (command.type === "CREATE_HUB") {
      if (world.size("hub") > 0) return reject("wrong-state", "this hub exists already");
      const { id = world.newId(), name, timezone } = command;
      if (!isTimezone(timezone)) return reject("invalid", `no time zone ${timezone}`, "timezone");
      return [{ type: "HubCreated", id, name, timezone } satisfies HubEvent];
    }
    if (state === undefined) return reject("not-found", `no hub ${command.id}`);
    if (command.type === "SET_LOCATION") return decideLocation(command, state);
    if (command.type === "SET_SHARE") return decideShare(command, state);
    if (command.type === "SWITCH_FEATURE") return decideSwitch(state, command);
    if (command.type === "NOTE_REMOTE_CALLS") return decideRemoteCalls(command);
    if (command.type === "ADOPT_KEY") return decideAdoptKey(command, state.keys);
    if (command.type === "OPEN_GENERATION") return decideGeneration(command, state.generation, world);
    return decideOn(command, state, world);
  },

  evolve(state, event, timestamp) {
    if (event.type === "HubCreated") {
      const { id, name, timezone } = event;
      const fresh = {
        state: "factory_new",
        owner: null,
        location: null,
        housetype: "other",
        features: [],
        activated: [],
        switchedOff: [],
        usedCodes: [],
        colors: [],
        cloud: null,
        keys: noAdoptedKeys,
        share: "none",
        generation: 0,
      } as const;
      return { id, name, timezone, ...fresh, timestamp };
    }
    if (state === undefined) return undefined;
    switch (event.type) {
      case "HubRenamed":
        return { ...state, name: event.name, timestamp };
      case "HouseTypeSet":
        return { ...state, housetype: event.housetype, timestamp };
      case "TimezoneSet":
        return { ...state, timezone: event.timezone, timestamp };
      case "LocationSet":
        return { ...state, location: event.location, timestamp };
      case "ShareSet":
        return { ...state, share: shareIn(event), timestamp };
      case "FeaturesSet":
        return { ...state, features: event.features, switchedOff: event.off ?? [], timestamp };
      case "FeaturesActivated":
        return { ...state, ...activated(state, event, timestamp), timestamp };
      case "FeatureSwitched":
        return { ...state, ...switched(state, event), timestamp };
      case "ColorsSet":
        return { ...state, colors: event.colors, timestamp };
      case "HubClaimed":
        return { ...state, state: "claimed", owner: event.owner, timestamp };
      case "OwnershipTransferred":
        return { ...state, owner: event.owner, timestamp };
      case "CloudTrusted":
      case "AuthorizationsTaken":
        return { ...state, cloud: evolveCloud(state.cloud, event), timestamp };
      case "KeyRecovered":
      case "EpochOpened":
      case "SpanLost":
      case "ClockJumped":
      case "StopRequested":
      case "BackupMade":
      case "BackupRead":
      case "ConfigurationLocked":
      case "AdapterAsked":
        return { ...state, timestamp };
      case "KeyAdopted":
        return { ...state, keys: { ...state.keys, [event.use]: event.fingerprint } };
      case "GenerationOpened":
        return { ...state, generation: event.generation };
      case "RemoteCalled":
        return state;
    }
  },
};

/** Commands that `decide` hands on before. */
type DecidedApart =
  | "CREATE_HUB"
  | "SET_LOCATION"
  | "SET_SHARE"
  | "SWITCH_FEATURE"
  | "NOTE_REMOTE_CALLS"
  | "ADOPT_KEY"
  | "OPEN_GENERATION";

function decideOn(
  command: Exclude<HubCommand, { type: DecidedApart }>,
  state: Hub,
  world: World,
): Decision<HubEvent> {
  const { id } = state;
  switch (command.type) {
    case "RENAME_HUB":
    case "SET_HOUSE_TYPE":
      return describe(command, state);
    case "SET_TIMEZONE": {
      const { timezone } = command;
      if (!isTimezone(timezone)) return reject("invalid", `no time zone ${timezone}`, "timezone");
      return timezone === state.timezone ? [] : [{ type: "TimezoneSet", id, timezone }];
    }
    case "SET_FEATURES":
      return setFeatures(command.features, state);
    case "ACTIVATE_FEATURES":
      return decideActivation(state, command, world.now);
    case "ADD_COLOR": {
      const color = command.color.toLowerCase();
      if (!/^#[0-9a-f]{6}$/.test(color)) return reject("invalid", "a color is #RRGGBB", "color");
      if (state.colors.includes(color)) return [];
      return [{ type: "ColorsSet", id, colors: [...state.colors, color].slice(-limits.colors) }];
    }
    case "CLEAR_COLORS":
      return state.colors.length === 0 ? [] : [{ type: "ColorsSet", id, colors: [] }];
    case "LOCK_CONFIGURATION":
      return [
        ...[...world.all("device")].flatMap(([, device]) => locked(device, true)),
        { type: "ConfigurationLocked", id } satisfies HubEvent,
      ];
    case "CLAIM_HUB":
      return decideClaim(command, state, world);
    case "TRANSFER_OWNERSHIP":
    case "NOTE_KEY_RECOVERED":
      return decideOwnership(command, state, world);
    case "TRUST_CLOUD":
    case "TAKE_AUTHORIZATIONS":
      return decideAuthorizationList(command, state, world);
    case "OPEN_EPOCH":
      return [{ type: "EpochOpened", id, reason: command.reason } satisfies HubEvent];
    case "NOTE_SPAN_LOST": {
      const { from, to, commits, problem } = command;
      return [{ type: "SpanLost", id, from, to, commits, problem } satisfies HubEvent];
    }
    case "NOTE_STOP":
    case "NOTE_BACKUP":
      return [asked(command, id)];
    case "NOTE_ASKED": {
      const { request, device } = command;
      return [{ type: "AdapterAsked", id, request, device } satisfies HubEvent];
    }
    case "NOTE_CLOCK_JUMP": {
      const { from, to, trusted } = command;
      return [{ type: "ClockJumped", id, from, to, trusted } satisfies HubEvent];
    }
  }
}

/** Returns what somebody has asked of the hub, where it goes on elsewhere. */
function asked(command: Extract<HubCommand, { type: "NOTE_STOP" | "NOTE_BACKUP" }>, id: string): HubEvent {
  if (command.type === "NOTE_STOP") return { type: "StopRequested", id, act: command.act };
  return { type: command.act === "made" ? "BackupMade" : "BackupRead", id, name: command.name };
}

function describe(
  command: Extract<HubCommand, { type: "RENAME_HUB" | "SET_HOUSE_TYPE" }>,
  state: Hub,
): Decision<HubEvent> {
  const { id } = state;
  const housetype = command.housetype ?? state.housetype;
  if (!houseTypes.some((code) => code === housetype)) {
    return reject("invalid", `housetype is one of ${houseTypes.join(", ")}`, "housetype");
  }
  const name = command.type === "RENAME_HUB" ? command.name : state.name;
  const events: HubEvent[] = [];
  if (name !== state.name) events.push({ type: "HubRenamed", id, name });
  if (housetype !== state.housetype) events.push({ type: "HouseTypeSet", id, housetype });
  return events;
}

/** Sets the profile's features; activated ones stay, and so do switches. */
function setFeatures(
  codes: readonly number[],
  { id, activated: kept, features: on, switchedOff }: Hub,
): Decision<HubEvent> {
  const wanted = united(codes, kept);
  const unknown = wanted.find((code) => !Object.values(features).some((known) => known === code));
  if (unknown !== undefined) return reject("invalid", `no feature ${unknown}`, "features");
  const off = switchedOff.filter((code) => wanted.includes(code));
  const now = wanted.filter((code) => !off.includes(code));
  if (now.join() === on.join() && off.length === switchedOff.length) return [];
  return [{ type: "FeaturesSet", id, features: now, ...(off.length > 0 && { off }) }];
}
