import { saveText } from "../../browser.ts";
import { csvOf } from "../../parts/csv.ts";
import { home } from "../../store/home.ts";
import { t } from "../../texts/texts.ts";
import { classText } from "./rows.tsx";

const columns = [
  "id",
  "device.name",
  "device.room",
  "bulk.zone",
  "devices.class",
  "device.maker",
  "device.model",
  "firmware.title",
  "attribute.reachable",
  "attribute.battery",
  "attribute.rssi",
  "device.seen",
] as const;

/** Saves what is known of devices as a table. @param versions of their firmware, as far as they are known */
export function saveTable(ids: readonly string[], versions: ReadonlyMap<string, string>): void {
  const nameIn = (names: "rooms" | "zones") => (id: string) => home.of[names].of(id).peek()?.name ?? "";
  const rows = ids.flatMap((id) => {
    const device = home.of.devices.of(id).peek();
    if (device === undefined) return [];
    const { name, type, manufacturer, model, room, zones, state } = device;
    const { reachable, battery, rssi, lastSeen } = state;
    return [
      [
        id,
        name,
        room.map(nameIn("rooms")).join("; "),
        zones.map(nameIn("zones")).join("; "),
        classText(type) || type,
        manufacturer ?? "",
        model ?? "",
        versions.get(id) ?? "",
        reachable === false ? t("device.unreachable") : t("value.reachable"),
        typeof battery === "number" ? battery : "",
        typeof rssi === "number" ? rssi : "",
        typeof lastSeen === "number" ? new Date(lastSeen).toISOString() : "",
      ],
    ];
  });
  const head = columns.map((key) => (key === "id" ? key : t(key)));
  saveText("devices.csv", csvOf([head, ...rows]));
}
