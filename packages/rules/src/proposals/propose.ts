import type { Device, Language, Reader, RuleConfig } from "@ledge/model";
import { hasFeature, idsOf, limits } from "@ledge/model";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { devicesBehind } from "../engine/members.ts";
import type { Template } from "../catalogue/template.ts";
import { DraftRules } from "../catalogue/draft-rules.ts";
import type { Filled } from "./fill.ts";
import { filledBy, standardsOf } from "./fill.ts";
import type { Reason } from "./reasons.ts";
import { reasonText } from "./reasons.ts";

/** The kind of proposals that a client asks for. */
export interface ProposalsWanted {
  /** The ids of devices that the rules must use; empty: any. */
  readonly devices: readonly string[];
  /** The room whose devices the rules use; null: the rooms of the devices, else any. */
  readonly room: string | null;
  readonly max: number;
  readonly configType: string | null;
}

/** The part of a home that the asking user may see. */
export interface Seen {
  readonly read: Reader;
  /** Whether the user may read a device. */
  readonly mayRead: (device: string) => boolean;
  /** ms since the epoch. */
  readonly now: number;
  readonly language: Language;
}

/** A possible rule, before it is tried on recorded events. */
export interface Candidate {
  readonly score: number;
  /** Without an id, as the rule is new. */
  readonly config: Omit<RuleConfig, "id">;
  /** What its template does, in the user's language. */
  readonly summary: string;
  readonly reasons: readonly Reason[];
}

/** A proposed rule, with the reasons. */
export interface Proposal {
  readonly type: "RULE_PROPOSAL";
  readonly score: number;
  readonly config: Omit<RuleConfig, "id"> & { readonly id: null };
  /** What its template does, in one line. */
  readonly summary: string;
  readonly reasons: Reason["id"][];
  /** The reasons as text, in the same order. */
  readonly texts: string[];
}

const points = { chosen: 50, optional: 10, room: 15, firings: 20 } as const;

/** Returns all rules that the devices allow, the best first; the hub would accept each as it is. */
export function candidates(wanted: ProposalsWanted, seen: Seen, catalogue: Catalogue): readonly Candidate[] {
  const { read, language } = seen;
  const home = new Home(wanted, seen);
  const draft = new DraftRules(catalogue, read, seen.now);
  const found = new Map<string, Candidate>();
  for (const template of templatesFor(wanted, catalogue, read)) {
    const taken = takenBy(template, read);
    const extras = standardsOf(template);
    for (const { room, pool } of home.scopes()) {
      const filled = filledBy(template, pool);
      if (filled === undefined || !home.isWanted(filled)) continue;
      if (ofItsOwn(filled).some((id) => taken.has(id))) continue;
      const { inputs, outputs } = filled;
      const { configType, texts } = template;
      const { name: title, summary } = texts[language];
      const name = [title, room === undefined ? [] : [home.nameOf(room)]].flat().join(" – ");
      const config = {
        type: "CONFIG",
        name: name.slice(0, limits.nameChars),
        configType,
        inputs,
        outputs,
        extras,
      } as const;
      const key = canonical(config);
      if (found.has(key) || draft.refusal({ ...config, id: null }) !== undefined) continue;
      found.set(key, { config, summary, ...home.judged(template, filled, room, language) });
    }
  }
  return sorted([...found.values()]);
}

/**
 * Returns the best candidates: at most `max`, and at most `limits.proposalsOfType` of one type unless that
 * type was asked for.
 */
export function best<Of extends Pick<Candidate, "score" | "config">>(
  of: readonly Of[],
  { max, configType }: Pick<ProposalsWanted, "max" | "configType">,
): readonly Of[] {
  const most = configType === null ? limits.proposalsOfType : Infinity;
  const counts = new Map<string, number>();
  const varied = sorted(of).filter(({ config: { configType: type } }) => {
    const count = (counts.get(type) ?? 0) + 1;
    counts.set(type, count);
    return count <= most;
  });
  return varied.slice(0, max);
}

/**
 * Adds to a candidate how often it would have acted.
 * @param days the length of the trial
 */
export function tried(candidate: Candidate, firings: number, days: number): Candidate {
  if (firings === 0) return candidate;
  const reason: Reason = { id: "proposal.firings", parameters: { count: firings, days } };
  return {
    ...candidate,
    score: candidate.score + points.firings,
    reasons: [...candidate.reasons, reason],
  };
}

/** Returns a proposal as clients get it. */
export function proposalOf({ score, config, summary, reasons }: Candidate, language: Language): Proposal {
  const { type, ...rest } = config;
  return {
    type: "RULE_PROPOSAL",
    score,
    config: { type, id: null, ...rest },
    summary,
    reasons: reasons.map(({ id }) => id),
    texts: reasons.map((reason) => reasonText(reason, language)),
  };
}

