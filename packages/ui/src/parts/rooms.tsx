import type { ComponentType, JSX } from "preact";
import { ControlOf } from "../controls/control.tsx";
import { mainControl } from "../controls/registry.ts";
import { hrefOf } from "../route.ts";
import { favourites } from "../store/favourites.ts";
import { home, wanted } from "../store/home.ts";
import { noRoom } from "../store/store.ts";
import { t } from "../texts/texts.ts";
import { isLit, summaryOf } from "./summary.ts";

function Tile({ id }: { readonly id: string }): JSX.Element | null {
  const device = home.of.devices.of(id).value;
  if (device === undefined) return null;
  const told = wanted.of(id).value;
  const control = mainControl(device);
  const isOn = isLit(device, told);
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

/** How devices are drawn. */
interface Drawn {
  /** A list of devices; left out: tiles that lead to their pages. */
  readonly List?: ComponentType<{ readonly ids: readonly string[] }> | undefined;
}

function Tiles({ ids }: { readonly ids: readonly string[] }): JSX.Element {
  return (
    <ul class="tiles">
      {ids.map((device) => (
        <Tile key={device} id={device} />
      ))}
    </ul>
  );
}

function Named(
  props: Drawn & { readonly ids: readonly string[]; readonly name: string },
): JSX.Element | null {
  const { List = Tiles, ids, name } = props;
  if (ids.length === 0) return null;
  return (
    <section aria-label={name}>
      <h2>{name}</h2>
      <List ids={ids} />
    </section>
  );
}

/** The user's favourites that are there. */
export function Favourites({ List }: Drawn): JSX.Element {
  const known = home.of.devices.ids.value;
  const ids = favourites.value?.filter((id) => known.includes(id)) ?? [];
  return <Named List={List} ids={ids} name={t("favourite.all")} />;
}

function Room({ List, id }: Drawn & { readonly id: string }): JSX.Element | null {
  const name = id === noRoom ? t("home.noRoom") : home.of.rooms.of(id).value?.name;
  if (name === undefined) return null;
  return <Named List={List} ids={home.devicesByRoom.idsOf(id).value} name={name} />;
}

/** The rooms with their devices, and the devices in none. */
export function Rooms({ List }: Drawn): JSX.Element {
  return (
    <>
      {[...home.of.rooms.ids.value, noRoom].map((id) => (
        <Room key={id} List={List} id={id} />
      ))}
    </>
  );
}
