import type { Language, LoggedEvent, WhyLink, WhyOutcome, WhyStep, WhyTextId } from "@ledge/model";
import {
  changedText,
  isLocal,
  isRelayed,
  isWhyText,
  mainAttribute,
  ruleStopTexts,
  shownText,
  whyText,
} from "@ledge/model";
import { Temporal } from "temporal-polyfill";
import { parseTimerId } from "../engine/run-id.ts";
import type { Template } from "../catalogue/template.ts";
import { kindOf } from "./home-at.ts";
import type { Named, Names } from "./names.ts";
import { durationText } from "./readings.ts";
import type { Placed } from "./recorded.ts";

type Fields = LoggedEvent & Readonly<Record<string, unknown>>;

/** Puts events into words, in one language. */
export class Telling {
  readonly names: Names;
  readonly language: Language;
  readonly #templates: ReadonlyMap<string, Template>;

  /** @param templates the templates of the existing rules, by rule */
  constructor(names: Names, language: Language, templates: ReadonlyMap<string, Template>) {
    this.names = names;
    this.language = language;
    this.#templates = templates;
  }

  text(id: WhyTextId, parameters: Readonly<Record<string, string>> = {}): string {
    const text = whyText(id, this.language, parameters);
    // A sentence may begin with a name in lower case.
    return text.charAt(0).toLocaleUpperCase(this.language) + text.slice(1);
  }

  /**
   * Returns an event as a link of a chain.
   * @param attribute the device's attribute that the question is about
   */
  link({ ref, at, event }: Placed, attribute?: string): WhyLink {
    const { type, origin } = event;
    const text = this.#textOf(event as Fields, attribute);
    return {
      at,
      ref,
      type,
      origin: this.names.origin(origin),
      text,
      object: this.#objectOf(event as Fields),
    };
  }

  /** Returns what a rule did, and why. */
  acted({ ref, at, event }: Placed, rule: string, readings: string, step: WhyStep): WhyLink {
    const title = this.ruleTitle(rule);
    const text =
      readings === ""
        ? this.text("ruleActed", { rule: title })
        : this.text("ruleActedAs", { rule: title, readings });
    const object = this.names.object("rule", rule);
    return { at, ref, type: event.type, origin: this.names.origin(event.origin), text, object, step };
  }

  outcome(outcome: WhyOutcome["outcome"], placed?: Placed): WhyOutcome {
    const { message } = (placed?.event ?? {}) as { readonly message?: unknown };
    return {
      outcome,
      at: placed?.at ?? null,
      ref: placed?.ref ?? null,
      message: typeof message === "string" ? message : null,
    };
  }

  ruleTitle(rule: string): string {
    const by = rule.startsWith("scene:") ? "by.scene" : "by.rule";
    return whyText(by, this.language, { name: this.names.of("rule", rule) });
  }

  template(rule: string): Template | undefined {
    return this.#templates.get(rule);
  }

  /** Returns the label of the field that sets a timer's duration. */
  timerLabel(id: string): string {
    const timer = parseTimerId(id);
    if (timer === undefined) return id;
    const delay = timer.name.split(".")[2] ?? timer.name;
    const { fields = {} } = this.template(timer.rule)?.texts[this.language] ?? {};
    return (fields[delay] ?? fields[`${delay}Ms`])?.[0] ?? whyText("waiting", this.language);
  }

  /** Returns a time in the home's zone, to the minute. */
  time(at: number): string {
    const local = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(this.names.zone);
    return local.toPlainDateTime().toString({ smallestUnit: "minute" }).replace("T", " ");
  }

  /** Returns who caused an event. */
  by(origin: string, cause?: string): string {
    const [kind, id] = splitOrigin(origin);
    const { language } = this;
    const who =
      kind === "rule"
        ? this.ruleTitle(id)
        : kind === "scene"
          ? whyText("by.scene", language, { name: this.names.of("scene", id) })
          : kind === "user"
            ? (this.names.user(id) ?? whyText("by.user", language))
            : isWhyText(`by.${kind}`)
              ? whyText(`by.${kind}` as WhyTextId, language, { name: id })
              : origin;
    if (kind !== "user" || cause === undefined) return who;
    if (isRelayed(cause)) return whyText("by.relayed", language, { who });
    // Older logs do not say how a request came in.
    return isLocal(cause) ? whyText("by.local", language, { who }) : who;
  }

  /** Returns attributes in words, such as `on, brightness 40 %`. */
  shown(attributes: Readonly<Record<string, unknown>>): string {
    const said = Object.entries(attributes).map(([name, value]) => shownText(name, value, this.language));
    return said.join(", ");
  }

