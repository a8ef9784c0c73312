import { useSignal } from "@preact/signals";
import type { JSX, TargetedSubmitEvent } from "preact";
import { arrangeRooms, changeDevices, undo, undoArranged } from "../api/rows.ts";
import { LiveButton } from "./live-button.tsx";
import { change } from "../store/commands.ts";
import { sync } from "../store/home.ts";
import { isAtLeast } from "../store/roles.ts";
import type { Device } from "../store/wire.ts";
import { t } from "../texts/texts.ts";
import { NameField } from "./name-field.tsx";
import { RoomOptions } from "./room-options.tsx";
import { Select } from "./select.tsx";

/** The value of the choice that asks for a new room; no room has it as its id. */
const newRoom = " ";

/** Makes a room, and puts a device into it. */
function NewRoom({ id, done }: { readonly id: string; readonly done: () => void }): JSX.Element {
  const make = async (event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const typed = new FormData(event.currentTarget).get("room");
    const name = typeof typed === "string" ? typed.trim() : "";
    if (name === "") return;
    const isMade = await change(arrangeRooms(name, { [name]: [id] }), t("device.moved"), undoArranged);
    if (isMade) done();
  };
  return (
    <form onSubmit={(event) => void make(event)}>
      <label class="field">
        <span>{t("device.roomName")}</span>
        <input type="text" name="room" autoComplete="off" maxLength={64} />
      </label>
      <LiveButton>{t("device.makeRoom")}</LiveButton>
    </form>
  );
}

/** Name and room of a device, which are saved as soon as a field is left. */
export function DeviceEdit({ device }: { readonly device: Device }): JSX.Element {
  const isMaking = useSignal(false);
  const { id, name, room } = device;
  const back = (): ReturnType<typeof undo> => undo("device", id);
  const isBlocked = sync.connection.value !== "live";
  const rename = (to: string): Promise<boolean> =>
    change(changeDevices({ type: "CMD_DEVICE_META", id, name: to }), t("device.renamed"), back);
  const move = (to: string): void => {
    isMaking.value = to === newRoom;
    if (to === newRoom) return;
    const rooms = to === "" ? [] : [to];
    void change(changeDevices({ type: "CMD_DEVICE_META", id, room: rooms }), t("device.moved"), back);
  };
  return (
    <>
      <NameField label={t("device.name")} name={name} isBlocked={isBlocked} save={rename} />
      <label class="field">
        <span>{t("device.room")}</span>
        <Select value={isMaking.value ? newRoom : (room[0] ?? "")} isBlocked={isBlocked} choose={move}>
          <option value="">{t("home.noRoom")}</option>
          <RoomOptions />
          {isAtLeast("USER_ADMIN") && <option value={newRoom}>{t("device.newRoom")}</option>}
        </Select>
      </label>
      {isMaking.value && <NewRoom id={id} done={() => (isMaking.value = false)} />}
    </>
  );
}
