import {
  type AirconPump,
  airconPumps,
  CmdCancelUpgrade,
  CmdGetUpgradeInfo,
  CmdGetUpgradeInfos,
  type Device,
  type Extras,
  Id,
  limits,
  optionalOrNull,
  orNull,
  UpgradeInfo,
  upgradeInfo,
  upgradeProblem,
  Word,
} from "@ledge/model";
import Type from "typebox";
import { addressProblem, askCamera, CameraAddress, CameraHostStatus, cameraRequest } from "./camera-host.ts";
import { askDevice, type Asked, askEvery, requestOf } from "./device-answers.ts";
import type { Problem } from "../refused.ts";
import type { Call } from "../row.ts";

const Secret = Type.String({ maxLength: limits.nameChars });
const Text = Type.String();
/** What may be asked of a device, by what it is. */
type Kind = (device: Device) => string | undefined;

const ofClass =
  (wanted: Device["type"]): Kind =>
  ({ type }) =>
    type === wanted ? undefined : `the device is no ${wanted}`;
const withCapability =
  (wanted: string): Kind =>
  ({ capabilities }) =>
    capabilities.values.includes(wanted) ? undefined : `the device has no ${wanted}`;

/** A command that asks: nothing changes at the hub, and its answer is the row's. */
export interface Question {
  /** The adapter's request, of one that changes something at a device or takes credentials: it is written down. */
  readonly acts?: string;
  readonly command: Type.TObject;
  readonly answer: Type.TSchema;
  /** Why it is not even asked. */
  problem?(command: Asked, call: Call): Problem | undefined;
  ask(command: Asked, call: Call): unknown;
}

/** A question to the adapter of one device. */
function toDevice(type: string, fields: Type.TProperties, kind: Kind, answer: Type.TSchema): Question {
  return {
    command: Type.Object({ type: Type.Literal(type), id: Id, ...fields }),
    answer,
    problem: deviceProblem(kind),
    ask: (command, call) => askDevice(command, answer, call),
  };
}

/** As `toDevice`, of what changes something there. */
function acting(type: string, fields: Type.TProperties, answer: Type.TSchema): Question {
  return { ...toDevice(type, fields, camera, answer), acts: requestOf(type) };
}

/** A question to every adapter that has an answer: one list of all. */
function toAll(type: string, item: Type.TSchema): Question {
  const answer = Type.Array(item);
  return {
    command: Type.Object({ type: Type.Literal(type) }),
    answer,
    ask: (command, call) => askEvery(command, answer, call),
  };
}

function deviceProblem(kind: Kind): NonNullable<Question["problem"]> {
  return ({ id = "" }, { hub: { kernel } }) => {
    const device = kernel.get("device", id);
    const message = device && kind(device);
    return message === undefined ? undefined : { field: "id", message };
  };
}

const credentials = { username: Word, password: Secret } as const;
const CredentialsResult = Type.Object({
  type: Type.Literal("CREDENTIALS_RESULT"),
  id: Id,
  credentialStatus: Type.Enum(["OK", "INSUFFICIENT", "DEFAULT", "ERROR"]),
});
const CameraHost = Type.Object({
  type: Type.Literal("CAMERA_HOST"),
  identifier: Text,
  ip: Text,
  name: Text,
  manufacturer: orNull(Text),
  model: orNull(Text),
  alreadyPaired: Type.Boolean(),
});
/** What is known of a piece of music. */
const music = {
  title: Text,
  artist: orNull(Text),
  album: orNull(Text),
  durationMs: orNull(Type.Integer()),
} as const;
const Wifi = Type.Object({
  type: Type.Literal("WIFI"),
  ssid: Text,
  /** dBm */
  signal: orNull(Type.Number()),
  isOpen: Type.Boolean(),
  connected: Type.Boolean(),
});
const Directory = Type.Object({
  type: Type.Literal("MR_CD"),
  objectId: Text,
  /** How many there are, of which `items` are those from `start`. */
  total: Type.Integer(),
  items: Type.Array(
    Type.Object({
      type: Type.Literal("MR_CD_ITEM"),
      objectId: Text,
      isContainer: Type.Boolean(),
      ...music,
    }),
  ),
});
const Queue = Type.Object({
  type: Type.Literal("MR_QUEUE"),
  id: Id,
  /** Number of the track that plays, counted from 1. */
  currentTrack: orNull(Type.Integer()),
  tracks: Type.Array(
    Type.Object({
      type: Type.Literal("MR_TRACK"),
      number: Type.Integer(),
      ...music,
    }),
  ),
});
const Pump = Type.Object({
  type: Type.Literal("AIRCON_PUMP"),
  id: Text,
  name: Text,
  isOn: Type.Boolean(),
  /** Null while nothing is wrong with it. */
  error: orNull(Text),
});
const FnipConfig = Type.Object({
  type: Type.Literal("FNIP_CONFIG"),
  id: Text,
  name: Text,
  address: Text,
  outputs: Type.Integer(),
  dimmable: Type.Boolean(),
});

