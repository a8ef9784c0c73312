import { BinarySensorType, getCCValues, ThermostatSetpointType, WindowCoveringParameter } from "@zwave-js/cc";
import {
  allCCs,
  CommandClasses,
  getAllMeters,
  getAllMeterScales,
  getAllNotifications,
  getAllSensors,
} from "@zwave-js/core";
import { attribute, attributes, type Capability, capabilities } from "@ledge/model";
import { markdownTable } from "@ledge/testkit/page";
import { settingClasses } from "./configuration/node-settings.ts";
import { commandClass } from "./map/command-class.ts";
import { ordersFor } from "./map/orders.ts";
import type { DeviceKind } from "./map/row.ts";
import { rowOf } from "./map/table.ts";
import { attributesOf } from "./map/units.ts";
import type { NodeValue } from "./map/value.ts";

/** A value that a device may have, by a name for people. */
export interface Sample {
  readonly class: number;
  readonly name: string;
  readonly values: readonly NodeValue[];
}

/** What becomes of a value of the library. */
export interface Becoming {
  readonly class: number;
  readonly name: string;
  readonly capabilities: readonly string[];
  readonly attributes: readonly string[];
  readonly isCommanded: boolean;
  readonly isSetting: boolean;
}

const numbers = [0, 1, 2, 3, 5, 6, 7, 8, 10, 11, 22, 23, 50, 99, 101, 255, 0.5];
const tries: readonly unknown[] = [
  true,
  false,
  ...numbers,
  { red: 9, green: 9, blue: 9 },
  { warmWhite: 9, coldWhite: 9 },
];
const kinds: readonly DeviceKind[] = ["lamp", "socket", "cover", "other"];

/** Returns what becomes of every value that the library can have of a device. */
export function allBecomings(): readonly Becoming[] {
  const commanded = commandedValues();
  return samples().map((sample) => becoming(sample, commanded));
}

function becoming({ class: of, name, values }: Sample, commanded: ReadonlySet<string>): Becoming {
  const shown = values.flatMap((value) =>
    kinds.flatMap((kind) => tries.map((each) => attributesOf({ ...value, value: each }, { kind }))),
  );
  const had = values.flatMap((value) =>
    tries.flatMap((each) =>
      kinds.flatMap((kind) => rowOf(value)?.capabilities({ ...value, value: each }, kind) ?? []),
    ),
  );
  return {
    class: of,
    name,
    capabilities: [...new Set<Capability>(had)],
    attributes: [...new Set(shown.flatMap((each) => Object.keys(each)))],
    isCommanded: values.some(({ property, propertyKey = "" }) =>
      commanded.has(`${of} ${property} ${propertyKey}`),
    ),
    isSetting:
      of === commandClass.configuration ||
      (settingClasses.has(of) && values.some(({ property }) => property === "wakeUpInterval")),
  };
}

/** The values that commands set: `class property key`. */
function commandedValues(): ReadonlySet<string> {
  const wishes = Object.keys(attributes).flatMap((name) =>
    [true, false, 0, 0.5, 1, 2, 3].map((value) => ({ [name]: value })),
  );
  const all = [...capabilities];
  const contexts = kinds.flatMap((kind) =>
    [[], [13, 23]].flatMap((coverings) =>
      Object.values(commandClass).map((only) => ({
        unit: { kind, capabilities: all },
        has: (id: number) => id === only,
        setpoints: [1, 2],
        coverings,
        before: {},
      })),
    ),
  );
  const sirens = contexts.map((each) => ({ ...each, unit: { ...each.unit, capabilities: [] } }));
  const orders = [...contexts, ...sirens].flatMap((context) =>
    wishes.flatMap((wish) => ordersFor(wish, context)),
  );
  return new Set(
    orders.map(({ commandClass: of, property, propertyKey = "" }) => `${of} ${property} ${propertyKey}`),
  );
}

/** Every value that is defined by the library, or that a registry of the specification makes possible. */
function samples(): readonly Sample[] {
  return allCCs.flatMap((of) => {
    const registry = registries.get(of);
    const own = Object.entries(getCCValues(of) ?? {}).flatMap(([name, defined]) =>
      sampleOf(of, name, defined as unknown as Defined),
    );
    const isCounted = (name: string): boolean => registry?.dynamic.includes(name) !== true;
    const registered = (registry?.named() ?? []).map(([name, values]): Sample => {
      const at = { commandClass: of, endpoint: 0, value: undefined };
      return { class: of, name, values: values.map((value) => ({ ...at, ...value })) };
    });
    return [...own.filter(({ name }) => isCounted(name)), ...registered];
  });
}

interface Defined {
  readonly id?: { readonly property: string | number; readonly propertyKey?: string | number };
  readonly options?: { readonly internal?: boolean };
}

function sampleOf(of: number, name: string, { id, options }: Defined): readonly Sample[] {
  if (options?.internal === true) return [];
  const at = { commandClass: of, endpoint: 0, value: undefined };
  if (id === undefined) return [{ class: of, name, values: [] }];
  const { property, propertyKey } = id;
  return [
    { class: of, name, values: [{ ...at, property, ...(propertyKey !== undefined && { propertyKey }) }] },
  ];
}

