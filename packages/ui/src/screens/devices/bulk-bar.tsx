import { type Signal, useSignal } from "@preact/signals";
import type { JSX, TargetedSubmitEvent } from "preact";
import type { Answer } from "../../api/call.ts";
import { arrangeRooms, changeDevices, undoArranged } from "../../api/rows.ts";
import { createZone, removeZone } from "../../api/zones.ts";
import { Button } from "../../parts/button.tsx";
import { LiveButton } from "../../parts/live-button.tsx";
import { pastTime } from "../../store/clock.ts";
import { change } from "../../store/commands.ts";
import { home, sync } from "../../store/home.ts";
import { notify } from "../../store/notices.ts";
import { isAtLeast } from "../../store/roles.ts";
import type { Device } from "../../store/wire.ts";
import { t } from "../../texts/texts.ts";
import { BulkFirmware } from "./bulk-firmware.tsx";
import { BulkSettings } from "./bulk-settings.tsx";
import type { FirmwareOfAll } from "./firmware-of-all.ts";
import { modelOf } from "./bulk-settings.ts";
import { type Bulk, movedTo, renamed, zoned } from "./bulk.ts";

/** The value of a choice that asks for a new room or zone; nothing has it as its id. */
const newOne = " ";

/** Changes many devices in one commit, and says so with one way back. */
async function apply({ commands, back }: Bulk): Promise<void> {
  const n = commands.length;
  if (n === 0) return notify(t("bulk.nothing"));
  await change(changeDevices(...commands), t("bulk.changed", { n }), () => changeDevices(...back));
}

/** Takes what a form holds, as trimmed texts by name. */
function fieldsOf(event: TargetedSubmitEvent<HTMLFormElement>): (name: string) => string {
  event.preventDefault();
  const typed = new FormData(event.currentTarget, event.submitter);
  return (name) => {
    const value = typed.get(name);
    return typeof value === "string" ? value : "";
  };
}

/** A choice among what there is, or a new one with a name. */
function ChoiceOrNew(props: {
  readonly name: string;
  readonly label: string;
  readonly options: readonly { readonly id: string; readonly name: string }[];
  readonly newText: string | undefined;
  readonly newName: string;
}): JSX.Element {
  const { name, label, options, newText, newName } = props;
  const chosen = useSignal(options[0]?.id ?? newOne);
  return (
    <>
      <label class="field">
        <span>{label}</span>
        <select
          name={name}
          value={chosen.value}
          onChange={(event) => (chosen.value = event.currentTarget.value)}
        >
          {options.map(({ id, name: text }) => (
            <option key={id} value={id}>
              {text}
            </option>
          ))}
          {newText !== undefined && <option value={newOne}>{newText}</option>}
        </select>
      </label>
      {chosen.value === newOne && newText !== undefined && (
        <label class="field">
          <span>{newName}</span>
          <input type="text" name={`${name} name`} autoComplete="off" maxLength={64} />
        </label>
      )}
    </>
  );
}

