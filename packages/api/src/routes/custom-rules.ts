import { type Command, Id, type Language, limits } from "@ledge/model";
import Type from "typebox";
import { decidedAccess } from "../access.ts";
import { DryRun } from "../dry-run.ts";
import { askerOf } from "../past.ts";
import type { HubPorts } from "../ports.ts";
import { notFound, Refused, refusedBy } from "../refused.ts";
import { row } from "../row.ts";
import { submit, submitFor } from "../submit.ts";

/** What is told of an installed custom rule beside its source. */
const InstalledRule = Type.Object({
  type: Type.Literal("CUSTOM_RULE_INFO"),
  configType: Type.String(),
  name: Type.String(),
  version: Type.Integer(),
  /** SHA-256 of the source, hexadecimal. */
  hash: Type.String(),
  bytes: Type.Integer(),
  installedAt: Type.Integer(),
  /** Ids of the rules that are of it. */
  rules: Type.Array(Id),
});
type InstalledRule = Type.Static<typeof InstalledRule>;

/** `dryRun` is null where the home has no devices to try it on. */
const Installed = Type.Object({ ...InstalledRule.properties, dryRun: Type.Union([DryRun, Type.Null()]) });

/** What an installation would do: nothing is installed. */
const Tried = Type.Object({
  type: Type.Literal("CUSTOM_RULE_TRIED"),
  configType: Type.String(),
  hash: Type.String(),
  bytes: Type.Integer(),
  dryRun: Type.Union([DryRun, Type.Null()]),
});

/** The source of a custom rule; its fields are looked at as a whole, and what is wrong is told with its path. */
export const Source = Type.Object({
  type: Type.Literal("CUSTOM_RULE"),
  configType: Type.String(),
  template: Type.Object(
    { type: Type.Literal("TEMPLATE"), name: Type.String() },
    { additionalProperties: true },
  ),
  machine: Type.Object({ initial: Type.String() }, { additionalProperties: true }),
  late: Type.Optional(Type.Union([Type.Literal("recheck"), Type.Literal("fire")])),
  tests: Type.Optional(Type.Array(Type.Object({}, { additionalProperties: true }))),
});

/** What a rule has done or said, as an event of the log has it. */
const LogEntry = Type.Object({
  type: Type.Literal("RULE_LOG_ENTRY"),
  /** `<timestamp>-<index>` of the event. */
  ref: Type.String(),
  timestamp: Type.Integer(),
  event: Type.String(),
  ruleId: Type.String(),
  state: Type.Optional(Type.Unknown()),
  context: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  text: Type.Optional(Type.String()),
  reason: Type.Optional(Type.String()),
});

/** Entries with the newest first. */
const RuleLog = Type.Object({
  type: Type.Literal("RULE_LOG"),
  entries: Type.Array(LogEntry),
  /** To go on with: nothing that is newer was left out. Null: there is nothing older. */
  before: Type.Union([Type.Integer(), Type.Null()]),
});
export type RuleLog = Type.Static<typeof RuleLog>;

function infoOf(id: string, hub: HubPorts, language: Language): InstalledRule | undefined {
  const { kernel } = hub;
  const installed = kernel.get("customRule", id);
  if (installed === undefined) return undefined;
  const { source, hash, version, installedAt } = installed;
  const rules = [...kernel.all("rule")].filter(([, { config }]) => config.configType === id);
  return {
    type: "CUSTOM_RULE_INFO",
    configType: id,
    name: hub.ruleTemplates(language).find(({ configType }) => configType === id)?.name ?? id,
    version,
    hash,
    bytes: Buffer.byteLength(source),
    installedAt,
    rules: rules.map(([rule]) => rule),
  };
}

/** The rows of custom rules that stand in the spec. */
export const customRules = [
  row({
    method: "GET",
    path: "/rules/template",
    summary: "The source of a custom rule as it was sent, or what is installed",
    ...decidedAccess["GET /rules/template"],
    past: "USER_ADMIN",
    query: Type.Object({ type: Type.Optional(Type.String()) }),
    result: Type.Union([Source, Type.Array(InstalledRule)]),
    handle({ query: { type }, language, hub }) {
      const { kernel } = hub;
      if (type !== undefined) {
        const found = kernel.get("customRule", type);
        return found === undefined ? notFound(`no custom rule ${type}`) : Buffer.from(found.source);
      }
      const ids = [...kernel.all("customRule")].map(([id]) => id).toSorted();
      return ids.flatMap((id) => infoOf(id, hub, language) ?? []);
    },
  }),
  row({
    method: "GET",
    path: "/rules/log",
    summary: "What custom rules, or one rule of any kind, have done and said, the newest first",
    ...decidedAccess["GET /rules/log"],
    query: Type.Object({
      ruleId: Type.Optional(Id),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.ruleLogEntries })),
      before: Type.Optional(Type.Integer({ minimum: 0 })),
    }),
    result: RuleLog,
    handle(call) {
      const { ruleId, limit = limits.ruleLogUsual, before = null } = call.query;
      const { kernel, past } = call.hub;
      if (ruleId !== undefined && kernel.get("rule", ruleId) === undefined)
        return notFound(`no rule ${ruleId}`);
      const custom = [...kernel.all("rule")].filter(
        ([, { config }]) => kernel.get("customRule", config.configType) !== undefined,
      );
      const rules = ruleId === undefined ? custom.map(([id]) => id) : [ruleId];
      return past.ask("rule-log", { rules, limit, before }, askerOf(call), { signal: call.signal });
    },
  }),
  row({
    method: "POST",
    path: "/rules/template",
    summary:
      "Installs a custom rule, or its next version: an XState machine as JSON, with a closed vocabulary",
    ...decidedAccess["POST /rules/template"],
    raw: true,
    query: Type.Object({
      dryRun: Type.Optional(Type.Boolean({ description: "only says what would come of it" })),
    }),
    body: Type.Unsafe<string>(Source),
    result: Type.Union([Installed, Tried]),
    async handle(call) {
      const { hub, language, caller } = call;
      const command = hub.installing(call.body);
      if ("rejected" in command) return refusedBy(command);
      const dryRun = await hub.dryRun(command, askerOf(call), call.signal);
      if (dryRun instanceof Refused) return dryRun;
      if (call.query.dryRun === true) {
        const { outcome } = hub.kernel.foresee({ commands: [command], origin: caller.origin });
        if (!outcome.accepted) return refusedBy(outcome.rejection);
        const { id: configType, hash, source } = command;
        const bytes = Buffer.byteLength(source);
        return { type: "CUSTOM_RULE_TRIED" as const, configType, hash, bytes, dryRun };
      }
      const done = await submit(call, [command]);
      if (done instanceof Refused) return done;
      const info = infoOf(command.id, hub, language);
      return info === undefined ? notFound(`no custom rule ${command.id}`) : { ...info, dryRun };
    },
  }),
  row({
    method: "DELETE",
    path: "/rules/template",
    summary: "Removes a custom rule of which there are no rules",
    ...decidedAccess["DELETE /rules/template"],
    query: Type.Object({ type: Id }),
    result: Type.Literal(true),
    handle: (call) =>
      submitFor(call, [{ type: "REMOVE_CUSTOM_RULE", id: call.query.type } as Command], true as const),
  }),
];
