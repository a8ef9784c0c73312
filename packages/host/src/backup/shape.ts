import {
  type Commit,
  type Declared,
  type LoggedEvent,
  limits,
  withPersonal,
  lazyValidator,
  type LazyValidator,
} from "@ledge/model";
import Type from "typebox";
import type { SectionKind } from "./format.ts";

/** Milliseconds since the epoch, within the range of dates. */
const moment = Type.Integer({ minimum: 0, maximum: limits.timestampMax });
const count = Type.Integer({ minimum: 0 });
const word = Type.String({ maxLength: limits.backupWordChars });
const files = Type.Array(Type.Object({ path: Type.String({ minLength: 1 }), base64: Type.String() }));
const event = Type.Object({
  type: Type.String(),
  id: Type.String(),
  version: Type.Integer({ minimum: 1 }),
  origin: Type.String(),
  depth: count,
  cause: Type.Optional(Type.String()),
  root: Type.Optional(Type.String()),
});

/** The content of a section, by its kind. */
const shapes: Readonly<Record<SectionKind, LazyValidator<unknown>>> = {
  header: lazyValidator(
    Type.Object({
      format: Type.Integer({ minimum: 1 }),
      release: word,
      created: moment,
      timestamp: moment,
      horizon: Type.Optional(moment),
      stateFormat: Type.String(),
      hubId: Type.Optional(word),
      issuer: Type.Optional(word),
      key: Type.Optional(
        Type.Object({
          name: Type.Literal("scrypt"),
          N: Type.Number(),
          r: Type.Number(),
          p: Type.Number(),
          salt: Type.String(),
        }),
      ),
    }),
  ),
  settings: lazyValidator(files),
  files: lazyValidator(files),
  secrets: lazyValidator(
    Type.Array(Type.Object({ timestamp: moment, index: count, field: Type.String(), value: Type.Unknown() })),
  ),
  commits: lazyValidator(
    Type.Array(
      Type.Object({
        timestamp: moment,
        events: Type.Array(event),
        indexes: Type.Optional(Type.Array(count)),
      }),
    ),
  ),
  end: lazyValidator(
    Type.Object({
      commits: count,
      events: count,
      first: moment,
      last: moment,
      epoch: moment,
      digest: Type.String(),
    }),
  ),
};

/** Returns what is wrong with the content of a section; undefined when it is valid. */
export function shapeProblem(kind: SectionKind, content: unknown): string | undefined {
  return problemOf(shapes[kind], content);
}

/** Returns a check that finds events that this release could never have written. */
export function eventChecks(declared: Declared): (commit: Commit) => string | undefined {
  const validators = new Map<string, LazyValidator<unknown>>();
  const validatorOf = (type: string): LazyValidator<unknown> | undefined => {
    const known = validators.get(type);
    const definition = declared.events.get(type);
    if (known !== undefined || definition === undefined) return known;
    const { schema, secrets = [] } = definition;
    // Fields that a backup leaves out are null.
    const fields = Object.entries(schema.properties).filter(([name]) => !secrets.includes(name));
    const made = lazyValidator(Type.Object(Object.fromEntries(fields)));
    validators.set(type, made);
    return made;
  };
  const problemIn = (logged: LoggedEvent): string | undefined => {
    const validator = validatorOf(logged.type);
    const { personal } = declared.events.get(logged.type) ?? {};
    const open = personal === undefined ? logged : withPersonal(logged, personal, unsealed);
    const problem = validator && problemOf(validator, open);
    return problem && `${logged.type}: ${problem}`;
  };
  return ({ events }) => {
    for (const logged of events) {
      const problem = problemIn(logged);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };
}

/** Returns a valid stand-in for a sealed personal field; any other value is checked as it is. */
function unsealed(value: unknown, blank: string | null): unknown {
  const { sealed } = value as { readonly sealed?: unknown };
  return typeof sealed === "string" ? blank : value;
}

function problemOf(validator: LazyValidator<unknown>, content: unknown): string | undefined {
  if (validator.Check(content)) return undefined;
  const [first] = validator.Errors(content);
  return `${first?.instancePath.slice(0, limits.backupWordChars) ?? ""} ${first?.message ?? "is malformed"}`.trim();
}
