import type { ConfigurationItem, ConfigurationValues, UpgradeReport } from "@ledge/model";
import type { AdapterHost, AdapterRequest, DeviceDescription, NativeId } from "@ledge/port";
import { AdapterError, plainItem } from "@ledge/port";

/** The course of a device's upgrade. */
type Course = "installs" | "fails" | "refuses";

/** Options of `HomeUpkeep`. */
export interface HomeUpkeepOptions {
  readonly host: AdapterHost;
  /** Calls back after `ms`, unless the home stops before. */
  readonly after: (ms: number, callback: () => void) => void;
  readonly isReachable: (native: NativeId) => boolean;
  /** Called when a device's description has changed. */
  readonly changed: (native: NativeId) => void;
}

const stepMs = 300;
const stepPct = 20;
/** A failing installation fails at this percentage. */
const brokenPct = 60;
/** The length of a device's display. */
const displayChars = 16;

/** Settings and firmware of the home's devices. Devices keep their settings over a restart. */
export class HomeUpkeep {
  readonly #options: HomeUpkeepOptions;
  readonly #installing = new Map<NativeId, UpgradeReport>();

  constructor(options: HomeUpkeepOptions) {
    this.#options = options;
  }

  /** Adds a device's settings and firmware to its description, if it has any. */
  described(device: DeviceDescription): DeviceDescription {
    const { native } = device;
    const items = settings[flatless(native)];
    const upgrade = this.#upgradeOf(native);
    return {
      ...device,
      ...(items && { configuration: { items, values: this.#valuesOf(native, items) } }),
      ...(upgrade && { upgrade }),
    };
  }

  /** @throws AdapterError `unreachable`, or `refused` when the device does not accept a value. */
  async configure({ native, parameters }: AdapterRequest): Promise<true> {
    const device = String(native);
    const items = settings[flatless(device)];
    if (items === undefined) throw new AdapterError("unsupported", `${device} has no settings`);
    this.#assertReachable(device);
    const wanted = parameters as ConfigurationValues;
    if (String(wanted["title"] ?? "").length > displayChars)
      throw new AdapterError("refused", `title: the display shows ${displayChars} characters`);
    await this.#options.host.store.put(settingsKey(device), { ...this.#valuesOf(device, items), ...wanted });
    this.#options.changed(device);
    return true;
  }

  /** @throws AdapterError `unreachable`, `busy`, or `refused` when the device does not start. */
  upgrade({ native }: AdapterRequest): true {
    const device = String(native);
    const report = this.#upgradeOf(device);
    if (report === undefined) throw new AdapterError("unsupported", `${device} has no upgrade`);
    this.#assertReachable(device);
    if (report.status === "INSTALLING") throw new AdapterError("busy", "an upgrade is under way");
    const course = firmware[flatless(device)]?.course;
    if (course === "refuses") throw new AdapterError("refused", "the battery is too low");
    this.#install(device, { ...report, message: null }, 0);
    return true;
  }

  #install(native: NativeId, report: UpgradeReport, pctComplete: number): void {
    const { host, after, isReachable, changed } = this.#options;
    const isBroken = firmware[flatless(native)]?.course === "fails" && pctComplete >= brokenPct;
    if (isBroken || !isReachable(native)) {
      this.#installing.delete(native);
      const message = isBroken ? "the image is damaged" : "the device went away";
      void this.#keep(native, { ...report, ...over, status: "FAILED", message });
    } else if (pctComplete >= 100) {
      this.#installing.delete(native);
      const { fwVersion, newFwVersion } = report;
      const done = {
        fwVersion: newFwVersion ?? fwVersion,
        newFwVersion: null,
        lastUpgrade: host.clock.now(),
      };
      void this.#keep(native, { ...report, ...over, ...done, status: "UP_TO_DATE" });
    } else {
      const etaMs = ((100 - pctComplete) / stepPct) * stepMs;
      this.#installing.set(native, { ...report, status: "INSTALLING", pctComplete, etaMs });
      changed(native);
      after(stepMs, () => this.#install(native, report, pctComplete + stepPct));
    }
  }

  async #keep(native: NativeId, report: UpgradeReport): Promise<void> {
    await this.#options.host.store.put(upgradeKey(native), report).catch(() => undefined);
    this.#options.changed(native);
  }

  #upgradeOf(native: NativeId): UpgradeReport | undefined {
    const known = firmware[flatless(native)];
    if (known === undefined) return undefined;
    const kept = this.#options.host.store.get(upgradeKey(native)) as UpgradeReport | undefined;
    return this.#installing.get(native) ?? kept ?? known.report;
  }

  #valuesOf(native: NativeId, items: readonly ConfigurationItem[]): ConfigurationValues {
    const kept = this.#options.host.store.get(settingsKey(native)) as ConfigurationValues | undefined;
    const own = items.flatMap(({ name, defaultValue }) => {
      const value = name === "serial" ? native : defaultValue;
      return value === null ? [] : [[name, value] as const];
    });
    return { ...Object.fromEntries(own), ...kept };
  }

