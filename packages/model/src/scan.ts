import Type from "typebox";
import type { BindingEvent } from "./binding.ts";
import type { Decider, Decision, Rejection, World } from "./decider.ts";
import { isRejection, reject } from "./decider.ts";
import type { Content, DeviceContent } from "./device-content.ts";
import { contentOf, FirstContent, LaterContent, newDevice, tooLong } from "./device-content.ts";
import type { Device } from "./device-object.ts";
import type { DomainEvent, EventOf } from "./event.ts";
import { defineEvent } from "./event.ts";
import { limits } from "./limits.ts";
import { Id } from "./schema.ts";
import type { TimerEvent } from "./timer.ts";

/** `CONNECTING` is joining, `CONNECTED` has joined, `COMPLETE` is fully described (hub-api 2.4). */
export const PairingStatus = Type.Enum(["CONNECTING", "CONNECTED", "COMPLETE"]);
type PairingStatus = Type.Static<typeof PairingStatus>;

/** An adapter's description of a find. */
const Description = Type.Object({ name: Type.String(), radio: Type.String(), ...FirstContent });
type Description = Content & { readonly name: string; readonly radio: string };

/** What stands in a text that helps with a pairing: the rest of a device's key, for one. */
export type HelpValues = Readonly<Record<string, string>>;

/** A device that a scan found. Its id is the one that it has, or will have, as a device. */
export interface Find {
  readonly id: string;
  readonly protocol: string;
  readonly native: string;
  /** Null until the adapter knows what it is. */
  readonly description: Description | null;
  /** It is not to be paired, because nobody has chosen it. */
  readonly ignored: boolean;
  /** It was paired by a command during the scan, and is already a device. */
  readonly paired: boolean;
  readonly pairingStatus: PairingStatus;
  readonly actionRequired: boolean;
  /** The id of a text that helps with its pairing. */
  readonly help: string | null;
  /** The parameters of that text, by name. */
  readonly helpValues?: HelpValues;
  readonly timestamp: number;
}

/** The running scan; otherwise there is none. */
export interface Scan {
  readonly id: string;
  readonly finds: Readonly<Record<string, Find>>;
  /** When it began, or last lost a find (ms); clients with an older answer need the whole list again. */
  readonly shrunkAt: number;
}

declare module "./states.ts" {
  interface States {
    scan: Scan;
  }
}

/** The id of the only scan, and of its timer. */
export const scanId = "scan";

/** SET_SCAN_RESULT (hub-api 2.4): whether to pair a find when the scan ends. */
export const SetScanResult = Type.Object({
  type: Type.Literal("SET_SCAN_RESULT"),
  id: Id,
  ignored: Type.Boolean(),
});

export type ScanCommand =
  | Type.Static<typeof SetScanResult>
  /** Begins a scan, or prolongs the running one to at least this long. */
  | { type: "SCAN"; durationMs: number }
  | { type: "END_SCAN" }
  | ({
      type: "NOTE_FOUND";
      protocol: string;
      native: string;
      /** The removed device that it was before, or null. */
      device: string | null;
      description: ({ name: string; radio: string } & DeviceContent) | null;
    } & Pick<Find, "pairingStatus" | "actionRequired" | "help" | "helpValues">)
  | { type: "NOTE_LOST"; protocol: string; native: string }
  | { type: "NOTE_PAIRED"; device: string };

const Natives = Type.Array(
  Type.Object({ device: Type.String(), protocol: Type.String(), native: Type.String() }),
);

const ScanStarted = defineEvent("ScanStarted", 1, {});
/** For a known find: its new state. */
const ScanFound = defineEvent("ScanFound", 1, {
  device: Type.String(),
  protocol: Type.String(),
  native: Type.String(),
  description: Type.Union([Description, Type.Null()]),
  paired: Type.Boolean(),
  pairingStatus: Type.String(),
  actionRequired: Type.Boolean(),
  help: Type.Union([Type.String(), Type.Null()]),
  helpValues: Type.Optional(Type.Record(Type.String(), Type.String())),
  /** Belongs to the description. */
  ...LaterContent,
});
const ScanLost = defineEvent("ScanLost", 1, { device: Type.String() });
const ScanResultSet = defineEvent("ScanResultSet", 1, { device: Type.String(), ignored: Type.Boolean() });
/** `kept` became devices, `discarded` did not. */
const ScanEnded = defineEvent("ScanEnded", 1, { kept: Natives, discarded: Natives });