  #textOf(event: Fields, attribute: string | undefined): string {
    const { type, id, origin } = event;
    const who = this.by(origin, event.root ?? event.cause);
    switch (type) {
      case "DeviceReported":
        return this.#reported(event, attribute);
      case "CommandIssued":
        return this.#issued(event, who);
      case "CommandFailed":
        return this.text("failed", { name: this.#device(event), message: String(event["message"]) });
      case "CommandExpired":
        return this.text("expired", { name: this.#device(event) });
      case "CommandSuppressed": {
        const rule = this.ruleTitle(String(event["rule"]));
        const by = this.by(String(event["by"]));
        return this.text("suppressed", { rule, name: this.names.of("device", id), by });
      }
      case "TimerFired":
      case "TimerSkipped":
      case "TimerSet":
        return this.#timer(event);
      case "RuleStepped":
        return this.text("ruleActed", { rule: this.ruleTitle(String(event["rule"])) });
      case "RuleStopped": {
        const reason = ruleStopTexts[event["reason"] as keyof typeof ruleStopTexts]?.[this.language];
        return this.text("event.RuleStopped", { name: this.names.of("rule", id), reason: reason ?? "-" });
      }
      default:
        return this.#other(event, who);
    }
  }

  #reported({ id, origin, cause, ...event }: Fields, asked: string | undefined): string {
    const attributes = event["attributes"] as Readonly<Record<string, unknown>>;
    const name = asked !== undefined && Object.hasOwn(attributes, asked) ? asked : mainAttribute(attributes);
    const changed = changedText(
      this.names.of("device", id),
      name ?? "",
      attributes[name ?? ""],
      this.language,
    );
    if (origin === "resync") return this.text("known", { changed });
    // A report of a sensor needs no remark that nobody commanded it.
    const isByHand = origin === "device" && cause === undefined && byHand.has(name ?? "");
    return isByHand ? this.text("byHand", { changed }) : changed;
  }

  #issued(event: Fields, who: string): string {
    const { attributes, group, action } = event as unknown as {
      readonly attributes: Readonly<Record<string, unknown>>;
      readonly group: string | null;
      readonly action?: string;
    };
    const name = this.#device(event);
    const what = action ?? this.shown(attributes);
    if (group === null) return this.text("told", { who, name, what });
    return this.text("toldGroup", { who, name, what, group: this.names.of("group", group) });
  }

  #timer({ type, id, ...event }: Fields): string {
    const timer = parseTimerId(id);
    if (timer === undefined) return this.text("timer", { name: id });
    const rule = this.ruleTitle(timer.rule);
    if (!timer.name.startsWith("xstate.")) return this.text("timesEdge", { rule });
    const label = this.timerLabel(id);
    if (type !== "TimerSet") return this.text("timerFired", { rule, timer: label });
    const duration = durationText(Number(event["durationMs"] ?? 0));
    return this.text("timerSet", { rule, timer: label, duration });
  }

  #other(event: Fields, who: string): string {
    const { type, id } = event;
    const kind = kindOf(event) ?? "";
    const name = textIn(event, "name") ?? this.names.of(kind, id);
    const exact = `event.${type}`;
    if (isWhyText(exact)) return this.text(exact, { who, name });
    if (type.endsWith("Moved")) {
      const [room] = [event["room"] ?? []].flat().map(String);
      const named = room === undefined ? this.text("noRoom") : this.names.of("room", room);
      return this.text("event.Moved", { who, name, room: named });
    }
    const [, what = "Changed"] = /(Renamed|Created|Added|Removed)$/.exec(type) ?? [];
    // The hub's name tells a reader nothing: it may be that of the product.
    const known = what === "Added" ? "Created" : what === "Changed" && kind === "hub" ? "HubChanged" : what;
    return this.text(`event.${known}` as WhyTextId, { who, name });
  }

  #device(event: Fields): string {
    return this.names.of("device", String(event["device"]));
  }

  #objectOf(event: Fields): Named | null {
    const { type, id } = event;
    if (type.startsWith("Command")) return this.names.object("device", textIn(event, "device") ?? id);
    const timer = parseTimerId(id);
    if (timer !== undefined) return this.names.object("rule", timer.rule);
    if (type === "RuleStepped" || type === "RuleFaulted")
      return this.names.object("rule", String(event["rule"]));
    const kind = kindOf(event);
    return kind === undefined ? null : this.names.object(kind, id);
  }
}

function textIn(event: Fields, field: string): string | undefined {
  const value = event[field];
  return typeof value === "string" ? value : undefined;
}

/** Attributes that people also set at the device itself. */
const byHand: ReadonlySet<string> = new Set([
  "isOn",
  "brightness",
  "targetTemperature",
  "mode",
  "fanMode",
  "position",
  "locked",
]);

function splitOrigin(origin: string): readonly [kind: string, id: string] {
  const at = origin.indexOf(":");
  return at < 0 ? [origin, ""] : [origin.slice(0, at), origin.slice(at + 1)];
}
