import type { Reader, RuleState } from "@ledge/model";
import { readingOf } from "@ledge/model";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { groupsIn, withMembers } from "./members.ts";
import { attributesNamed } from "../machine/view.ts";
import { allScheduled } from "./scheduled.ts";

/**
 * Finds the rules that an event may concern: by device and attribute, and by topics. It is derived from the
 * rules and may name too many: rules that are gone, that no longer hear of a device, or whose creation was
 * lost with its commit. Callers check the rule itself.
 */
export class RuleIndex {
  readonly #catalogue: Catalogue;
  readonly #byAttribute = new Map<string, Ids>();
  readonly #byDevice = new Map<string, Ids>();
  readonly #byTopic = new Map<string, Ids>();
  #isBuilt = false;

  constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue;
  }

  /**
   * Returns an index of these rules only.
   * @param read where custom rules are installed
   */
  static of(
    rules: Iterable<Pick<RuleState, "id" | "config">>,
    catalogue: Catalogue,
    read: Pick<Reader, "get">,
  ): RuleIndex {
    const index = new RuleIndex(catalogue);
    index.#isBuilt = true;
    for (const rule of rules) index.add(rule, read);
    return index;
  }

  /** Adds the existing rules, the first time it is called. */
  build(read: Pick<Reader, "all" | "get">): void {
    if (this.#isBuilt) return;
    this.#isBuilt = true;
    for (const [, rule] of read.all("rule")) this.add(rule, read);
    for (const rule of allScheduled(read)) this.add(rule, read);
  }

  add({ id, config: named }: Pick<RuleState, "id" | "config">, read: Pick<Reader, "get">): void {
    const template = this.#catalogue.template(named.configType, read);
    if (template === undefined) return;
    const config = withMembers(named, template, read);
    for (const group of groupsIn(named, read)) put(this.#byTopic, groupTopic(group), id);
    const { hears = [], times } = template;
    for (const topic of hears) put(this.#byTopic, topic, id);
    if (times !== undefined) put(this.#byTopic, "time", id);
    for (const [fields, isHeard] of [
      [template.inputs, true],
      [template.outputs, hears.includes("outputs")],
    ] as const) {
      for (const [field, { capabilities, by }] of Object.entries(fields)) {
        const shown = by === undefined ? capabilities.map(readingOf) : attributesNamed(by, config);
        const attributes = isHeard ? new Set([...shown, "reachable"]) : [];
        for (const device of config[fields === template.inputs ? "inputs" : "outputs"][field] ?? []) {
          if (fields === template.outputs) put(this.#byDevice, device, id);
          for (const attribute of attributes) {
            if (attribute !== undefined) put(this.#byAttribute, `${device}\0${attribute}`, id);
          }
        }
      }
    }
  }

  /** Returns rules that may hear of an attribute of a device. */
  hearing(device: string, attribute: string): Iterable<string> {
    return each(this.#byAttribute.get(`${device}\0${attribute}`));
  }

  /** Returns rules that may have a device among their outputs. */
  driving(device: string): Iterable<string> {
    return each(this.#byDevice.get(device));
  }

  /** Returns rules that may have a device among their outputs and hear of a topic. */
  drivingAbout(topic: string, device: string): readonly string[] {
    const hearing = new Set(this.about(topic));
    return hearing.size === 0 ? [] : [...this.driving(device)].filter((id) => hearing.has(id));
  }

  /** Returns rules that may have a device in any of their fields. */
  naming(device: string): ReadonlySet<string> {
    return new Set([...this.hearing(device, "reachable"), ...this.driving(device)]);
  }

  /**
   * Returns rules that may hear of a topic: `price`, `closed`, `failed`, `freed`, `time`, or that of
   * `groupTopic`.
   */
  about(topic: string): Iterable<string> {
    return each(this.#byTopic.get(topic));
  }
}

/** Returns the topic for changes of a group's members. */
export function groupTopic(group: string): string {
  return `group:${group}`;
}

/** Most devices belong to one rule: sets for all of them would take more memory than everything else here. */
type Ids = string | Set<string>;

function each(ids: Ids | undefined): Iterable<string> {
  return typeof ids === "string" ? [ids] : (ids ?? []);
}

function put(index: Map<string, Ids>, key: string, id: string): void {
  const found = index.get(key);
  if (found === undefined) index.set(key, id);
  else if (typeof found !== "string") found.add(id);
  else if (found !== id) index.set(key, new Set([found, id]));
}
