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
import type { DeviceField, ValueField } from "./field.ts";
import type { View } from "../machine/view.ts";

/** What becomes of timers that come due while the hub is down; `lateMaxMs` goes with `skip`. */
export interface Late {
  readonly late: LatePolicy;
  readonly lateMaxMs?: number;
}

/** What a person reads of a template, in one language. */
export interface TemplateTexts {
  readonly name: string;
  /** One line: what it does. */
  readonly summary: string;
  /** What it does, and when it does not. */
  readonly description: string;
  /** Of every field: what it is called, and what helps to fill it in. */
  readonly fields: Readonly<Record<string, readonly [label: string, help: string]>>;
}

/** A kind of rule (hub-api 2.8 TEMPLATE) with the machine that runs it. */
export interface Template<Context extends object = object> {
  readonly configType: string;
  /** Grows when the states or the context of the machine change; `migrate` then reads what the one before left. */
  readonly version: number;
  /** Of two rules of a class the one with the higher priority decides first. */
  readonly priority: number;
  readonly class: DriveClass;
  /** What it does a person has just asked for: it keeps other rules off as that person would. */
  readonly byHand?: true;
  /**
   * What it wants of a device it wants for as long as it does not rest: kept from it, it does so when nobody keeps it
   * any more. Not so of what was wanted at a moment, such as at a press.
   */
  readonly level?: true;
  readonly icon: string;
  /** Only on hubs that have it. */
  readonly feature?: Feature;
  /** Somebody has installed it: it is of the category CUSTOM_RULE, and its work is counted. */
  readonly custom?: true;
  /** The hub makes rules of it by itself; it is not offered. */
  readonly internal?: true;
  readonly inputs: Readonly<Record<string, DeviceField>>;
  readonly outputs: Readonly<Record<string, DeviceField>>;
  readonly extras: Readonly<Record<string, ValueField>>;
  /** The field of whose devices each has a machine of its own: `view.each` in its steps. */
  readonly each?: string;
  readonly late: Late;
  /** Of single timers, by the name of their delay. */
  readonly lateOf?: Readonly<Record<string, Late>>;
  /**
   * Beside its inputs. `time` without `times`: only that the clock or the zone is another. `freed`: it looks for itself
   * what it wants now of an output that nobody keeps it from any more.
   */
  readonly hears?: readonly ("outputs" | "price" | "closed" | "failed" | "time" | "freed")[];
  /** Time ranges at whose edges the machine gets `time`. */
  readonly times?: (view: View) => readonly StoredRange[];
  /** How often a machine of it may command something within a minute, where people set the pace. */
  readonly atMostPerMinute?: number;
  readonly chart: Chart<Context>;
  readonly texts: Readonly<Record<Language, TemplateTexts>>;
  /** What is wrong with a CONFIG beyond what its fields say; `field` names the field. */
  readonly check?: (config: RuleConfig, world: World) => Rejection | undefined;
  /** What a machine of an older version left, as this one has it; undefined: it begins anew. */
  readonly migrate?: (old: {
    readonly version: number;
    readonly value: unknown;
    readonly context: Readonly<Record<string, unknown>>;
  }) => { readonly value: unknown; readonly context: Context } | undefined;
}

/** Declares a template; what its machine keeps is inferred from its chart. */
export function template<Context extends object>(of: Template<Context>): Template {
  return of as unknown as Template;
}