type Placed = Omit<NodeValue, "commandClass" | "endpoint" | "value">;
type Named = readonly [name: string, values: readonly Placed[]];

interface Registry {
  /** The names of the library's values that stand for those of a registry. */
  readonly dynamic: readonly string[];
  readonly named: () => readonly Named[];
}

/** Registries of the specification by command class. */
const registries: ReadonlyMap<number, Registry> = new Map<number, Registry>([
  [commandClass.multilevelSensor, { dynamic: ["value"], named: sensorTypes }],
  [
    commandClass.binarySensor,
    {
      dynamic: ["state"],
      named: () => namesOf(BinarySensorType).map((name): Named => [name, [{ property: name }]]),
    },
  ],
  [commandClass.notification, { dynamic: ["notificationVariable"], named: notifications }],
  [commandClass.meter, { dynamic: ["value"], named: meterScales }],
  [commandClass.setpoint, { dynamic: ["setpoint"], named: setpointTypes }],
  [
    commandClass.windowCovering,
    {
      dynamic: ["currentValue", "targetValue", "levelChangeUp", "levelChangeDown", "duration"],
      named: () =>
        namesOf(WindowCoveringParameter).map((name): Named => {
          const propertyKey = WindowCoveringParameter[name as "Outbound Left"];
          return [name, [{ property: "currentValue", propertyKey }]];
        }),
    },
  ],
  [
    commandClass.multilevelSwitch,
    {
      dynamic: ["levelChangeUp", "levelChangeDown"],
      named: () => ["Up", "Down"].map((name): Named => [name, [{ property: name }]]),
    },
  ],
  [
    commandClass.centralScene,
    { dynamic: ["scene"], named: () => [["scene", [{ property: "scene", propertyKey: "001" }]]] },
  ],
  [commandClass.energyProduction, { dynamic: ["value"], named: productions }],
]);

function sensorTypes(): readonly Named[] {
  return getAllSensors().map(({ label, scales }) => [
    label,
    Object.values(scales).map((scale) => ({ property: label, ...unitOf(scale.unit) })),
  ]);
}

function notifications(): readonly Named[] {
  return getAllNotifications().flatMap(({ name: property, variables, events }) => [
    ...[...variables].map(({ name: propertyKey }): Named => [
      `${property}: ${propertyKey}`,
      [{ property, propertyKey }],
    ]),
    ...[...events.values()].map(({ label }): Named => [`${property}: event ${label}`, []]),
  ]);
}

function meterScales(): readonly Named[] {
  return getAllMeters().flatMap(({ key: meterType, name }) =>
    (getAllMeterScales(meterType) ?? []).map(({ label: unit, key: propertyKey }): Named => [
      `${name}, ${unit}`,
      [{ property: "value", propertyKey, unit, meterType }],
    ]),
  );
}

function setpointTypes(): readonly Named[] {
  return namesOf(ThermostatSetpointType)
    .filter((name) => name !== "N/A")
    .map((name): Named => {
      const propertyKey = ThermostatSetpointType[name as "Heating"];
      return [name, [{ property: "setpoint", propertyKey, unit: "°C" }]];
    });
}

function productions(): readonly Named[] {
  const names = ["Power", "Production Total", "Production Today", "Total Time"];
  const units = ["W", "Wh", "Wh", "seconds"];
  return names.map((name, propertyKey): Named => [
    name,
    [{ property: "value", propertyKey, ...unitOf(units[propertyKey]) }],
  ]);
}

function unitOf(unit: string | undefined): { readonly unit?: string } {
  return unit === undefined ? {} : { unit };
}

function namesOf(names: object): readonly string[] {
  return Object.keys(names).filter((name) => Number.isNaN(Number(name)));
}

/** Returns the lines of docs/zwave-devices.md that say what becomes of every value. */
export function valuesTable(becomings: readonly Becoming[] = allBecomings()): string {
  const byClass = Map.groupBy(becomings, (each) => each.class);
  const rows = [...byClass].map(([of, all]) => {
    const used = all.filter(isUsed);
    const dropped = all.filter((each) => !isUsed(each)).map(({ name }) => name);
    return [
      CommandClasses[of] ?? String(of),
      `${used.length} of ${all.length}`,
      [...new Set(all.flatMap((each) => each.capabilities))].join(", "),
      [
        ...new Set(all.flatMap((each) => each.attributes)),
        ...(all.some(({ isSetting }) => isSetting) ? ["settings"] : []),
      ].join(", "),
      dropped.join("; "),
    ];
  });
  const used = becomings.filter(isUsed).length;
  return [
    `${used} of ${becomings.length} values of ${byClass.size} command classes are used.`,
    "",
    markdownTable(["command class", "used", "capabilities", "attributes", "dropped"], rows),
  ].join("\n");
}

/** Whether the hub shows, sets or keeps a value. */
export function isUsed({ attributes: shown, isCommanded, isSetting }: Becoming): boolean {
  return shown.some((name) => attribute(name) !== undefined) || isCommanded || isSetting;
}