  #assertReachable(native: NativeId): void {
    if (!this.#options.isReachable(native))
      throw new AdapterError("unreachable", `${native} is out of reach`);
  }
}

const over = { pctComplete: null, etaMs: null } as const;
const settingsKey = (native: NativeId): string => `settings/${native}`;
const upgradeKey = (native: NativeId): string => `upgrade/${native}`;

/** The matching device of the first flat, for a device of a repeated flat. */
function flatless(native: NativeId): string {
  return native.split("/").slice(0, 2).join("/");
}

const offset: ConfigurationItem = {
  ...plainItem,
  name: "offset",
  fieldType: "NUMBER",
  label: {
    en: "Temperature offset (°C)",
    fi: "Lämpötilan korjaus (°C)",
    sv: "Temperaturkorrigering (°C)",
    de: "Temperaturkorrektur (°C)",
  },
  help: {
    en: "Added to what the sensor measures.",
    fi: "Lisätään anturin mittaamaan arvoon.",
    sv: "Läggs till det som givaren mäter.",
    de: "Wird zum Messwert addiert.",
  },
  defaultValue: 0,
  minValue: -5,
  maxValue: 5,
};

const settings: Readonly<Record<string, readonly ConfigurationItem[]>> = {
  "living/thermostat": [
    offset,
    {
      ...plainItem,
      name: "lock",
      fieldType: "BOOL",
      label: { en: "Child lock", fi: "Lapsilukko", sv: "Barnlås", de: "Kindersicherung" },
      defaultValue: false,
    },
    {
      ...plainItem,
      name: "curve",
      fieldType: "OPTION",
      label: { en: "Heating curve", fi: "Lämmityskäyrä", sv: "Värmekurva", de: "Heizkurve" },
      defaultValue: 1,
      options: [
        { value: 0, label: { en: "Soft", fi: "Loiva", sv: "Flack", de: "Flach" } },
        { value: 1, label: { en: "Normal", fi: "Normaali", sv: "Normal", de: "Normal" } },
        { value: 2, label: { en: "Steep", fi: "Jyrkkä", sv: "Brant", de: "Steil" } },
      ],
    },
    {
      ...plainItem,
      name: "title",
      fieldType: "TEXT",
      label: { en: "Text on the display", fi: "Näytön teksti", sv: "Text på displayen", de: "Anzeigetext" },
      defaultValue: "",
    },
    {
      ...plainItem,
      name: "serial",
      fieldType: "TEXT",
      label: { en: "Serial number", fi: "Sarjanumero", sv: "Serienummer", de: "Seriennummer" },
      readOnly: true,
    },
    {
      ...plainItem,
      name: "code",
      fieldType: "TEXT",
      label: {
        en: "Code that unlocks its keys",
        fi: "Näppäinlukon koodi",
        sv: "Kod för knapplåset",
        de: "Code der Tastensperre",
      },
      secret: true,
    },
  ],
  "bathroom/climate": [offset],
};

const available: UpgradeReport = {
  status: "AVAILABLE",
  fwVersion: "1.0.4",
  swVersion: null,
  newFwVersion: "1.1.0",
  newSwVersion: null,
  lastUpgrade: 0,
  autoInstall: false,
  pctComplete: null,
  etaMs: null,
  message: null,
};

const firmware: Readonly<Record<string, { readonly report: UpgradeReport; readonly course: Course }>> = {
  "kitchen/counter": { report: available, course: "installs" },
  "living/floor": { report: available, course: "fails" },
  "kitchen/motion": { report: available, course: "refuses" },
};
