import type {
  DriveClass,
  Feature,
  Language,
  LatePolicy,
  StoredRange,
  Rejection,
  RuleConfig,
  World,
} from "@ledge/model";
import type { Chart } from "../machine/chart.ts";
import type { TemplateFields } from "./field.ts";
import type { View } from "../machine/view.ts";

/** What happens to timers that come due while the hub is down; `lateMaxMs` goes with `skip`. */
export interface Late {
  readonly late: LatePolicy;
  readonly lateMaxMs?: number;
}

/** The texts of a template for users, in one language. */
export interface TemplateTexts {
  readonly name: string;
  /** What it does, in one line. */
  readonly summary: string;
  /** What it does, and when it does not. */
  readonly description: string;
  /** The label of each field, and a help text for filling it in. */
  readonly fields: Readonly<Record<string, readonly [label: string, help: string]>>;
}

/** A kind of rule (hub-api 2.8 TEMPLATE), with the machine that runs it. */
export interface Template<Context extends object = object> extends TemplateFields {
  readonly configType: string;
  /**
   * Increases when the states or the context of the machine change; `migrate` then reads those of the version
   * before.
   */
  readonly version: number;
  /** In the same class the rule with the higher priority decides first. */
  readonly priority: number;
  readonly class: DriveClass;
  /** Its commands carry out what a person just asked for, so they hold devices against other rules. */
  readonly byHand?: true;
  /**
   * What it wants of a device holds for as long as it is not idle, so it commands the device right after a
   * hold. Not set when it commands only at one moment, such as at a press.
   */
  readonly level?: true;
  readonly icon: string;
  /** Only for hubs with this feature. */
  readonly feature?: Feature;
  /** A user has installed it: its category is CUSTOM_RULE, and its work is counted. */
  readonly custom?: true;
  /** Only the hub itself makes rules of it; clients do not see it. */
  readonly internal?: true;
  readonly late: Late;
  /** For single timers, by the name of their delay. */
  readonly lateOf?: Readonly<Record<string, Late>>;
  /**
   * What it hears besides its inputs. `time` without `times`: only changes of the clock or the zone. `freed`:
   * an output is no longer held, so it decides again what it wants of it.
   */
  readonly hears?: readonly ("outputs" | "price" | "closed" | "failed" | "time" | "freed")[];
  /** The time ranges at whose edges the machine gets `time`. */
  readonly times?: (view: View) => readonly StoredRange[];
  /** The most commands of a machine in a minute, for templates where people set the pace. */
  readonly atMostPerMinute?: number;
  readonly chart: Chart<Context>;
  readonly texts: Readonly<Record<Language, TemplateTexts>>;
  /** Returns what is wrong with a CONFIG beyond its single fields; `field` names the field. */
  readonly check?: (config: RuleConfig, world: World) => Rejection | undefined;
  /** Converts the state of an older version to this one; undefined: the machine restarts. */
  readonly migrate?: (old: {
    readonly version: number;
    readonly value: unknown;
    readonly context: Readonly<Record<string, unknown>>;
  }) => { readonly value: unknown; readonly context: Context } | undefined;
}

/** Declares a template; the type of its context is inferred from its chart. */
export function template<Context extends object>(of: Template<Context>): Template {
  return of as unknown as Template;
}
