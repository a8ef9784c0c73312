import type { ConfigurationValues, UpgradeReport } from "@ledge/model";
import type { AdapterHost, DeviceDescription, NativeId } from "@ledge/port";
import type { Unit } from "./map/index.ts";
import { correctionValues, keptSettings, partName, settingItems, settingValues } from "./map/index.ts";
import type { Node, Nodes } from "./nodes.ts";

/** All Zigbee devices share one radio. */
const radio = "zigbee";

/** Describes the units of nodes to the hub. */
export class Descriptions {
  readonly #host: Pick<AdapterHost, "announce" | "log">;
  readonly #nodes: Nodes;
  readonly #upgradeOf: (node: Node, unit: Unit) => UpgradeReport | undefined;

  constructor(
    host: Pick<AdapterHost, "announce" | "log">,
    nodes: Nodes,
    upgradeOf: (node: Node, unit: Unit) => UpgradeReport | undefined,
  ) {
    this.#host = host;
    this.#nodes = nodes;
    this.#upgradeOf = upgradeOf;
  }

  /** Returns a unit's description; null for a unit that the node does not have. */
  of(node: Node, native: NativeId): DeviceDescription | null {
    const unit = node.units.find((each) => each.native === native);
    if (unit === undefined) return null;
    const { class: type, capabilities, manufacturer, model, extras } = unit;
    const name = node.name === undefined ? unit.name : partName(node.name, node.units.indexOf(unit));
    const upgrade = this.#upgradeOf(node, unit);
    return {
      native,
      radio,
      class: type,
      capabilities,
      name,
      manufacturer,
      model,
      ...(extras && { extras }),
      ...stateExtras(unit),
      ...(capabilities.includes("CONFIGURABLE") && {
        configuration: { items: settingItems(unit), values: this.valuesOf(node, unit) },
      }),
      ...(upgrade && { upgrade }),
    };
  }

  /** Returns the known values of a unit's settings: the last ones that it told, also before a restart. */
  valuesOf(node: Node, unit: Unit): ConfigurationValues {
    const settings = keptSettings(unit);
    const former = Object.entries(node.kept.get(unit.native)?.configuration?.values ?? {});
    return { ...Object.fromEntries(former.filter(([name]) => settings.has(name))), ...valuesNow(node, unit) };
  }

  /** Announces every unit that the hub has of a node, with its current or its stored description. */
  announce(node: Node): void {
    for (const [native, former] of node.kept) {
      const description = this.of(node, native) ?? former;
      if (description) this.#host.announce(description);
    }
    this.#note(node);
  }

  /** Announces the units whose descriptions have changed. */
  announceNews(node: Node): void {
    for (const description of this.#note(node)) this.#host.announce(description);
  }

  /**
   * Stores changed descriptions.
   * @returns the changed ones.
   */
  #note(node: Node): readonly DeviceDescription[] {
    const news = [...node.kept].flatMap(([native, former]) => {
      const description = this.of(node, native);
      return description && JSON.stringify(description) !== JSON.stringify(former) ? [description] : [];
    });
    for (const description of news) node.kept.set(description.native, description);
    if (news.length > 0)
      this.#nodes.store(node).catch((error: unknown) => {
        const reason = (error as Error).message;
        this.#host.log("warn", "could not store a device's description", { native: node.ieee, reason });
      });
    return news;
  }
}

function valuesNow({ properties, corrections }: Node, unit: Unit): ConfigurationValues {
  return {
    ...settingValues(unit, properties),
    ...correctionValues(unit, corrections.get(unit.native)?.given ?? {}),
  };
}

/** The extras of a unit's state as a part of its description. */
function stateExtras({ known }: Unit): Pick<DeviceDescription, "stateExtras"> {
  const described = (known?.extras ?? []).map((each) => each.described);
  return described.length === 0 ? {} : { stateExtras: described };
}