export type ScanEnded = EventOf<typeof ScanEnded>;
export type ScanEvent =
  | EventOf<typeof ScanStarted>
  | EventOf<typeof ScanFound>
  | EventOf<typeof ScanLost>
  | EventOf<typeof ScanResultSet>
  | ScanEnded;

/** The scan for new devices, while one is running. */
export const scan: Decider<Scan, ScanCommand, ScanEvent> = {
  kind: "scan",
  commands: ["SCAN", "SET_SCAN_RESULT", "END_SCAN", "NOTE_FOUND", "NOTE_LOST", "NOTE_PAIRED"],
  events: [ScanStarted, ScanFound, ScanLost, ScanResultSet, ScanEnded],

  target: () => scanId,

  decide(command, state, world) {
    if (command.type === "SCAN") return begin(command.durationMs, state, world);
    if (command.type === "SET_SCAN_RESULT") return choose(command, state);
    // Ignores notes of adapters after the end of a scan, and a second end.
    if (state === undefined) return [];
    switch (command.type) {
      case "END_SCAN":
        return end(state, world);
      case "NOTE_FOUND":
        return find(command, state, world);
      case "NOTE_LOST": {
        const lost = findOf(command, state);
        if (lost === undefined || lost.paired) return [];
        return [{ type: "ScanLost", id: scanId, device: lost.id } satisfies ScanEvent];
      }
      case "NOTE_PAIRED":
        return paired(command.device, state, world);
    }
  },

  evolve(state, event, timestamp) {
    if (event.type === "ScanStarted") return { id: event.id, finds: {}, shrunkAt: timestamp };
    if (state === undefined) return undefined;
    const { finds } = state;
    switch (event.type) {
      case "ScanFound":
        return {
          ...state,
          finds: { ...finds, [event.device]: found(event, finds[event.device], timestamp) },
        };
      case "ScanLost": {
        const { [event.device]: _, ...left } = finds;
        return { ...state, finds: left, shrunkAt: timestamp };
      }
      case "ScanResultSet": {
        const known = findUnder(event.device, finds);
        if (known === undefined) return state;
        const { ignored } = event;
        return { ...state, finds: { ...finds, [event.device]: { ...known, ignored, timestamp } } };
      }
      case "ScanEnded":
        return undefined;
    }
  },
};

/** Returns a find as the device that it would be, for clients to show before it is paired. */
export function previewOf({ id, description, timestamp }: Find): Device | null {
  if (description === null) return null;
  const { radio: _, ...content } = description;
  return newDevice({ id, ...content }, timestamp);
}

function begin(durationMs: number, state: Scan | undefined, world: World): DomainEvent[] {
  const due = world.now + durationMs;
  const timer: TimerEvent = { type: "TimerSet", id: scanId, due, durationMs, late: "fire", lateMaxMs: 0 };
  if (state === undefined) return [{ type: "ScanStarted", id: scanId } satisfies ScanEvent, timer];
  // One client's refresh does not shorten another's time, and small steps are not worth a write.
  const current = world.get("timer", scanId)?.due ?? 0;
  return due < current + limits.scanStepMs ? [] : [timer];
}

function choose(
  { id, ignored }: Type.Static<typeof SetScanResult>,
  state: Scan | undefined,
): Decision<ScanEvent> {
  const known = state && findUnder(id, state.finds);
  if (known === undefined) return reject("not-found", `no scan has found ${id}`, "id");
  return known.ignored === ignored
    ? []
    : [{ type: "ScanResultSet", id: scanId, device: id, ignored } satisfies ScanEvent];
}

/** Ids come from outside: a name that every object inherits is not a find. */
function findUnder(id: string, finds: Scan["finds"]): Find | undefined {
  return Object.hasOwn(finds, id) ? finds[id] : undefined;
}

function findOf(
  { protocol, native }: { readonly protocol: string; readonly native: string },
  { finds }: Scan,
): Find | undefined {
  return Object.values(finds).find((each) => each.protocol === protocol && each.native === native);
}

