import type { AlarmCommand, Binding, Command, DeviceReported, Reaction, Reader } from "@ledge/model";
import { alarmId, limits } from "@ledge/model";
import { closing } from "./alarms.ts";

const timerPrefix = "unreachable:";

/** Starts a timer when a device becomes unreachable. Ends timer and alarm when it answers again or is removed. */
export const deviceReach: Reaction = {
  name: "device reach",
  on: ["DeviceReported", "DeviceRemoved"],
  react(event, read) {
    const { id } = event;
    if (event.type === "DeviceRemoved") return ended(id, read, false);
    const { reachable } = (event as DeviceReported).attributes;
    // While its adapter does not run, the adapter's own alarm says so.
    if (reachable === false) return isServed(id, read) ? waiting(id, read) : [];
    return reachable === true ? ended(id, read, true) : [];
  },
};

/** Raises an alarm for a device that stayed unreachable, or for its radio when all its devices are unreachable. */
export const lastingAbsence: Reaction = {
  name: "lasting absence",
  on: ["TimerFired"],
  react({ id: timer }, read) {
    if (!timer.startsWith(timerPrefix)) return [];
    const id = timer.slice(timerPrefix.length);
    const binding = read.get("binding", id);
    if (binding === undefined || !isGone(id, read) || !isRunning(binding, read)) return [];
    if (isOpen(radioAlarm(binding), read)) return [];
    const members = [...membersOf(binding, read)];
    if (members.length < 2 || !members.every((member) => isGone(member, read))) return aboutDevice(id, read);
    const { protocol, radio } = binding;
    const facts = { adapter: protocol, devices: members.length };
    return [
      { type: "RAISE_ALARM", kind: "RADIO_UNREACHABLE", sourceId: sourceOf(binding), name: radio, facts },
      ...members.flatMap((member) => closing(read, member, "DEVICE_UNREACHABLE")),
    ] satisfies AlarmCommand[];
  },
};

/** Closes the alarms of devices and radios when their adapter rests, and starts new timers when it runs again. */
export const adapterReach: Reaction = {
  name: "adapter reach",
  on: ["AdapterStarted", "AdapterRested"],
  react({ type, id: protocol }, read) {
    const commands: Command[] = [];
    const radios = new Set<string>();
    for (const [id, binding] of read.all("binding")) {
      if (binding.protocol !== protocol || !isGone(id, read)) continue;
      if (type === "AdapterRested") {
        commands.push(...closing(read, id, "DEVICE_UNREACHABLE"));
        radios.add(sourceOf(binding));
      } else if (!isOpen(deviceAlarm(id), read) && !isOpen(radioAlarm(binding), read)) {
        commands.push(...waiting(id, read));
      }
    }
    for (const radio of radios) commands.push(...closing(read, radio, "RADIO_UNREACHABLE"));
    return commands;
  },
};

/** Hides the alarm of a device from guests while the device is hidden from them. */
export const hiddenReach: Reaction = {
  name: "hidden reach",
  on: ["DeviceVisibilitySet"],
  react({ id }, read) {
    const known = read.get("alarm", deviceAlarm(id));
    if (known === undefined) return [];
    if (known.closed) return [{ type: "DELETE_ALARM", id: known.id } satisfies AlarmCommand];
    return aboutDevice(id, read).map((raise) => ({ ...raise, count: 0 }));
  },
};

function waiting(id: string, read: Reader): Command[] {
  const timer = timerPrefix + id;
  // A device without a binding is a user's client, which comes and goes.
  if (read.get("binding", id)?.removed !== false || read.get("timer", timer) !== undefined) return [];
  const set = { type: "SET_TIMER", id: timer, durationMs: limits.unreachableMs, late: "recheck" } as const;
  return [set];
}

/** @param answers whether the radio works, so that its other devices are unreachable for reasons of their own */
function ended(id: string, read: Reader, answers: boolean): Command[] {
  const timer = timerPrefix + id;
  const commands: Command[] = closing(read, id, "DEVICE_UNREACHABLE");
  if (read.get("timer", timer) !== undefined) commands.push({ type: "CANCEL_TIMER", id: timer } as Command);
  const binding = read.get("binding", id);
  if (binding === undefined || !isOpen(radioAlarm(binding), read)) return commands;
  const gone = [...membersOf(binding, read)].filter((member) => isGone(member, read));
  if (!answers && gone.length > 0) return commands;
  commands.push(...closing(read, sourceOf(binding), "RADIO_UNREACHABLE"));
  return [...commands, ...gone.flatMap((member) => waiting(member, read))];
}

function aboutDevice(id: string, read: Reader): AlarmCommand[] {
  const { name = id, visible = true } = read.get("device", id) ?? {};
  return [{ type: "RAISE_ALARM", kind: "DEVICE_UNREACHABLE", sourceId: id, name, hidden: !visible }];
}

function* membersOf({ protocol, radio }: Binding, read: Reader): Iterable<string> {
  for (const [id, other] of read.all("binding")) {
    if (!other.removed && other.protocol === protocol && other.radio === radio) yield id;
  }
}

function isGone(id: string, read: Reader): boolean {
  return read.get("device", id)?.state["reachable"] === false;
}

function isServed(id: string, read: Reader): boolean {
  const binding = read.get("binding", id);
  return binding !== undefined && isRunning(binding, read);
}

/** While an adapter does not run, the state of its devices is unknown, and the adapter's alarm says so. */
function isRunning({ protocol }: Binding, read: Reader): boolean {
  return read.get("adapter", protocol)?.state === "running";
}

function isOpen(alarm: string, read: Reader): boolean {
  return read.get("alarm", alarm)?.closed === false;
}

function deviceAlarm(id: string): string {
  return alarmId("DEVICE_UNREACHABLE", id);
}

function radioAlarm(binding: Binding): string {
  return alarmId("RADIO_UNREACHABLE", sourceOf(binding));
}

/** Adapters name their radios, and two adapters may use the same name. */
function sourceOf({ protocol, radio }: Binding): string {
  return `${protocol}/${radio}`;
}
