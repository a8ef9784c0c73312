/**
 * The personal fields of an event or a state: by path, names with dots between them, what is shown in the place of
 * what nobody may know any more. An object's own id names whose they are.
 */
export type PersonalFields = Readonly<Record<string, string | null>>;

/**
 * An object with its personal fields replaced; the same object when none changes. Fields that are not there are
 * passed over, and so is null: that nothing is known is no secret.
 * @param change the value that takes the place of one, which is shown as `blank` when it is not known
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

/** An object whose personal fields are blank. */
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
