import { activator } from "./activator.ts";
import { adapter } from "./adapter.ts";
import { alert } from "./alert.ts";
import { alarm } from "./alarm.ts";
import { autoconfig } from "./autoconfig.ts";
import { bacnet } from "./bacnet.ts";
import { binding } from "./binding.ts";
import { cascade } from "./cascade.ts";
import { command } from "./command.ts";
import { configuration } from "./configuration.ts";
import { customRule } from "./custom-rule.ts";
import type { Decider } from "./decider.ts";
import { device } from "./device.ts";
import type { DomainEvent, EventDefinition, LoggedEvent } from "./event.ts";
import { group } from "./group.ts";
import { hub } from "./hub.ts";
import { localKey } from "./local-key.ts";
import { message } from "./message.ts";
import { messageTarget } from "./message-target.ts";
import type { PersonalFields } from "./personal.ts";
import { withPersonal } from "./personal.ts";
import { modbusServer } from "./modbus-server.ts";
import { mqttBroker } from "./mqtt-broker.ts";
import { output } from "./output.ts";
import { homePreferences, preferences } from "./preferences.ts";
import { price } from "./price.ts";
import { restorable } from "./restorable.ts";
import { room } from "./room.ts";
import { rule } from "./rule.ts";
import { ruleRun } from "./rule-run.ts";
import { scan } from "./scan.ts";
import { scene } from "./scene.ts";
import { seen } from "./seen.ts";
import { sender } from "./sender.ts";
import type { States } from "./states.ts";
import { stick } from "./stick.ts";
import { timer } from "./timer.ts";
import { upgrade } from "./upgrade.ts";
import { user } from "./user.ts";
import { zone } from "./zone.ts";

/** A decider as the kernel sees it, for any kind of state. */
export type AnyDecider = Decider<States[keyof States]>;

/** Add a new aggregate here; the file of its state adds that to `States`. */
const all = [
  device,
  group,
  scene,
  rule,
  user,
  alert,
  room,
  zone,
  activator,
  hub,
  binding,
  command,
  cascade,
  adapter,
  seen,
  timer,
  alarm,
  scan,
  bacnet,
  modbusServer,
  mqttBroker,
  configuration,
  upgrade,
  autoconfig,
  ruleRun,
  customRule,
  output,
  message,
  messageTarget,
  sender,
  price,
  stick,
  localKey,
  preferences,
  homePreferences,
] as readonly AnyDecider[];

/** All aggregates of a hub. */
export const aggregates: readonly AnyDecider[] = all.map((aggregate) => restorable(aggregate));

/** The personal and secret fields of events and states: events by type, states by kind. */
export interface Declared {
  readonly events: ReadonlyMap<string, EventDefinition>;
  readonly personal: ReadonlyMap<string, PersonalFields>;
  readonly secrets: ReadonlyMap<string, readonly string[]>;
}

/** Collects what aggregates declare about their events and states. */
export function declaredBy(
  declaring: readonly {
    readonly kind: string;
    readonly events: readonly EventDefinition[];
    readonly personal?: PersonalFields;
    readonly secrets?: readonly string[];
  }[],
): Declared {
  return {
    events: new Map(
      declaring.flatMap(({ events }) => events.map((definition) => [definition.type, definition])),
    ),
    personal: new Map(
      declaring.flatMap(({ kind, personal }) => (personal === undefined ? [] : [[kind, personal] as const])),
    ),
    secrets: new Map(
      declaring.flatMap(({ kind, secrets }) => (secrets === undefined ? [] : [[kind, secrets] as const])),
    ),
  };
}

/** The declarations of a hub's aggregates. */
export const declared: Declared = declaredBy(aggregates);

/** All event types of a hub, by name. */
export const eventDefinitions: Declared["events"] = declared.events;

/** The kind of aggregate that each type of event is about. */
export const kindsByEvent: ReadonlyMap<string, string> = new Map(
  aggregates.flatMap(({ kind, events }) => events.map(({ type }) => [type, kind] as const)),
);

/** Returns an event without personal values and without anything that could be a key, fit to leave the hub. */
export function withoutSecrets(event: LoggedEvent): LoggedEvent {
  const { secrets, personal } = eventDefinitions.get(event.type) ?? {};
  if (secrets === undefined && personal === undefined) return event;
  const open = withPersonal(event, personal ?? {}, () => "…");
  return { ...open, ...Object.fromEntries((secrets ?? []).map((field) => [field, "…"])) };
}

/** Returns the state after an event, for any aggregate; undefined when the object is gone. */
export function evolved(decider: AnyDecider, state: unknown, event: DomainEvent, timestamp: number): unknown {
  return decider.evolve(state as never, event, timestamp);
}

/** Returns the types of an aggregate's events that are kept forever. */
export function lastingTypes({ events }: AnyDecider): readonly string[] {
  return events.flatMap(({ type, telemetry }) => (telemetry === undefined ? [type] : []));
}
