import type { Reader, Rejection, RuleConfigRequest, RuleState, World } from "@ledge/model";
import { isRejection, reject } from "@ledge/model";
import type { Catalogue } from "./catalogue.ts";
import { rulesOf } from "./config.ts";

/** The rules of a home as a draft; changes to it do not touch the home. */
export class DraftRules {
  readonly #rules: Map<string, RuleState>;
  readonly #decider: ReturnType<typeof rulesOf>;
  readonly #world: World;

  /** @param now ms since the epoch */
  constructor(catalogue: Catalogue, read: Reader, now: number) {
    this.#rules = new Map(read.all("rule"));
    this.#decider = rulesOf(catalogue);
    this.#world = worldWith(this.#rules, read, now);
  }

  /**
   * Removes a rule from the draft.
   * @returns whether it was there
   */
  remove(id: string): boolean {
    return this.#rules.delete(id);
  }

  /** Returns why the hub would refuse a CONFIG; undefined when it would accept it. */
  refusal(config: RuleConfigRequest): Rejection | undefined {
    const state = typeof config.id === "string" ? this.#rules.get(config.id) : undefined;
    const decision = this.#decider.decide({ type: "SET_RULE", config }, state, this.#world);
    return isRejection(decision) ? decision : undefined;
  }

  /** Adds a CONFIG that would be accepted. */
  take({ id, name, configType, inputs, outputs, extras }: RuleConfigRequest): void {
    const of = id ?? `draft ${this.#rules.size}`;
    const config = { type: "CONFIG", id: of, name, configType, inputs, outputs, extras } as const;
    const state = { id: of, is_on: true, scenes: [], timers: [], config, createdAt: this.#world.now };
    this.#rules.set(of, state);
  }
}

/**
 * Returns why the hub would refuse CONFIGs that take the place of rules, one after the other; undefined when
 * it would accept them.
 * @param replaces ids of rules
 * @returns the field with its place: `rules.<index>.<field>` or `replaces.<index>`
 */
export function refusalOf(
  configs: readonly RuleConfigRequest[],
  replaces: readonly string[],
  draft: DraftRules,
): Rejection | undefined {
  const unknown = replaces.findIndex((id) => !draft.remove(id));
  if (unknown !== -1) return reject("not-found", `no rule ${replaces[unknown]}`, `replaces.${unknown}`);
  for (const [index, config] of configs.entries()) {
    const refusal = draft.refusal(config);
    if (refusal === undefined) {
      draft.take(config);
      continue;
    }
    const { field = "" } = refusal;
    return { ...refusal, field: field === "" ? `rules.${index}` : `rules.${index}.${field}` };
  }
  return undefined;
}

/** Returns the home with the draft's rules in place of its own. */
function worldWith(rules: ReadonlyMap<string, RuleState>, read: Reader, now: number): World {
  const get = (kind: string, id: string): unknown =>
    kind === "rule" ? rules.get(id) : read.get(kind as "rule", id);
  const all = (kind: string): unknown => (kind === "rule" ? rules.entries() : read.all(kind as "rule"));
  return {
    now,
    newId: () => "new",
    get: get as World["get"],
    all: all as World["all"],
    size: (kind) => (kind === "rule" ? rules.size : read.size(kind)),
    before: { get: get as World["get"] },
  };
}
