import type { ConfigurationItem, ConfigurationValues } from "@ledge/model";
import { type Values, isRecord } from "@ledge/exposes";
import type { ZclAction } from "./action.ts";
import { heats } from "./clusters/thermostat.ts";
import type { EndpointFacts } from "./facts.ts";
import type { Message } from "./message.ts";
import type { Unit } from "./unit.ts";
import { integer, valuesOf } from "./values.ts";
import type { Day, Transition } from "./weekly-schedule.ts";
import { dayItem, dayNames, days, mostTransitions, textOf, transitionsOf } from "./weekly-schedule.ts";

const cluster = "hvacThermostat";
/** The bits of `mode` (ZCL 6.3.2.3.2.4.3). */
const [heating, cooling] = [0x01, 0x02];
/** The definitions of models use these names too. */
const nameOf = (day: Day): string => `weekly_schedule.${day}`;
const toRaw = (celsius: number): number => Math.round(celsius * 100);

/**
 * Returns the endpoint with the weekly schedule of a unit without a definition; undefined for other units. A
 * device with a schedule has a start of its week (ZCL 6.3.2.2.2.14).
 */
function scheduleOf({ served, known }: Unit): EndpointFacts | undefined {
  const { endpoint } = served.find((each) => each.cluster === cluster) ?? {};
  const isThere = integer(valuesOf(endpoint?.values, cluster), "startOfWeek", 0, 6) !== undefined;
  return isThere && known === undefined ? endpoint : undefined;
}

/** Returns how many transitions a day may have. */
function mostOf({ values }: EndpointFacts): number {
  return integer(valuesOf(values, cluster), "numberOfDailyTrans", 1, mostTransitions) ?? mostTransitions;
}

/** A device that only cools has a schedule for that. */
const modeOf = (endpoint: EndpointFacts): number => (heats(endpoint) ? heating : cooling);

/** Returns a setting for each day of a thermostat's weekly schedule. */
export function scheduleItems(unit: Unit): readonly ConfigurationItem[] {
  return scheduleOf(unit) ? dayNames.map((day) => dayItem(nameOf(day), day)) : [];
}

/** Returns why a thermostat cannot take the wanted days; undefined when it can. */
export function scheduleProblem(unit: Unit, parameters: ConfigurationValues): string | undefined {
  const endpoint = scheduleOf(unit);
  if (endpoint === undefined) return undefined;
  const most = mostOf(endpoint);
  for (const [day, text] of wantedOf(parameters)) {
    const transitions = transitionsOf(text);
    if (transitions === undefined)
      return `${day}: write times with setpoints, such as 06:00/20.5 22:00/17, at most ${most}`;
    if (transitions.length > most) return `${day}: the device keeps at most ${most} times`;
  }
  return undefined;
}

/** Returns the frames that set days of the schedule: one for all days that are alike. */
export function scheduleActions(unit: Unit, parameters: ConfigurationValues): readonly ZclAction[] {
  const endpoint = scheduleOf(unit);
  if (endpoint === undefined) return [];
  const mode = modeOf(endpoint);
  const setpoint = mode === heating ? "heatSetpoint" : "coolSetpoint";
  const bitsOf = new Map<string, number>();
  for (const [day, text] of wantedOf(parameters)) bitsOf.set(text, (bitsOf.get(text) ?? 0) | days[day].bit);
  return [...bitsOf].flatMap(([text, dayofweek]): readonly ZclAction[] => {
    const transitions = transitionsOf(text)?.map(({ minute, celsius }) => {
      return { transitionTime: minute, [setpoint]: toRaw(celsius) };
    });
    if (transitions === undefined) return [];
    const payload = { numoftrans: transitions.length, dayofweek, mode, transitions };
    return [{ kind: "command", endpoint: endpoint.id, cluster, name: "setWeeklySchedule", payload }];
  });
}

/** Returns the questions about the days of a schedule that are not among `known`, one for each day. */
export function scheduleQuestions(unit: Unit, known: ConfigurationValues): readonly ZclAction[] {
  const endpoint = scheduleOf(unit);
  const asked = dayNames.filter((day) => known[nameOf(day)] === undefined);
  return endpoint ? asked.map((day) => question(endpoint.id, days[day].bit, modeOf(endpoint))) : [];
}

/** Returns the questions that a frame of `scheduleActions` raises: what the device keeps of it. */
export function scheduleReadBack(action: ZclAction): readonly ZclAction[] {
  if (action.kind !== "command" || action.name !== "setWeeklySchedule") return [];
  const [dayofweek, mode] = [Number(action.payload["dayofweek"]), Number(action.payload["mode"])];
  const told = dayNames.filter((day) => (dayofweek & days[day].bit) !== 0);
  return told.map((day) => question(action.endpoint, days[day].bit, mode));
}

function question(endpoint: number, daystoreturn: number, modetoreturn: number): ZclAction {
  const payload = { daystoreturn, modetoreturn };
  return { kind: "command", endpoint, cluster, name: "getWeeklySchedule", payload };
}

/** Returns what a thermostat says about days of its schedule, by the names of the settings. */
export function scheduleSaid(unit: Unit, { type, endpoint, cluster: of, data }: Message): Values {
  const at = scheduleOf(unit);
  if (of !== cluster || type !== "commandGetWeeklyScheduleRsp" || !isRecord(data)) return {};
  const [bits, mode] = [integer(data, "dayofweek", 0, 0xff) ?? 0, integer(data, "mode", 0, 3) ?? 0];
  if (at?.id !== endpoint || (mode & modeOf(at)) === 0) return {};
  const text = saidText(data["transitions"], modeOf(at));
  const said = dayNames.filter((day) => (bits & days[day].bit) !== 0);
  return text === undefined ? {} : Object.fromEntries(said.map((day) => [nameOf(day), text]));
}

function saidText(transitions: unknown, mode: number): string | undefined {
  if (!Array.isArray(transitions)) return undefined;
  const read = transitions.map((each): Transition | undefined => {
    if (!isRecord(each)) return undefined;
    const minute = integer(each, "transitionTime", 0, 1439);
    const raw = integer(each, mode === heating ? "heatSetpoint" : "coolSetpoint", -5000, 15_000);
    return minute === undefined || raw === undefined ? undefined : { minute, celsius: raw / 100 };
  });
  return read.every((each) => each !== undefined) ? textOf(read) : undefined;
}

/** Returns the values of the settings, as far as the thermostat has said them. */
export function scheduleValues(unit: Unit, said: Values): ConfigurationValues {
  const names = scheduleItems(unit).map(({ name }) => name);
  return Object.fromEntries(
    names.filter((name) => Object.hasOwn(said, name)).map((name) => [name, String(said[name])]),
  );
}

function wantedOf(parameters: ConfigurationValues): readonly (readonly [day: Day, text: string])[] {
  return dayNames.flatMap((day) => {
    const name = nameOf(day);
    const text = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    return typeof text === "string" ? [[day, text] as const] : [];
  });
}
