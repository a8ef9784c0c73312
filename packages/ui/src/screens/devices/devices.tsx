import { type Signal, useComputed, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { textOf } from "../../format.ts";
import { Empty, Loading } from "../../parts/faces.tsx";
import { Since } from "../../parts/since.tsx";
import { VirtualList } from "../../parts/virtual-list.tsx";
import { hrefOf, route } from "../../route.ts";
import { home } from "../../store/home.ts";
import { isAtLeast } from "../../store/roles.ts";
import type { Device } from "../../store/wire.ts";
import { t } from "../../texts/texts.ts";
import { BulkBar } from "./bulk-bar.tsx";
import { saveTable } from "./save-table.ts";
import { SavedViews } from "./saved-views.tsx";
import { chips, type Chip, isChip, selected } from "./selection.ts";

const rowHeight = 64;

function roomName(id: string): string {
  return home.of.rooms.of(id).value?.name ?? "";
}

/** What is special about a device: what somebody who looks after the home wants to see. */
function signsOf(device: Device): readonly string[] {
  const { battery, batteryLow, rssi } = device.state;
  return [
    ...(device.state["reachable"] === false ? [t("device.unreachable")] : []),
    ...(typeof battery === "number" ? [textOf(device, "battery", battery)] : []),
    ...(batteryLow === true ? [t("chip.battery")] : []),
    ...(typeof rssi === "number" ? [textOf(device, "rssi", rssi)] : []),
  ];
}

/** What a row says of a device. */
function Facts({ id }: { readonly id: string }): JSX.Element | null {
  const device = home.of.devices.of(id).value;
  if (device === undefined) return null;
  const { lastSeen } = device.state;
  const rooms = device.room.map(roomName).join(", ");
  return (
    <>
      <span class="tile-name">{device.name}</span>
      <span class="muted">{[rooms, device.model ?? ""].filter(Boolean).join(" · ")}</span>
      <span class="muted signs">
        {signsOf(device).join(" · ")} {typeof lastSeen === "number" && <Since at={lastSeen} />}
      </span>
    </>
  );
}

function Row({ id }: { readonly id: string }): JSX.Element {
  return (
    <a class="list-row" href={hrefOf("device", id)}>
      <Facts id={id} />
    </a>
  );
}

/** A row that is chosen for a change of many. */
function ChosenRow(props: {
  readonly id: string;
  readonly chosen: Signal<ReadonlySet<string>>;
}): JSX.Element {
  const { id, chosen } = props;
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
        <Facts id={id} />
      </span>
    </label>
  );
}

/** Writes filter and chip into the address, so that a link and Back restore them. */
function show(filter: string, chip: string): void {
  const query = { filter, chip };
  history.replaceState(null, "", hrefOf("devices", null, query));
  route.value = { screen: "devices", id: null, query };
}

function Chips({ filter, only }: { readonly filter: string; readonly only: Chip | undefined }): JSX.Element {
  return (
    <div class="chips" role="group" aria-label={t("devices.chips")}>
      {chips.map((chip) => (
        <button
          key={chip}
          type="button"
          class="chip"
          aria-pressed={only === chip}
          onClick={() => show(filter, only === chip ? "" : chip)}
        >
          {t(`chip.${chip}`)}
        </button>
      ))}
    </div>
  );
}

/** All devices, found by text and chips. */
export function Devices(): JSX.Element {
  const { filter = "", chip: asked } = route.value.query;
  const only = isChip(asked) ? asked : undefined;
  const isChoosing = useSignal(false);
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  const former = useRef<readonly string[]>([]);
  const ids = useComputed(() => {
    const { filter: text = "", chip } = route.value.query;
    // Without a filter nothing that a device reports matters.
    if (text === "" && !isChip(chip)) return home.of.devices.ids.value;
    const all = home.of.devices.list();
    const found = selected(all, text, isChip(chip) ? chip : undefined, roomName).map(({ id }) => id);
    // The same list again draws nothing: devices report often, and seldom change what is found.
    if (found.join() !== former.current.join()) former.current = found;
    return former.current;
  });
  const total = home.of.devices.ids.value.length;
  return (
    <>
      <h1 tabIndex={-1}>{t("nav.devices")}</h1>
      <div class="row">
        {isAtLeast("USER_ADMIN") && (
          <a class="button" href={hrefOf("pair")}>
            {t("pair.title")}
          </a>
        )}
        {isAtLeast("IDENTIFIED_USER") && (
          <button
            type="button"
            class="chip"
            aria-pressed={isChoosing.value}
            onClick={() => (isChoosing.value = !isChoosing.value)}
          >
            {t("bulk.choose")}
          </button>
        )}
        <button type="button" class="button" onClick={() => saveTable(ids.value)}>
          {t("devices.save")}
        </button>
      </div>
      <label class="field">
        <span>{t("devices.filter")}</span>
        <input
          type="search"
          value={filter}
          onInput={(event) => show(event.currentTarget.value, only ?? "")}
        />
      </label>
      <Chips filter={filter} only={only} />
      <SavedViews filter={filter} chip={only} show={(text, chip) => show(text, chip ?? "")} />
      {isChoosing.value && <BulkBar chosen={chosen} found={ids.value} />}
      {!home.isTold.value && <Loading />}
      {home.isTold.value && <p role="status">{t("devices.count", { n: ids.value.length })}</p>}
      {total === 0 && home.isTold.value && <Empty title={t("home.empty")} />}
      {total > 0 && ids.value.length === 0 && (
        <Empty title={t("devices.none")}>
          <button type="button" class="button" onClick={() => show("", "")}>
            {t("devices.clear")}
          </button>
        </Empty>
      )}
      <VirtualList
        label={t("nav.devices")}
        ids={ids.value}
        height={rowHeight}
        row={(id) => (isChoosing.value ? <ChosenRow id={id} chosen={chosen} /> : <Row id={id} />)}
      />
    </>
  );
}
