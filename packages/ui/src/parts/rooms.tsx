import type { JSX } from "preact";
import { ControlOf } from "../controls/control.tsx";
import { mainControl } from "../controls/registry.ts";
import { hrefOf } from "../route.ts";
import { favourites } from "../store/favourites.ts";
import { home, wanted } from "../store/home.ts";
import { noRoom } from "../store/store.ts";
import { t } from "../texts/texts.ts";
import { summaryOf } from "./summary.ts";

function Tile({ id }: { readonly id: string }): JSX.Element | null {
  const device = home.of.devices.of(id).value;
  if (device === undefined) return null;
  const told = wanted.of(id).value;
  const control = mainControl(device);
  const isOn = { ...device.state, ...told }["isOn"] === true;
  return (
    <li class={isOn ? "tile lit" : "tile"}>
      <a href={hrefOf("device", id)}>
        <span class="tile-name">{device.name}</span>
        <span class="muted">{summaryOf(device, told)}</span>
      </a>
      {control && <ControlOf id={id} control={control} />}
    </li>
  );
}

function Tiles({
  ids,
  name,
}: {
  readonly ids: readonly string[];
  readonly name: string;
}): JSX.Element | null {
  if (ids.length === 0) return null;
  return (
    <section aria-label={name}>
      <h2>{name}</h2>
      <ul class="tiles">
        {ids.map((device) => (
          <Tile key={device} id={device} />
        ))}
      </ul>
    </section>
  );
}

function Room({ id, name }: { readonly id: string; readonly name: string }): JSX.Element | null {
  return <Tiles ids={home.devicesByRoom.idsOf(id).value} name={name} />;
}

/** The tiles of the user's favourites that are there. */
export function Favourites(): JSX.Element | null {
  const known = home.of.devices.ids.value;
  const ids = favourites.value?.filter((id) => known.includes(id)) ?? [];
  return <Tiles ids={ids} name={t("favourite.all")} />;
}

function NamedRoom({ id }: { readonly id: string }): JSX.Element | null {
  const room = home.of.rooms.of(id).value;
  return room === undefined ? null : <Room id={id} name={room.name} />;
}

/** The rooms with the tiles of their devices. */
export function Rooms(): JSX.Element {
  return (
    <>
      {home.of.rooms.ids.value.map((id) => (
        <NamedRoom key={id} id={id} />
      ))}
      <Room id={noRoom} name={t("home.noRoom")} />
    </>
  );
}
