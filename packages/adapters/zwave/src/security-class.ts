import { AdapterError } from "@ledge/port";

/** The library's SecurityClass by name: the keys that a device can have. */
export const securityClass = {
  S2_Unauthenticated: 0,
  S2_Authenticated: 1,
  S2_AccessControl: 2,
  S0_Legacy: 7,
} as const;
export type SecurityClassName = keyof typeof securityClass;
export const securityClassNames = Object.keys(securityClass) as readonly SecurityClassName[];

/** Returns the name of a key; undefined for one of no class. */
export function securityNameOf(key: number): SecurityClassName | undefined {
  return securityClassNames.find((name) => securityClass[name] === key);
}

/** Returns the names of the library's keys, those of no class left out, in the order of `securityClass`. */
export function securityNamesOf(keys: readonly number[]): readonly SecurityClassName[] {
  return securityClassNames.filter((name) => keys.includes(securityClass[name]));
}

/**
 * Returns the keys that a client names in `securityClasses`, in the order of `securityClass`.
 * @throws AdapterError `settings` for anything but a list of names, each once
 */
export function securityNamesIn(names: unknown): readonly SecurityClassName[] {
  const known = securityClassNames.filter((name) => Array.isArray(names) && names.includes(name));
  if (!Array.isArray(names) || known.length !== names.length)
    throw new AdapterError("settings", `securityClasses: must be a list of ${securityClassNames.join(", ")}`);
  return known;
}

/**
 * Returns the keys that a client names; undefined when it names none at all.
 * @throws AdapterError `settings` for anything but a list of names, each once, and for an empty one
 */
export function someSecurityNamesIn(names: unknown): readonly SecurityClassName[] | undefined {
  if (names === undefined || names === null) return undefined;
  const known = securityNamesIn(names);
  if (known.length === 0)
    throw new AdapterError("settings", "securityClasses: must be a list of at least one");
  return known;
}