function find(
  command: Extract<ScanCommand, { type: "NOTE_FOUND" }>,
  state: Scan,
  world: World,
): Decision<ScanEvent> {
  const { protocol, native, pairingStatus, actionRequired, help, helpValues } = command;
  const former = command.device === null ? undefined : world.get("binding", command.device);
  // It is already a device, or a user ignores it.
  if (former !== undefined && (!former.removed || former.ignored === true)) return [];
  const known = findOf(command, state);
  if (known?.paired === true) return [];
  if (known === undefined && Object.keys(state.finds).length >= limits.scanFinds) {
    return reject("invalid", `a scan finds at most ${limits.scanFinds} devices`);
  }
  const description = command.description === null ? null : describe(command.description);
  if (description !== null && isRejection(description)) return description;
  const device = known?.id ?? former?.id ?? world.newId();
  const { stateExtras, ...first } = description ?? {};
  const how = {
    paired: false,
    pairingStatus,
    actionRequired,
    help,
    ...(helpValues && { helpValues }),
    ...(stateExtras && { stateExtras }),
  };
  const about = { device, protocol, native, description: description && (first as Description), ...how };
  const event: ScanEvent = { type: "ScanFound", id: scanId, ...about };
  if (known !== undefined && isSame(known, event)) return [];
  return [event];
}

function isSame(known: Find, event: EventOf<typeof ScanFound>): boolean {
  return JSON.stringify(found(event, known, known.timestamp)) === JSON.stringify(known);
}

function describe(
  described: { readonly name: string; readonly radio: string } & DeviceContent,
): Description | Rejection {
  const { name, radio } = described;
  const content = contentOf(described);
  if (isRejection(content)) return content;
  return tooLong("name", name) ?? { name, radio, ...content };
}

function found(
  {
    device,
    protocol,
    native,
    description,
    paired: isPaired,
    actionRequired,
    help,
    helpValues,
    stateExtras,
    ...event
  }: EventOf<typeof ScanFound>,
  before: Find | undefined,
  timestamp: number,
): Find {
  const pairingStatus = event.pairingStatus as PairingStatus;
  const ignored = before?.ignored ?? !isPaired;
  const whole = description && { ...description, ...(stateExtras && { stateExtras }) };
  const told = { help, ...(helpValues && { helpValues }) };
  const how = { description: whole, ignored, paired: isPaired, pairingStatus, actionRequired, ...told };
  return { id: device, protocol, native, ...how, timestamp };
}

/** Shows a device that was added during the scan; it can still be discarded. */
function paired(device: string, state: Scan, world: World): readonly ScanEvent[] {
  const binding = world.get("binding", device);
  if (binding === undefined || state.finds[device]?.paired === true) return [];
  const { protocol, native } = binding;
  const how = { description: null, paired: true, actionRequired: false, help: null };
  return [{ type: "ScanFound", id: scanId, device, protocol, native, pairingStatus: "COMPLETE", ...how }];
}

function end(state: Scan, world: World): readonly DomainEvent[] {
  const kept: Find[] = [];
  const discarded: Find[] = [];
  let room = limits.devices - world.size("device");
  for (const each of Object.values(state.finds)) {
    const isKept = each.paired ? !each.ignored : isReady(each) && room-- > 0;
    (isKept ? kept : discarded).push(each);
  }
  const ended: ScanEvent = {
    type: "ScanEnded",
    id: scanId,
    kept: natives(kept),
    discarded: natives(discarded),
  };
  const timer: TimerEvent[] =
    world.get("timer", scanId) === undefined ? [] : [{ type: "TimerCancelled", id: scanId }];
  return [
    ended,
    ...timer,
    ...kept.filter((each) => !each.paired).flatMap(added),
    ...discarded.filter((each) => each.paired).flatMap((each) => removed(each, world)),
  ];
}

/** Returns whether somebody has chosen a find and its description is known. */
function isReady({ ignored, description, pairingStatus }: Find): boolean {
  return !ignored && description !== null && pairingStatus !== "CONNECTING";
}

function natives(finds: readonly Find[]): { device: string; protocol: string; native: string }[] {
  return finds.map(({ id, protocol, native }) => ({ device: id, protocol, native }));
}

function added({ id, protocol, native, description }: Find): DomainEvent[] {
  if (description === null) return [];
  const { radio, ...content } = description;
  const bound: BindingEvent = { type: "DeviceBound", id, protocol, native, radio };
  return [{ type: "DeviceAdded", id, ...content }, bound];
}

function removed({ id }: Find, world: World): DomainEvent[] {
  const device = world.get("device", id);
  if (device === undefined) return [];
  return [
    { type: "DeviceRemoved", id, groups: device.groups } as DomainEvent,
    { type: "DeviceUnbound", id } satisfies BindingEvent,
  ];
}
