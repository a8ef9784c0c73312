import { type ReadonlySignal, type Signal, useComputed, useSignal } from "@preact/signals";
import type { UpgradeInfo } from "@ledge/model";
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { AnswerFace, Empty, Loading } from "../../parts/faces.tsx";
import { VirtualList } from "../../parts/virtual-list.tsx";
import { hrefOf, route } from "../../route.ts";
import { home } from "../../store/home.ts";
import { isAtLeast } from "../../store/roles.ts";
import { t } from "../../texts/texts.ts";
import { BulkBar } from "./bulk-bar.tsx";
import { InstallMany } from "./bulk-firmware.tsx";
import { type FirmwareOfAll, useFirmwareOfAll, versionsIn } from "./firmware-of-all.ts";
import { ChosenRow, classText, roomName, Row } from "./rows.tsx";
import { saveTable } from "./save-table.ts";
import { SavedViews } from "./saved-views.tsx";
import { chips, type Chip, isChip, selected } from "./selection.ts";

const rowHeight = 64;

/** Writes filter, chip and room into the address, so that a link and Back restore them. */
function show(filter: string, chip: string, room = route.value.query["room"] ?? ""): void {
  const query = { filter, chip, room };
  history.replaceState(null, "", hrefOf("devices", null, query));
  route.value = { screen: "devices", id: null, query };
}

function Chips(props: {
  readonly filter: string;
  readonly only: Chip | undefined;
  /** The id of the room whose devices alone are shown; empty for all. */
  readonly room: string;
  readonly shown: readonly Chip[];
}): JSX.Element {
  const { filter, only, room, shown } = props;
  return (
    <div class="chips" role="group" aria-label={t("devices.chips")}>
      {room !== "" && (
        <button type="button" class="chip" aria-pressed onClick={() => show(filter, only ?? "", "")}>
          {t("devices.onlyRoom", { name: roomName(room) })}
        </button>
      )}
      {shown.map((chip) => (
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

/** The devices that are found. */
function Found(props: {
  readonly ids: readonly string[];
  readonly newer: ReadonlyMap<string, UpgradeInfo>;
  readonly isOfFirmware: boolean;
  /** Undefined: nothing is to be chosen. */
  readonly chosen: Signal<ReadonlySet<string>> | undefined;
}): JSX.Element {
  const { ids, newer, isOfFirmware, chosen } = props;
  const total = home.of.devices.ids.value.length;
  return (
    <>
      {home.isTold.value && <p role="status">{t("devices.count", { n: ids.length })}</p>}
      {total === 0 && home.isTold.value && <Empty title={t("home.empty")} />}
      {total > 0 && ids.length === 0 && (
        <Empty title={t("devices.none")}>
          <button type="button" class="button" onClick={() => show("", "", "")}>
            {t("devices.clear")}
          </button>
        </Empty>
      )}
      <VirtualList
        label={t("nav.devices")}
        ids={ids}
        height={rowHeight}
        row={(id) => {
          const of = { id, newer: newer.get(id), isOfFirmware };
          return chosen === undefined ? <Row {...of} /> : <ChosenRow {...of} chosen={chosen} />;
        }}
      />
    </>
  );
}

/** Returns the ids of the devices that the filter of the address finds. */
function useFound(newer: FirmwareOfAll["newer"]): ReadonlySignal<readonly string[]> {
  const former = useRef<readonly string[]>([]);
  return useComputed(() => {
    const { filter: text = "", chip, room = "" } = route.value.query;
    const inRoom = room === "" ? home.of.devices.ids.value : home.devicesByRoom.idsOf(room).value;
    // Without a filter nothing that a device reports matters.
    if (text === "" && !isChip(chip)) return inRoom;
    const all = inRoom.flatMap((id) => home.of.devices.of(id).value ?? []);
    const said = { roomOf: roomName, classOf: classText, hasNewer: (id: string) => newer.value.has(id) };
    const found = selected(all, text, isChip(chip) ? chip : undefined, said).map(({ id }) => id);
    // The same list again draws nothing: devices report often, and seldom change what is found.
    if (found.join() !== former.current.join()) former.current = found;
    return former.current;
  });
}

/** What is done with devices besides looking at them. */
function Tools(props: { readonly isChoosing: Signal<boolean>; readonly save: () => void }): JSX.Element {
  const { isChoosing, save } = props;
  return (
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
      <button type="button" class="button" onClick={save}>
        {t("devices.save")}
      </button>
    </div>
  );
}

/** All devices, found by text and chips. */
export function Devices(): JSX.Element {
  const { filter = "", chip: asked, room = "" } = route.value.query;
  const only = isChip(asked) ? asked : undefined;
  const isOfFirmware = only === "upgrade";
  const isChoosing = useSignal(false);
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  const firmware = useFirmwareOfAll(isOfFirmware || isChoosing.value);
  const { newer, again } = firmware;
  const answer = firmware.asked.value;
  const ids = useFound(newer);
  const hasNone = answer.state === "done" && answer.value.length === 0;
  const found = (
    <Found
      ids={ids.value}
      newer={newer.value}
      isOfFirmware={isOfFirmware}
      chosen={isChoosing.value ? chosen : undefined}
    />
  );
  return (
    <>
      <h1 tabIndex={-1}>{t("nav.devices")}</h1>
      <Tools isChoosing={isChoosing} save={() => saveTable(ids.value, versionsIn(answer))} />
      <label class="field">
        <span>{t("devices.filter")}</span>
        <input
          type="search"
          value={filter}
          onInput={(event) => show(event.currentTarget.value, only ?? "")}
        />
      </label>
      <Chips
        filter={filter}
        only={only}
        room={room}
        shown={chips.filter((chip) => chip !== "upgrade" || isOfFirmware || !hasNone)}
      />
      {room === "" && (
        <SavedViews filter={filter} chip={only} show={(text, chip) => show(text, chip ?? "")} />
      )}
      {isChoosing.value && <BulkBar chosen={chosen} found={ids.value} firmware={firmware} />}
      {!home.isTold.value && <Loading />}
      {!isOfFirmware && found}
      {isOfFirmware && (
        <AnswerFace
          answer={answer}
          again={again}
          show={(infos) => (
            <>
              {isAtLeast("USER_ADMIN") && !isChoosing.value && (
                <InstallMany infos={infos} ids={ids.value} again={again} />
              )}
              {found}
            </>
          )}
        />
      )}
    </>
  );
}
