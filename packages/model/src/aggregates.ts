import { activator } from "./activator.ts";
import { adapter } from "./adapter.ts";
import { alert } from "./alert.ts";
import { alarm } from "./alarm.ts";
import { autoconfig } from "./autoconfig.ts";
import { bacnet } from "./bacnet.ts";
import { binding } from "./binding.ts";
import { command } from "./command.ts";
import { configuration } from "./configuration.ts";
import type { Decider } from "./decider.ts";
import { device } from "./device.ts";
import type { EventDefinition, LoggedEvent } from "./event.ts";
import { group } from "./group.ts";
import { hub } from "./hub.ts";
import { message } from "./message.ts";
import type { PersonalFields } from "./personal.ts";
import { withPersonal } from "./personal.ts";
import { output } from "./output.ts";
import { price } from "./price.ts";
import { room } from "./room.ts";
import { rule } from "./rule.ts";
import { ruleRun } from "./rule-run.ts";
import { scan } from "./scan.ts";
import { scene } from "./scene.ts";
import { seen } from "./seen.ts";
import { sender } from "./sender.ts";
import type { States } from "./states.ts";
import { timer } from "./timer.ts";
import { upgrade } from "./upgrade.ts";
import { user } from "./user.ts";
import { zone } from "./zone.ts";

/** A decider as the kernel sees it: of some kind of state. */
export type AnyDecider = Decider<States[keyof States]>;

/** Every aggregate of a hub. A new one is added here and in `States`, and nowhere else in this package. */
export const aggregates: readonly AnyDecider[] = [
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
  adapter,
  seen,
  timer,
  alarm,
  scan,
  bacnet,
  configuration,
  upgrade,
  autoconfig,
  ruleRun,
  output,
  message,
  sender,
  price,
] as readonly AnyDecider[];

/** Every event type, by name. */
export const eventDefinitions: ReadonlyMap<string, EventDefinition> = new Map(
  aggregates.flatMap(({ events }) => events.map((definition) => [definition.type, definition])),
);

/** Personal fields of states, by kind. */
export const personalStates: ReadonlyMap<string, PersonalFields> = new Map(
  aggregates.flatMap(({ kind, personal }) => (personal === undefined ? [] : [[kind, personal] as const])),
);

/** Fields of states that hold keys, by kind. */
export const secretStates: ReadonlyMap<string, readonly string[]> = new Map(
  aggregates.flatMap(({ kind, secrets }) => (secrets === undefined ? [] : [[kind, secrets] as const])),
);

/** An event as it may leave the hub: what could be a key, and what is personal, is left out. */
export function withoutSecrets(event: LoggedEvent): LoggedEvent {
  const { secrets, personal } = eventDefinitions.get(event.type) ?? {};
  if (secrets === undefined && personal === undefined) return event;
  const open = withPersonal(event, personal ?? {}, () => "…");
  return { ...open, ...Object.fromEntries((secrets ?? []).map((field) => [field, "…"])) };
}
