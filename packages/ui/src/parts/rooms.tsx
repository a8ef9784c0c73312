import type { ComponentType, JSX } from "preact";
import { ControlOf } from "../controls/control.tsx";
import { mainControl } from "../controls/registry.ts";
import { hrefOf } from "../route.ts";
import { favourites } from "../store/favourites.ts";
import { home, wanted } from "../store/home.ts";
import { noRoom } from "../store/store.ts";
import { t } from "../texts/texts.ts";
import { hasMoreControls } from "./device-controls.tsx";
import { isLit, summaryOf } from "./summary.ts";
import { openDeviceSheet, TileSheet } from "./tile-sheet.tsx";
import { Tiles } from "./tiles.tsx";

function Tile({ id }: { readonly id: string }): JSX.Element | null {
  const device = home.of.devices.of(id).value;
  if (device === undefined) return null;
  const told = wanted.of(id).value;
  const control = mainControl(device);
  const isOn = isLit(device, told);
  return (
    <li class={isOn ? "tile lit" : "tile"} data-device={id}>
      <a href={hrefOf("device", id)}>
        <span class="tile-name">{device.name}</span>
        <span class="muted">{summaryOf(device, told)}</span>
      </a>
      {hasMoreControls(device) && (
        <button
          type="button"
          class="button quiet"
          aria-haspopup="dialog"
          aria-label={t("home.more", { name: device.name })}
          onClick={({ currentTarget }) => {
            // Not every browser gives a button the focus that is pressed.
            currentTarget.focus();
            openDeviceSheet(id);
          }}
        >
          ⋯
        </button>
      )}
      {control && <ControlOf id={id} control={control} />}
    </li>
  );
}

/** How devices are drawn: a list of them, and whether it is among the first; left out: tiles that lead to their pages. */
interface Drawn {
  readonly List?: ComponentType<{ readonly ids: readonly string[]; readonly isFirst: boolean }> | undefined;
}

function HomeTiles(props: { readonly ids: readonly string[]; readonly isFirst: boolean }): JSX.Element {
  return <Tiles class="tiles" Tile={Tile} {...props} />;
}

function Named(
  props: Drawn & { readonly ids: readonly string[]; readonly name: string; readonly isFirst: boolean },
): JSX.Element | null {
  const { List = HomeTiles, ids, name, isFirst } = props;
  if (ids.length === 0) return null;
  return (
    <section aria-label={name}>
      <h2>{name}</h2>
      <List ids={ids} isFirst={isFirst} />
    </section>
  );
}

/** The user's favourites that are there. */
export function Favourites({ List }: Drawn): JSX.Element {
  const known = home.of.devices.ids.value;
  const ids = favourites.value?.filter((id) => known.includes(id)) ?? [];
  return <Named List={List} ids={ids} name={t("favourite.all")} isFirst />;
}

function Room(props: Drawn & { readonly id: string; readonly isFirst: boolean }): JSX.Element | null {
  const { List, id, isFirst } = props;
  const name = id === noRoom ? t("home.noRoom") : home.of.rooms.of(id).value?.name;
  if (name === undefined) return null;
  return <Named List={List} ids={home.devicesByRoom.idsOf(id).value} name={name} isFirst={isFirst} />;
}

/** Rooms that are drawn at once: they fill the sight. */
const firstRooms = 4;

/** The rooms with their devices, and the devices in none. */
export function Rooms({ List }: Drawn): JSX.Element {
  const { value: rooms } = home.of.rooms.ids;
  return (
    <>
      {[...rooms, noRoom].map((id, at) => (
        <Room key={id} List={List} id={id} isFirst={at < firstRooms} />
      ))}
      {List === undefined && <TileSheet />}
    </>
  );
}