function Rooms({ of }: { readonly of: () => readonly Device[] }): JSX.Element {
  const move = async (event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> => {
    const field = fieldsOf(event);
    const [room, name] = [field("room"), field("room name").trim()];
    if (room !== newOne) return apply(movedTo(room, of()));
    if (name === "") return notify(t("login.missing"), { isError: true });
    const ids = of().map(({ id }) => id);
    await change(arrangeRooms(name, { [name]: ids }), t("bulk.changed", { n: ids.length }), undoArranged);
  };
  const rooms = home.of.rooms.list();
  return (
    <form onSubmit={(event) => void move(event)}>
      <ChoiceOrNew
        name="room"
        label={t("device.room")}
        options={[{ id: "", name: t("home.noRoom") }, ...rooms]}
        newText={isAtLeast("USER_ADMIN") ? t("device.newRoom") : undefined}
        newName={t("device.roomName")}
      />
      <LiveButton>{t("bulk.move")}</LiveButton>
    </form>
  );
}

/** Makes a zone and puts devices into it: both or neither. */
async function intoNewZone(name: string, devices: readonly Device[]): Promise<void> {
  const made = await createZone(name);
  const id = made.ok ? (made.value[0]?.id ?? "") : "";
  const put: Promise<Answer<unknown>> = made.ok
    ? changeDevices(...zoned(id, true, devices).commands)
    : Promise.resolve(made);
  const isDone = await change(put, t("bulk.changed", { n: devices.length }), () => removeZone(id));
  if (made.ok && !isDone) await removeZone(id);
}

function Zones({ of }: { readonly of: () => readonly Device[] }): JSX.Element {
  const put = async (event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> => {
    const field = fieldsOf(event);
    const [zone, name] = [field("zone"), field("zone name").trim()];
    if (zone !== newOne) return apply(zoned(zone, field("to") === "in", of()));
    if (name === "") return notify(t("login.missing"), { isError: true });
    await intoNewZone(name, of());
  };
  const zones = home.of.zones.list();
  const isBlocked = sync.connection.value !== "live";
  return (
    <form onSubmit={(event) => void put(event)}>
      <ChoiceOrNew
        name="zone"
        label={t("bulk.zone")}
        options={zones}
        newText={t("bulk.newZone")}
        newName={t("bulk.zoneName")}
      />
      <div class="row">
        <Button name="to" value="in" isBlocked={isBlocked}>
          {t("bulk.putIn")}
        </Button>
        {zones.length > 0 && (
          <Button name="to" value="out" isBlocked={isBlocked}>
            {t("bulk.takeOut")}
          </Button>
        )}
      </div>
    </form>
  );
}

function Names({ of }: { readonly of: () => readonly Device[] }): JSX.Element {
  const rename = async (event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> => {
    const field = fieldsOf(event);
    await apply(renamed(field("find"), field("replace"), of()));
  };
  return (
    <form onSubmit={(event) => void rename(event)}>
      <label class="field">
        <span>{t("bulk.find")}</span>
        <input type="text" name="find" autoComplete="off" maxLength={64} />
      </label>
      <label class="field">
        <span>{t("bulk.replace")}</span>
        <input type="text" name="replace" autoComplete="off" maxLength={64} />
      </label>
      <LiveButton>{t("bulk.rename")}</LiveButton>
    </form>
  );
}

/** What devices of one model share, and the firmware of those that have newer. */
function Upkeep(props: {
  readonly devices: readonly Device[];
  readonly firmware: FirmwareOfAll;
}): JSX.Element {
  const { devices, firmware } = props;
  const model = modelOf(devices);
  const ids = devices.flatMap(({ id, capabilities }) =>
    capabilities.values.includes("UPGRADE") ? [id] : [],
  );
  return (
    <>
      {model !== undefined && <BulkSettings devices={devices} model={model} />}
      {ids.length > 0 && <BulkFirmware ids={ids} firmware={firmware} />}
    </>
  );
}

/** Changes all chosen devices at once. @param found ids that the filter finds */
export function BulkBar(props: {
  readonly chosen: Signal<ReadonlySet<string>>;
  readonly found: readonly string[];
  readonly firmware: FirmwareOfAll;
}): JSX.Element {
  const { chosen, found, firmware } = props;
  const of = (): readonly Device[] => [...chosen.peek()].flatMap((id) => home.of.devices.of(id).peek() ?? []);
  const n = chosen.value.size;
  return (
    <section class="card" aria-labelledby="bulk-title">
      <div class="row">
        <h2 id="bulk-title">
          <span role="status">{t("bulk.count", { n })}</span>
        </h2>
        <button type="button" class="button" onClick={() => (chosen.value = new Set(found))}>
          {t("bulk.all")}
        </button>
        <button type="button" class="button" onClick={() => (chosen.value = new Set())}>
          {t("bulk.none")}
        </button>
      </div>
      {n > 0 && (
        <div class="tiles">
          <Rooms of={of} />
          <Zones of={of} />
          <Names of={of} />
          {isAtLeast("USER_ADMIN") && pastTime.value === null && (
            <Upkeep devices={of()} firmware={firmware} />
          )}
        </div>
      )}
    </section>
  );
}
