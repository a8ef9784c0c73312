import type { ConfigurationItem, ConfigurationValues } from "@ledge/model";
import { pinCodeItem, pinCodeProblem, pinCodesOffered } from "@ledge/port";
import { type Values, isRecord } from "@ledge/exposes";
import type { ZclAction } from "./action.ts";
import type { EndpointFacts } from "./facts.ts";
import type { Message } from "./message.ts";
import type { Unit } from "./unit.ts";
import { integer, valuesOf } from "./values.ts";

const cluster = "closuresDoorLock";
/** Slots that are offered for a lock whose definition knows codes but that does not say how many. */
const usual = 10;
/** The lengths of a code (ZCL 7.3.2.12.7 and 8); locks may say narrower ones. */
const shortest = 4;
const longest = 8;
/** `userstatus` and `usertype` of a code that always works. */
const enabled = 1;
const unrestricted = 0;
const available = 0;

const nameOf = (user: number): string => `pinCode.${user}`;

/** Returns the endpoint of a unit's lock; undefined for other units. */
function lockOf({ served }: Unit): EndpointFacts | undefined {
  return served.find((each) => each.cluster === cluster)?.endpoint;
}

/** User 0 is left to the lock: many keep their master code there. */
function usersOf(unit: Unit): readonly number[] {
  const lock = lockOf(unit);
  if (lock === undefined) return [];
  const said = integer(valuesOf(lock.values, cluster), "numOfPinUsersSupported", 0, 0xfffe);
  const count = said ?? (unit.known?.hasCodes ? usual : 0);
  return Array.from(
    { length: Math.max(0, Math.min(count, pinCodesOffered + 1) - 1) },
    (_, index) => index + 1,
  );
}

/** Returns a secret setting for each code that a lock keeps. An empty text removes the code. */
export function codeItems(unit: Unit): readonly ConfigurationItem[] {
  return usersOf(unit).map((user) => pinCodeItem(nameOf(user), user));
}

/** Returns why a lock cannot take the wanted codes; undefined when it can. */
export function codeProblem(unit: Unit, parameters: ConfigurationValues): string | undefined {
  const values = valuesOf(lockOf(unit)?.values, cluster);
  const least = integer(values, "minPinLen", 1, 255) ?? shortest;
  const greatest = integer(values, "maxPinLen", 1, 255) ?? longest;
  for (const { user, code } of wantedOf(unit, parameters)) {
    const problem = pinCodeProblem(code, least, greatest);
    if (problem !== undefined) return `${nameOf(user)} ${problem}`;
  }
  return undefined;
}

/** Returns the frames that set and remove codes. */
export function codeActions(unit: Unit, parameters: ConfigurationValues): readonly ZclAction[] {
  const lock = lockOf(unit);
  if (lock === undefined) return [];
  const at = { kind: "command", endpoint: lock.id, cluster } as const;
  return wantedOf(unit, parameters).map(({ user: userid, code }): ZclAction => {
    if (code === "") return { ...at, name: "clearPinCode", payload: { userid } };
    const how = { userstatus: enabled, usertype: unrestricted };
    return { ...at, name: "setPinCode", payload: { userid, ...how, pincodevalue: Buffer.from(code) } };
  });
}

/** `programeventcode` of a code that was added, removed or changed at the lock (ZCL 7.3.2.17.31). */
const programmed: Readonly<Record<number, string>> = { 2: "there", 3: "", 4: "there" };

/**
 * Returns what a lock says about its codes, by the names of the settings: an empty text, or that one is there.
 * The code itself, which locks say as well, is left out.
 */
export function codesSaid(unit: Unit, { type, cluster: of, data }: Message): Values {
  if (of !== cluster || !isRecord(data)) return {};
  const user = integer(data, "userid", 1, pinCodesOffered);
  if (user === undefined || !usersOf(unit).includes(user)) return {};
  if (type === "commandGetPinCodeRsp") {
    const status = integer(data, "userstatus", 0, 3);
    return status === undefined ? {} : { [nameOf(user)]: status === available ? "" : "there" };
  }
  const code = integer(data, "programeventcode", 0, 255) ?? -1;
  const isProgramming = type === "commandProgrammingEventNotification" && Object.hasOwn(programmed, code);
  return isProgramming ? { [nameOf(user)]: programmed[code] } : {};
}

/** Returns the values of the settings, as far as the lock has said them. */
export function codeValues(unit: Unit, said: Values): ConfigurationValues {
  const names = usersOf(unit)
    .map(nameOf)
    .filter((name) => Object.hasOwn(said, name));
  return Object.fromEntries(names.map((name) => [name, String(said[name])]));
}

interface WantedCode {
  readonly user: number;
  readonly code: string;
}

function wantedOf(unit: Unit, parameters: ConfigurationValues): readonly WantedCode[] {
  return usersOf(unit).flatMap((user) => {
    const name = nameOf(user);
    const code = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    return typeof code === "string" ? [{ user, code }] : [];
  });
}
