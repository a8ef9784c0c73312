import { useComputed, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { arrangeRooms, type Arrangement, type Difference, tryRooms, undoArranged } from "../../api/rows.ts";
import { useAnswer } from "../../parts/answer.ts";
import { LiveButton } from "../../parts/live-button.tsx";
import { Problem } from "../../parts/problem.tsx";
import { pastTime } from "../../store/clock.ts";
import { change, reasonOf } from "../../store/commands.ts";
import { home } from "../../store/home.ts";
import { noRoom } from "../../store/store.ts";
import { t } from "../../texts/texts.ts";
import { effectOf, type Suggested, suggestedRooms } from "./rooms.ts";

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

/** What the hub would make of rooms, in words. */
function Effects({ differences }: { readonly differences: readonly Difference[] }): JSX.Element {
  const { rooms, devices, others } = effectOf(differences);
  const values = { rooms: t("rooms.new", { n: rooms }), devices: t("rooms.count", { n: devices }) };
  return (
    <>
      {t("rooms.tried", values)}
      {others.length > 0 && ` ${t("rooms.besides", { names: others.join(", ") })}`}
    </>
  );
}

interface Chosen {
  readonly wanted: Arrangement;
}

/** Makes the rooms. */
function Make({ wanted, isRefused }: Chosen & { readonly isRefused: boolean }): JSX.Element {
  const isBusy = useSignal(false);
  const make = async (): Promise<void> => {
    isBusy.value = true;
    await change(arrangeRooms(t("rooms.made"), wanted), t("rooms.made"), undoArranged);
    isBusy.value = false;
  };
  const isBlocked = isBusy.value || isRefused || Object.keys(wanted).length === 0;
  return (
    <LiveButton isMain isBlocked={isBlocked} onClick={() => void make()}>
      {t("rooms.apply")}
    </LiveButton>
  );
}

/** Says what the hub would make of the rooms, or why it refuses them. */
function Tried({ wanted }: Chosen): JSX.Element {
  const { asked, again } = useAnswer(
    (signal) => tryRooms(t("rooms.made"), wanted, signal),
    JSON.stringify(wanted),
  );
  const { value: answer } = asked;
  return (
    <>
      <p class="muted" role="status">
        {answer.state === "loading" && t("rooms.tries")}
        {answer.state === "done" && <Effects differences={answer.value.differences} />}
      </p>
      <Problem>{answer.state === "failed" && reasonOf(answer.failure)}</Problem>
      <div class="row">
        <Make wanted={wanted} isRefused={answer.state === "failed"} />
        {answer.state === "failed" && <LiveButton onClick={again}>{t("state.retry")}</LiveButton>}
      </div>
    </>
  );
}

/** Makes the chosen rooms, and lets somebody hear first what that changes. */
function Making({ rooms }: { readonly rooms: readonly Suggested[] }): JSX.Element {
  const isTried = useSignal(false);
  const wanted = Object.fromEntries(rooms.map(({ name, ids }) => [name, ids]));
  if (isTried.value) return <Tried wanted={wanted} />;
  return (
    <div class="row">
      <Make wanted={wanted} isRefused={false} />
      <LiveButton onClick={() => (isTried.value = true)}>{t("rooms.try")}</LiveButton>
    </div>
  );
}

/** Rooms of what the names of devices have in common, to choose among; made and taken back with one press. */
export function RoomSuggestions(): JSX.Element {
  const rooms = useComputed(roomSuggestions);
  const left = useSignal<ReadonlySet<string>>(new Set());
  if (rooms.value.length === 0) return <p>{t("rooms.none")}</p>;
  const flip = (name: string): void => {
    const changed = new Set(left.value);
    if (!changed.delete(name)) changed.add(name);
    left.value = changed;
  };
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
      <Making rooms={rooms.value.filter(({ name }) => !left.value.has(name))} />
    </>
  );
}

/** Offers rooms to a home that has none; nothing to who looks at the past. */
export function RoomWizard(): JSX.Element | null {
  if (pastTime.value !== null) return null;
  return (
    <section class="card" aria-labelledby="rooms-title">
      <h2 id="rooms-title">{t("rooms.title")}</h2>
      <RoomSuggestions />
    </section>
  );
}
