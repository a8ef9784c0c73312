/**
 * The personal fields of an event or state: by dotted path, what replaces the value once it must not be known
 * any more. The object's own id names the person.
 */
export type PersonalFields = Readonly<Record<string, string | null>>;

/**
 * Returns an object with its personal fields replaced; the same object when none changes. Missing fields and
 * nulls stay, as they reveal nothing.
 * @param change returns the replacement of a value, whose blank is `blank`
 */
export function withPersonal<T extends object>(
  object: T,
  fields: PersonalFields,
  change: (value: unknown, blank: string | null) => unknown,
): T {
  let changed = object;
  for (const [path, blank] of Object.entries(fields))
    changed = replaced(changed, path.split("."), (value) => change(value, blank));
  return changed;
}

/** Returns an object with its personal fields blanked. */
export function withoutPersonal<T extends object>(object: T, fields: PersonalFields): T {
  return withPersonal(object, fields, (_, blank) => blank);
}

function replaced<T extends object>(
  object: T,
  [name = "", ...rest]: readonly string[],
  change: (value: unknown) => unknown,
): T {
  const value = (object as Readonly<Record<string, unknown>>)[name];
  if (value === undefined || value === null) return object;
  const isInner = rest.length > 0;
  if (isInner && typeof value !== "object") return object;
  const after = isInner ? replaced(value, rest, change) : change(value);
  return after === value ? object : { ...object, [name]: after };
}
