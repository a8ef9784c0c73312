import { useComputed } from "@preact/signals";
import type { JSX } from "preact";
import { changeDevices } from "../../api/rows.ts";
import { spanOf } from "../../format.ts";
import { Select } from "../../parts/select.tsx";
import { change } from "../../store/commands.ts";
import { home, sync } from "../../store/home.ts";
import { presenceId } from "../../store/presence.ts";
import type { Device } from "../../store/wire.ts";
import { t } from "../../texts/texts.ts";
import { awayChoices } from "./away-choices.ts";

/** A UI_DEVICE: a browser that stands for its user. */
type Client = Device & { readonly uuid?: unknown; readonly awayThreshold?: unknown };

/** The device that this browser is for the hub; undefined until the hub has heard of it. */
function ownClient(): Client | undefined {
  if (presenceId.value === null) return undefined;
  const all: readonly Client[] = home.of.devices.list();
  return all.find(({ type, uuid }) => type === "UI_DEVICE" && uuid === presenceId.value);
}

/** After what silence of this browser its user counts as away. */
export function AwayAfter(): JSX.Element | null {
  // Of all that devices report, none of this changes.
  const id = useComputed(() => ownClient()?.id);
  const after = useComputed(() => ownClient()?.awayThreshold);
  const client = id.value;
  const ms = after.value;
  if (client === undefined || typeof ms !== "number") return null;
  const set = (awayThreshold: number): ReturnType<typeof changeDevices> =>
    changeDevices({ type: "CMD_DEVICE_META", id: client, awayThreshold });
  return (
    <label class="field">
      <span>{t("presence.after")}</span>
      <Select
        value={String(ms)}
        isBlocked={sync.connection.value !== "live"}
        choose={(to) =>
          void change(set(Number(to)), t("presence.afterSet", { time: spanOf(Number(to)) }), () => set(ms))
        }
      >
        {awayChoices(ms).map((choice) => (
          <option key={choice} value={choice}>
            {spanOf(choice)}
          </option>
        ))}
      </Select>
    </label>
  );
}
