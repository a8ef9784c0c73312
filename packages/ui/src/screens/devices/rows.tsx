import type { Signal } from "@preact/signals";
import type { UpgradeInfo } from "@ledge/model";
import type { JSX } from "preact";
import { textOf } from "../../format.ts";
import { firmwareText } from "../../parts/firmware-text.ts";
import { Since } from "../../parts/since.tsx";
import { summaryOf } from "../../parts/summary.ts";
import { hrefOf } from "../../route.ts";
import { home } from "../../store/home.ts";
import type { Device } from "../../store/wire.ts";
import { isKey, t } from "../../texts/texts.ts";

/** A row of the list. */
interface Of {
  readonly id: string;
  /** Of a device with newer firmware. */
  readonly newer?: UpgradeInfo | undefined;
  /** Whether the list is about firmware. */
  readonly isOfFirmware: boolean;
}

/** Returns the name of a room; empty for one that is gone. */
export function roomName(id: string): string {
  return home.of.rooms.of(id).value?.name ?? "";
}

/** Returns what a class of devices is called; empty for one that has no name here. */
export function classText(type: string): string {
  const key = `class.${type}`;
  return isKey(key) ? t(key) : "";
}

/** How a device is, and what somebody who looks after the home wants to see. */
function signsOf(device: Device, hasNewer: boolean): readonly string[] {
  const { battery, batteryLow, rssi } = device.state;
  return [
    summaryOf(device),
    ...(hasNewer ? [t("chip.upgrade")] : []),
    ...(typeof battery === "number" ? [textOf(device, "battery", battery)] : []),
    ...(batteryLow === true ? [t("chip.battery")] : []),
    ...(typeof rssi === "number" ? [textOf(device, "rssi", rssi)] : []),
  ].filter(Boolean);
}

/** What a row says of a device. */
function Facts({ id, newer, isOfFirmware }: Of): JSX.Element | null {
  const device = home.of.devices.of(id).value;
  if (device === undefined) return null;
  const { lastSeen } = device.state;
  const rooms = device.room.map(roomName).join(", ");
  const about =
    isOfFirmware && newer !== undefined
      ? [firmwareText(newer)]
      : [classText(device.type), device.model ?? ""];
  return (
    <>
      <span class="tile-name">{device.name}</span>
      <span class="muted">{[rooms, ...about].filter(Boolean).join(" · ")}</span>
      <span class="muted signs">
        {signsOf(device, newer !== undefined && !isOfFirmware).join(" · ")}{" "}
        {typeof lastSeen === "number" && <Since at={lastSeen} />}
      </span>
    </>
  );
}

export function Row(of: Of): JSX.Element {
  return (
    <a class="list-row" href={hrefOf("device", of.id)}>
      <Facts {...of} />
    </a>
  );
}

/** A row that is chosen for a change of many. */
export function ChosenRow({
  chosen,
  ...of
}: Of & { readonly chosen: Signal<ReadonlySet<string>> }): JSX.Element {
  const { id } = of;
  const flip = (isChosen: boolean): void => {
    const changed = new Set(chosen.peek());
    if (isChosen) changed.add(id);
    else changed.delete(id);
    chosen.value = changed;
  };
  return (
    <label class="choose-row">
      <input
        type="checkbox"
        checked={chosen.value.has(id)}
        onChange={(event) => flip(event.currentTarget.checked)}
      />
      <span class="list-row">
        <Facts {...of} />
      </span>
    </label>
  );
}
