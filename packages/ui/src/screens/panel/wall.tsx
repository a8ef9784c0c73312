import type { ComponentChildren, JSX } from "preact";
import { ControlOf } from "../../controls/control.tsx";
import { dateOf, momentOf, shortClockOf } from "../../format.ts";
import { airText } from "../../parts/climate.ts";
import { Empty, Loading } from "../../parts/faces.tsx";
import { Icon } from "../../parts/icon.tsx";
import { alarmText, openAlarms } from "../../parts/open-alarms.ts";
import { Favourites, Rooms } from "../../parts/rooms.tsx";
import { SceneButtons } from "../../parts/scene-buttons.tsx";
import { isLit, summaryOf } from "../../parts/summary.ts";
import { Tiles } from "../../parts/tiles.tsx";
import { now } from "../../store/clock.ts";
import { home, hub, sync, wanted } from "../../store/home.ts";
import { wholeHome } from "../../store/panel.ts";
import type { Alarm } from "../../store/wire.ts";
import { t } from "../../texts/texts.ts";
import { Leave } from "./leave.tsx";
import { Night } from "./night.tsx";
import { wallControls } from "./shown.ts";

/** A device with what people reach for. */
function WallTile({ id }: { readonly id: string }): JSX.Element | null {
  const device = home.of.devices.of(id).value;
  if (device === undefined) return null;
  const told = wanted.of(id).value;
  const isOn = isLit(device, told);
  const controls = wallControls(device);
  // Sensors come last; as nothing in them takes the focus, the order of the keys stays that of the eye.
  const kind = controls.length === 0 ? "wall-tile sensor" : "wall-tile";
  return (
    <li class={isOn ? `${kind} lit` : kind}>
      <div>
        <p class="tile-name">{device.name}</p>
        <p class="muted">{summaryOf(device, told)}</p>
      </div>
      {controls.map((control) => (
        <ControlOf key={`${control.attribute} ${control.part ?? ""}`} id={id} control={control} />
      ))}
    </li>
  );
}

function WallTiles(props: { readonly ids: readonly string[]; readonly isFirst?: boolean }): JSX.Element {
  return <Tiles class="wall-tiles" Tile={WallTile} ids={props.ids} isFirst={props.isFirst ?? true} />;
}

/** The whole home: favourites, then room by room. */
function Everything(): JSX.Element {
  return (
    <>
      <Favourites List={WallTiles} />
      <Rooms List={WallTiles} />
    </>
  );
}

/** The devices that a panel shows, or why there are none. */
function Devices({ of, ids }: { readonly of: string; readonly ids: readonly string[] }): JSX.Element {
  if (!home.isTold.value) return <Loading />;
  if (of !== wholeHome && home.of.rooms.of(of).value === undefined)
    return (
      <div class="face" role="alert">
        <p class="face-title">{t("panel.gone")}</p>
        <p>{t("panel.goneHow")}</p>
      </div>
    );
  if (ids.length === 0)
    return (
      <Empty title={t("panel.empty")}>
        <p>{t("panel.emptyHow")}</p>
      </Empty>
    );
  return of === wholeHome ? <Everything /> : <WallTiles ids={ids} />;
}

function Air({ ids }: { readonly ids: readonly string[] }): JSX.Element | null {
  const text = airText(ids.flatMap((id) => home.of.devices.of(id).value ?? []));
  return text === "" ? null : <p class="wall-air">{text}</p>;
}

/** The open alarms, read aloud as they come. */
function AlarmLines({ alarms }: { readonly alarms: readonly Alarm[] }): JSX.Element {
  return (
    <div role="alert">
      {alarms.map(({ id, sourceId, title, message, level }) => (
        <p key={id} class={`card level-${level} wall-alarm`}>
          <Icon name="alarm" />
          <strong>{alarmText(title)}</strong> {home.of.devices.of(sourceId).value?.name} {alarmText(message)}
        </p>
      ))}
    </div>
  );
}

/** Ticks by itself, so that nothing else is drawn anew. */
function Clock(): JSX.Element {
  const at = now.value;
  return (
    <p class="wall-clock">
      <time dateTime={new Date(at).toISOString()}>{shortClockOf(at)}</time>{" "}
      <span class="muted">{dateOf(at)}</span>
    </p>
  );
}

/** Says nothing while all is well: a wall has no use for it. */
function Connection(): JSX.Element {
  const connection = sync.connection.value;
  let text: ComponentChildren = "";
  if (connection === "offline")
    text = home.isTold.value ? t("state.offline", { time: momentOf(home.asOf.value) }) : t("error.offline");
  else if (connection !== "live") text = t("state.starting");
  return (
    <p class={connection === "offline" ? "connection offline" : "connection"} role="status">
      {text}
    </p>
  );
}

/** A room or the whole home on a wall, with nothing that leads elsewhere. */
export function Wall({ of }: { readonly of: string }): JSX.Element {
  const isWhole = of === wholeHome;
  const ids = isWhole ? home.of.devices.ids.value : home.devicesByRoom.idsOf(of).value;
  const name = isWhole ? hub.value?.name : home.of.rooms.of(of).value?.name;
  const alarms = openAlarms();
  return (
    <>
      <header class="wall-head">
        <h1 tabIndex={-1}>{name ?? t("panel.title")}</h1>
        <Air ids={ids} />
        <Clock />
      </header>
      <Connection />
      <AlarmLines alarms={alarms} />
      <SceneButtons />
      <Devices of={of} ids={ids} />
      <Leave />
      <Night wakes={alarms.reduce((sum, { count }) => sum + count, 0)} />
    </>
  );
}
