import { useComputed } from "@preact/signals";
import type { ComponentChildren, ComponentType, JSX } from "preact";
import { ControlOf } from "../controls/control.tsx";
import { mainControl } from "../controls/registry.ts";
import { hrefOf } from "../route.ts";
import { favourites } from "../store/favourites.ts";
import { home, wanted } from "../store/home.ts";
import { noRoom } from "../store/store.ts";
import { t } from "../texts/texts.ts";
import { hasMoreControls } from "./device-controls.tsx";
import { MoreControls } from "./more-controls.tsx";
import { RoomHead } from "./room-head.tsx";
import { isLit, summaryOf } from "./summary.ts";
import { TileSheet } from "./tile-sheet.tsx";
import { Tiles } from "./tiles.tsx";
import { roomsByZone, type RoomsOfZone } from "./zones.ts";

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
      {hasMoreControls(device) && <MoreControls kind="device" id={id} name={device.name} />}
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

/** How deep a heading is: under the name of a zone, rooms are a level deeper. */
type Heading = "h2" | "h3";

function Named(
  props: Drawn & {
    readonly ids: readonly string[];
    readonly name: string;
    readonly isFirst: boolean;
    readonly children: ComponentChildren;
  },
): JSX.Element | null {
  const { List = HomeTiles, ids, name, isFirst, children } = props;
  if (ids.length === 0) return null;
  return (
    <section aria-label={name}>
      {children}
      <List ids={ids} isFirst={isFirst} />
    </section>
  );
}

/** The user's favourites that are there. */
export function Favourites({ List }: Drawn): JSX.Element {
  const known = home.of.devices.ids.value;
  const ids = favourites.value?.filter((id) => known.includes(id)) ?? [];
  const name = t("favourite.all");
  return (
    <Named List={List} ids={ids} name={name} isFirst>
      <h2>{name}</h2>
    </Named>
  );
}

interface OfRoom extends Drawn {
  readonly id: string;
  readonly Heading: Heading;
  readonly isFirst: boolean;
}

function Room({ List, id, Heading, isFirst }: OfRoom): JSX.Element | null {
  const name = id === noRoom ? t("home.noRoom") : home.of.rooms.of(id).value?.name;
  if (name === undefined) return null;
  return (
    <Named List={List} ids={home.devicesByRoom.idsOf(id).value} name={name} isFirst={isFirst}>
      {id === noRoom ? (
        <Heading>{name}</Heading>
      ) : (
        <RoomHead room={id} name={name} Heading={Heading} isLink={List === undefined} />
      )}
    </Named>
  );
}

/** Rooms that are drawn at once: they fill the sight. */
const firstRooms = 4;

/** The rooms with their devices, by zone where there are zones, and the devices in none. */
export function Rooms({ List }: Drawn): JSX.Element {
  const parts = useComputed(() => {
    const rooms = home.of.rooms.ids.value.filter((id) => home.devicesByRoom.idsOf(id).value.length > 0);
    return roomsByZone(rooms, home.of.zones.ids.value, {
      inRoom: (id) => home.devicesByRoom.idsOf(id).value,
      inZone: (id) => home.devicesByZone.idsOf(id).value,
    });
  });
  const { value: found } = parts;
  const first = new Set(found.flatMap(({ rooms }) => rooms).slice(0, firstRooms));
  const hasZones = found.some(({ zone }) => zone !== null);
  const roomsOf = ({ rooms }: RoomsOfZone): readonly JSX.Element[] =>
    rooms.map((id) => (
      <Room key={id} List={List} id={id} Heading={hasZones ? "h3" : "h2"} isFirst={first.has(id)} />
    ));
  return (
    <>
      {found.map((of) =>
        hasZones ? (
          <section key={of.zone} aria-label={nameOfZone(of.zone)}>
            <h2>{nameOfZone(of.zone)}</h2>
            {roomsOf(of)}
          </section>
        ) : (
          roomsOf(of)
        ),
      )}
      <Room List={List} id={noRoom} Heading="h2" isFirst={first.size < firstRooms} />
      {List === undefined && <TileSheet />}
    </>
  );
}

/** Returns the name of a zone; of null what the rooms in none are called. */
function nameOfZone(id: string | null): string {
  return id === null ? t("home.otherRooms") : (home.of.zones.of(id).value?.name ?? "");
}
