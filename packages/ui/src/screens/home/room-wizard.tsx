import { useComputed, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { arrangeRooms, undoArranged } from "../../api/rows.ts";
import { Button } from "../../parts/button.tsx";
import { change } from "../../store/commands.ts";
import { home, sync } from "../../store/home.ts";
import { noRoom } from "../../store/store.ts";
import { t } from "../../texts/texts.ts";
import { type Suggested, suggestedRooms } from "./rooms.ts";

/** Returns the rooms that the names of devices without a room suggest. */
export function roomSuggestions(): readonly Suggested[] {
  const { value: ids } = home.devicesByRoom.idsOf(noRoom);
  return suggestedRooms(ids.map((id) => ({ id, name: home.of.devices.of(id).peek()?.name ?? "" })));
}

/** The names of devices, which are drawn anew only when one has changed. */
function Names({ ids }: { readonly ids: readonly string[] }): JSX.Element {
  const names = useComputed(() => ids.map((id) => home.of.devices.of(id).value?.name ?? "").join(", "));
  return <p class="muted">{names}</p>;
}

/** Rooms of what the names of devices have in common, to choose among; made and taken back with one press. */
export function RoomSuggestions(): JSX.Element {
  const rooms = useComputed(roomSuggestions);
  const left = useSignal<ReadonlySet<string>>(new Set());
  const isBusy = useSignal(false);
  if (rooms.value.length === 0) return <p>{t("rooms.none")}</p>;
  const chosen = rooms.value.filter(({ name }) => !left.value.has(name));
  const flip = (name: string): void => {
    const changed = new Set(left.value);
    if (!changed.delete(name)) changed.add(name);
    left.value = changed;
  };
  const apply = async (): Promise<void> => {
    isBusy.value = true;
    const wanted = Object.fromEntries(chosen.map(({ name, ids }) => [name, ids]));
    await change(arrangeRooms(t("rooms.made"), wanted), t("rooms.made"), undoArranged);
    isBusy.value = false;
  };
  const isBlocked = isBusy.value || chosen.length === 0 || sync.connection.value !== "live";
  return (
    <>
      <p>{t("rooms.how")}</p>
      <ul class="plain">
        {rooms.value.map(({ name, ids }) => (
          <li key={name}>
            <label class="check">
              <input type="checkbox" checked={!left.value.has(name)} onChange={() => flip(name)} />
              <span>{name}</span>
              <span class="muted">{t("rooms.count", { n: ids.length })}</span>
            </label>
            <Names key={ids.join()} ids={ids} />
          </li>
        ))}
      </ul>
      <Button isMain isBlocked={isBlocked} onClick={() => void apply()}>
        {t("rooms.apply")}
      </Button>
    </>
  );
}

/** Offers rooms to a home that has none. */
export function RoomWizard(): JSX.Element {
  return (
    <section class="card" aria-labelledby="rooms-title">
      <h2 id="rooms-title">{t("rooms.title")}</h2>
      <RoomSuggestions />
    </section>
  );
}
