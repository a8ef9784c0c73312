import type { CustomRule, LoggedEvent, Reaction, Reader, RuleConfig, States } from "@ledge/model";
import type { Catalogue } from "../catalogue/catalogue.ts";
import { RuleEngine } from "../engine.ts";
import { RuleIndex } from "../engine/rule-index.ts";
import { parseLapseId, parseTimerId } from "../engine/run-id.ts";
import { heardEvents } from "../engine/stimuli.ts";

/** Events about rules themselves, which a trial ignores because its rules do not change. */
const ofItself: ReadonlySet<string> = new Set([
  "RuleCreated",
  "RuleConfigured",
  "RuleOnConfigured",
  "RuleRemoved",
  "SceneCreated",
  "SceneTimesChanged",
  "SceneRemoved",
  "CustomRuleInstalled",
]);
const heard: ReadonlySet<string> = new Set([...heardEvents, "SceneTurnedOff", "DeviceRemoved"]);

/** The rules of a trial: their reactions, and which recorded events they may hear. No other rule runs. */
export class UnderTest {
  readonly reactions: readonly Reaction[];
  readonly #ids: ReadonlySet<string>;
  readonly #index: RuleIndex;
  readonly #named: ReadonlySet<string>;
  readonly #driven: ReadonlySet<string>;
  /** The recorded event that the trial is replaying; its recorded reactions are replayed too. */
  #recorded: LoggedEvent | undefined;

  /** @param others reactions to what the rules do, such as a scene that applies its presets */
  constructor(
    configs: readonly RuleConfig[],
    customRules: readonly CustomRule[],
    catalogue: Catalogue,
    others: readonly Reaction[],
  ) {
    this.#ids = new Set(configs.map(({ id }) => id));
    const rules = configs.map((config) => ({ id: config.id, config }));
    this.#index = RuleIndex.of(rules, catalogue, readerOf(customRules));
    this.#driven = new Set(configs.flatMap(({ outputs }) => Object.values(outputs).flat()));
    this.#named = new Set([
      ...this.#driven,
      ...configs.flatMap(({ inputs }) => Object.values(inputs).flat()),
    ]);
    const following = others.map((reaction) => guarded(reaction, (event) => event !== this.#recorded));
    const stepping = new RuleEngine(catalogue, this.#index).reactions.map((reaction) =>
      guarded(reaction, (event) => this.#steps(event)),
    );
    this.reactions = [...following, ...stepping];
  }

  has(rule: string): boolean {
    return this.#ids.has(rule);
  }

  /** The devices in any field of the rules. */
  get devices(): ReadonlySet<string> {
    return this.#named;
  }

  drives(device: string): boolean {
    return this.#driven.has(device);
  }

  /** Returns whether a rule reads an attribute of a device. */
  hears(device: string, attribute: string): boolean {
    for (const _ of this.#index.hearing(device, attribute)) return true;
    return false;
  }

  /** Returns how to replay a recorded event. `skip` means that no rule can read anything of it. */
  take(event: LoggedEvent): "witness" | "copy" | "skip" {
    const { type, id } = event;
    switch (type) {
      case "DeviceReported":
        if (this.#named.has(id)) return "witness";
        return "reachable" in (event as LoggedEvent & { attributes: object }).attributes ? "copy" : "skip";
      case "DeviceRemoved":
        return this.#named.has(id) ? "witness" : "copy";
      case "CommandIssued":
      case "CommandFailed":
      case "CommandExpired": {
        const { device } = event as LoggedEvent & { device: string };
        return this.#driven.has(device) ? "witness" : "copy";
      }
      default:
        return heard.has(type) && this.#steps(event) ? "witness" : "copy";
    }
  }

  /** Runs `does` while a recorded event counts as the one being replayed. */
  during<Result>(recorded: LoggedEvent, does: () => Result): Result {
    this.#recorded = recorded;
    try {
      return does();
    } finally {
      this.#recorded = undefined;
    }
  }

  #steps({ type, id }: Pick<LoggedEvent, "type" | "id">): boolean {
    if (ofItself.has(type)) return false;
    if (type === "RuleTurnedOn" || type === "RuleTurnedOff") return this.#ids.has(id);
    if (type === "TimerFired" || type === "TimerSkipped") {
      const freed = parseLapseId(id);
      return freed === undefined ? this.#ids.has(parseTimerId(id)?.rule ?? "") : this.drives(freed);
    }
    return true;
  }
}

function readerOf(customRules: readonly CustomRule[]): Pick<Reader, "get"> {
  const get = (kind: keyof States, id: string) =>
    kind === "customRule" ? customRules.find((rule) => rule.id === id) : undefined;
  return { get: get as Reader["get"] };
}

function guarded(reaction: Reaction, concerns: (event: LoggedEvent) => boolean): Reaction {
  return {
    ...reaction,
    react: (event, world) => (concerns(event as LoggedEvent) ? reaction.react(event, world) : []),
    cutShort: (event, world) =>
      concerns(event as LoggedEvent) ? (reaction.cutShort?.(event, world) ?? []) : [],
  };
}