/** The devices that a rule may use, by room. */
class Home {
  readonly #seen: Seen;
  readonly #chosen: readonly Device[];
  readonly #byRoom = new Map<string, Device[]>();
  readonly #rooms: readonly (string | undefined)[];

  constructor({ devices, room }: ProposalsWanted, seen: Seen) {
    this.#seen = seen;
    const { read, mayRead } = seen;
    const known = (id: string): Device[] => (mayRead(id) ? [read.get("device", id) ?? []].flat() : []);
    this.#chosen = [...new Set(devices)].flatMap(known);
    const chosen = new Set(devices);
    for (const device of idsOf("device", read).flatMap(known)) {
      if (chosen.has(device.id)) continue;
      for (const of of device.room) {
        const members = this.#byRoom.get(of);
        if (members === undefined) this.#byRoom.set(of, [device]);
        else members.push(device);
      }
    }
    const theirs = [...new Set(this.#chosen.flatMap((device) => device.room))];
    // Devices in no room may still work together.
    const own = theirs.length === 0 ? [undefined] : theirs;
    this.#rooms = room === null ? (this.#chosen.length === 0 ? idsOf("room", read) : own) : [room];
  }

  /** The pools to look for devices in: the chosen devices first, then those of a room. */
  *scopes(): IterableIterator<{ room: string | undefined; pool: readonly Device[] }> {
    for (const room of this.#rooms) {
      const others = room === undefined ? [] : (this.#byRoom.get(room) ?? []);
      yield { room, pool: [...this.#chosen, ...others] };
    }
  }

  /** Returns whether the rule uses one of the chosen devices, if any were chosen. */
  isWanted({ used }: Filled): boolean {
    if (used.length === 0) return false;
    return this.#chosen.length === 0 || this.#chosenOf(used) > 0;
  }

  nameOf(room: string): string {
    return this.#seen.read.get("room", room)?.name ?? "";
  }

  judged(
    { priority, texts }: Template,
    { used, optional }: Filled,
    room: string | undefined,
    language: Language,
  ): Pick<Candidate, "score" | "reasons"> {
    const chosen = this.#chosenOf(used);
    const isTogether = room !== undefined && used.every((device) => device.room.includes(room));
    const reasons: Reason[] = [];
    if (chosen > 0) reasons.push({ id: "proposal.chosen", parameters: { count: chosen } });
    if (isTogether && room !== undefined)
      reasons.push({ id: "proposal.room", parameters: { room: this.nameOf(room) } });
    const fields = optional.map((field) => texts[language].fields[field]?.[0] ?? field).join(", ");
    if (optional.length > 0) reasons.push({ id: "proposal.more", parameters: { fields } });
    if (reasons.length === 0) reasons.push({ id: "proposal.fits", parameters: {} });
    const bonus = isTogether ? points.room : 0;
    return {
      score: priority + points.chosen * chosen + points.optional * optional.length + bonus,
      reasons,
    };
  }

  #chosenOf(used: readonly Device[]): number {
    const ids = new Set(used.map(({ id }) => id));
    return this.#chosen.filter(({ id }) => ids.has(id)).length;
  }
}

function templatesFor(
  { configType }: ProposalsWanted,
  catalogue: Catalogue,
  read: Reader,
): readonly Template[] {
  return [...catalogue.templates, ...catalogue.installed(read)].filter(
    ({ internal, feature, ...template }) =>
      internal !== true &&
      (feature === undefined || hasFeature(feature, read)) &&
      (configType === null || template.configType === configType),
  );
}

/** Returns the devices that already belong to a rule of this type. */
function takenBy({ configType }: Template, read: Reader): ReadonlySet<string> {
  const rules = [...read.all("rule")].filter(([, { config }]) => config.configType === configType);
  return new Set(rules.flatMap(([, { config }]) => devicesBehind(ofItsOwn(config), read)));
}

/** Returns the outputs of a rule, or its inputs if it has no outputs. */
function ofItsOwn({ inputs, outputs }: Pick<RuleConfig, "inputs" | "outputs">): readonly string[] {
  const driven = Object.values(outputs).flat();
  return driven.length > 0 ? driven : Object.values(inputs).flat();
}

function sorted<Of extends Pick<Candidate, "score" | "config">>(of: readonly Of[]): readonly Of[] {
  const keyed = of.map((one) => ({ one, key: canonical(one.config) }));
  return keyed
    .toSorted((a, b) => b.one.score - a.one.score || (a.key < b.key ? -1 : 1))
    .map(({ one }) => one);
}

/** Without the name, which depends on the user's language. */
function canonical({ configType, inputs, outputs, extras }: Candidate["config"]): string {
  return JSON.stringify([configType, inputs, outputs, extras]);
}
