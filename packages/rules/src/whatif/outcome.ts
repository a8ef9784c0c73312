import type { AlarmKind, EventRef, LoggedEvent } from "@ledge/model";
import { limits, ruleIn } from "@ledge/model";
import type { Difference, Told } from "./difference.ts";
import { difference } from "./difference.ts";
import type { UnderTest } from "./under-test.ts";

/** The event that made a rule act. */
export interface Because {
  /**
   * Its place in the log; null when the rule acted as it began, which is not recorded. With a `timer`, the
   * event that set the timer.
   */
  readonly ref: EventRef | null;
  /** The type of the event. */
  readonly event: string;
  /** The id of the timer or time range that came due. */
  readonly timer?: string;
  readonly device?: string;
  readonly attribute?: string;
  readonly value?: unknown;
}

export interface WouldCommand extends Told {
  readonly rule: string;
  readonly because: Because;
}

/** A recorded command. */
export interface WasCommanded extends Told {
  readonly rule: string;
}

export interface WhatIfAnswer {
  /** The trial is open loop: recorded devices do not react to it and show what they showed. */
  readonly openLoop: true;
  /** ms since the epoch. */
  readonly from: number;
  readonly to: number;
  /** How often a rule acted; all that it does at one event counts once. */
  readonly firings: number;
  /** The first `limits.whatIfItems` commands; every list here is limited like this. */
  readonly commands: readonly WouldCommand[];
  readonly commandCount: number;
  /** How many commands were held back because somebody else held the device. */
  readonly suppressed: number;
  readonly diff: Difference<WouldCommand, WasCommanded> & {
    readonly onlyNewCount: number;
    readonly onlyOldCount: number;
  };
  readonly faults: readonly { readonly at: number; readonly rule: string; readonly reason: string }[];
  readonly alarms: readonly {
    readonly at: number;
    readonly kind: AlarmKind;
    readonly sourceId: string;
    readonly rule: string;
  }[];
  /** How long (ms) each device was on after a rule had turned it on, until anybody turned it off. */
  readonly onTimeMs: Readonly<Record<string, number>>;
  /** Set when the trial ran out of time: the answer covers only the time before this (ms). */
  readonly truncated?: number;
}

type Alarmed = WhatIfAnswer["alarms"][number];

/** Collects the results of a trial. */
export class Findings {
  readonly #under: UnderTest;
  readonly #commands: WouldCommand[] = [];
  readonly #before: WasCommanded[] = [];
  readonly #faults: WhatIfAnswer["faults"][number][] = [];
  readonly #alarms: Alarmed[] = [];
  readonly #firings = new Set<string>();
  readonly #onSince = new Map<string, number>();
  readonly #onTime = new Map<string, number>();
  #suppressed = 0;

  constructor(under: UnderTest) {
    this.#under = under;
  }

  /** Notes a recorded event of a rule that the trial leaves out. */
  noteBefore(event: LoggedEvent, at: number): void {
    if (event.type !== "CommandIssued") return;
    const { device, attributes, origin } = event as LoggedEvent & Told;
    this.#before.push({ at, rule: ruleOf(origin), device, attributes });
  }

  /** Notes an event that the trial caused. */
  note(event: LoggedEvent, at: number, becauseOf: (event: LoggedEvent) => Because): void {
    const { type, origin, cause } = event;
    const rule = ruleOf(origin);
    switch (type) {
      case "CommandIssued": {
        const { device, attributes } = event as LoggedEvent & Told;
        const because = becauseOf(event);
        // What a scene commands counts for the rule that turned it on.
        if (this.#under.has(rule)) this.#firings.add(`${rule} ${cause}`);
        this.#commands.push({ at, rule, device, attributes, because });
        return;
      }
      case "SceneTurnedOn":
      case "SceneTurnedOff":
      case "AlarmRaised":
        if (!this.#under.has(rule)) return;
        this.#firings.add(`${rule} ${cause}`);
        if (type === "AlarmRaised") {
          const { kind, sourceId } = event as LoggedEvent & Alarmed;
          this.#alarms.push({ at, rule, kind, sourceId });
        }
        return;
      case "CommandSuppressed":
        this.#suppressed++;
        return;
      case "RuleFaulted":
      case "RuleStopped": {
        const { reason, rule: faulted = event.id } = event as LoggedEvent & { reason: string; rule?: string };
        this.#faults.push({ at, rule: faulted, reason });
        return;
      }
    }
  }

  /** Notes whether a device is on; `isOurs` when it carries out a command of the trial. */
  noteShown(device: string, isOn: boolean, isOurs: boolean, at: number): void {
    const since = this.#onSince.get(device);
    if (isOn && since === undefined && isOurs) this.#onSince.set(device, at);
    if (isOn || since === undefined) return;
    this.#onSince.delete(device);
    this.#onTime.set(device, (this.#onTime.get(device) ?? 0) + at - since);
  }

  /**
   * Returns the answer.
   * @param until when the trial ended early (ms)
   */
  answer(from: number, to: number, until: number | undefined): WhatIfAnswer {
    for (const device of this.#onSince.keys()) this.noteShown(device, false, false, until ?? to);
    const { onlyNew, onlyOld } = difference(this.#commands, this.#before);
    const first = <Item>(items: readonly Item[]): readonly Item[] => items.slice(0, limits.whatIfItems);
    return {
      openLoop: true,
      from,
      to,
      firings: this.#firings.size,
      commands: first(this.#commands),
      commandCount: this.#commands.length,
      suppressed: this.#suppressed,
      diff: {
        onlyNew: first(onlyNew),
        onlyOld: first(onlyOld),
        onlyNewCount: onlyNew.length,
        onlyOldCount: onlyOld.length,
      },
      faults: first(this.#faults),
      alarms: first(this.#alarms),
      onTimeMs: Object.fromEntries([...this.#onTime].toSorted(([a], [b]) => (a < b ? -1 : 1))),
      ...(until !== undefined && { truncated: until }),
    };
  }
}

function ruleOf(origin: string): string {
  return ruleIn(origin) ?? origin;
}