const camera = ofClass("CAMERA");
const renderer = ofClass("MEDIA_RENDERER");

const all: readonly Question[] = [
  {
    command: CmdGetUpgradeInfo,
    answer: UpgradeInfo,
    problem: deviceProblem(upgradeProblem),
    ask: ({ id = "" }, { hub: { kernel } }) => upgradeInfo(id, kernel.get("upgrade", id)),
  },
  { command: CmdGetUpgradeInfos, answer: Type.Array(UpgradeInfo), ask: upgradeInfos },
  {
    command: CmdCancelUpgrade,
    answer: Type.Literal(true),
    acts: requestOf("CMD_CANCEL_UPGRADE"),
    problem: cancelProblem,
    ask: (command, call) => askDevice(command, Type.Literal(true), call),
  },
  toDevice(
    "CMD_GET_CD",
    {
      objectId: Type.Optional(Word),
      start: Type.Optional(Type.Integer({ minimum: 0 })),
      count: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.listItems })),
    },
    renderer,
    Directory,
  ),
  toDevice("CMD_GET_QUEUE", {}, renderer, Queue),
  {
    ...toDevice("CMD_GET_AIRCON_PUMPS", {}, withCapability("AIRCON"), Type.Array(Pump)),
    ask: (command, call) => pumpsShown(command, call) ?? askDevice(command, Type.Array(Pump), call),
  },
  toAll("CMD_GET_FNIP_CONFIGS", FnipConfig),
  toAll("CMD_SEARCH", CameraHost),
  {
    command: Type.Object({ type: Type.Literal("CMD_CAMERA_HOST_AT_IP"), ...CameraAddress }),
    answer: CameraHostStatus,
    acts: cameraRequest,
    problem: addressProblem,
    ask: (command, call) => askCamera(command, call),
  },
  acting("CMD_USE_CREDENTIALS", credentials, CredentialsResult),
  acting("CMD_CHANGE_CREDENTIALS", credentials, CredentialsResult),
  toDevice("CMD_SCAN_WIFIS", {}, camera, Type.Array(Wifi)),
  acting("CMD_SET_WIFI", { ssid: Word, password: optionalOrNull(Secret) }, Type.Literal(true)),
];

/** All commands that ask, by their type (docs/api-commands.md). */
export const questions: ReadonlyMap<string, Question> = new Map(
  all.map((question) => [String(typeOf(question.command)), question]),
);

/** What an air conditioner shows by itself needs no question; undefined where its adapter knows. */
function pumpsShown({ id = "" }: Asked, { hub: { kernel } }: Call): readonly AirconPump[] | undefined {
  return airconPumps(kernel.get("device", id)?.state["extras"] as Extras | undefined);
}

function typeOf({ properties }: Type.TObject): unknown {
  const type = properties["type"];
  return type !== undefined && Type.IsLiteral(type) ? type.const : undefined;
}

function cancelProblem({ id = "" }: Asked, call: Call): Problem | undefined {
  const problem = deviceProblem(upgradeProblem)({ type: "", id }, call);
  if (problem !== undefined) return problem;
  const { status } = upgradeInfo(id, call.hub.kernel.get("upgrade", id));
  if (status === "REQUESTED") return undefined;
  return { field: "id", message: status === "INSTALLING" ? "the upgrade has begun" : "no upgrade waits" };
}

function upgradeInfos(_: Asked, { caller, hub: { kernel } }: Call): UpgradeInfo[] {
  return [...kernel.all("device")]
    .filter(([id, device]) => upgradeProblem(device) === undefined && kernel.readable("device", id, caller))
    .map(([id]) => upgradeInfo(id, kernel.get("upgrade", id)));
}
