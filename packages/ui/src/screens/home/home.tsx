import type { JSX } from "preact";
import { ControlOf } from "../../controls/control.tsx";
import { mainControl } from "../../controls/registry.ts";
import { Empty, Loading } from "../../parts/faces.tsx";
import { Icon } from "../../parts/icon.tsx";
import { hrefOf } from "../../route.ts";
import { turnScene } from "../../store/commands.ts";
import { home, hub, sync, wanted } from "../../store/home.ts";
import { isAtLeast } from "../../store/roles.ts";
import { noRoom } from "../../store/store.ts";
import { t } from "../../texts/texts.ts";
import { RoomWizard } from "./room-wizard.tsx";
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

function Room({ id, name }: { readonly id: string; readonly name: string }): JSX.Element | null {
  const ids = home.devicesByRoom.idsOf(id).value;
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

function NamedRoom({ id }: { readonly id: string }): JSX.Element | null {
  const room = home.of.rooms.of(id).value;
  return room === undefined ? null : <Room id={id} name={room.name} />;
}

function SceneButton({ id }: { readonly id: string }): JSX.Element | null {
  const scene = home.of.scenes.of(id).value;
  if (scene === undefined) return null;
  return (
    <button
      type="button"
      class="chip"
      aria-pressed={scene.isOn}
      disabled={sync.connection.value !== "live"}
      onClick={() => void turnScene(id, scene.category === "FACTORY" || !scene.isOn)}
    >
      {scene.name}
    </button>
  );
}

function Scenes(): JSX.Element | null {
  const ids = home.of.scenes.ids.value;
  if (ids.length === 0) return null;
  return (
    <div class="chips" role="group" aria-label={t("home.scenes")}>
      {ids.map((id) => (
        <SceneButton key={id} id={id} />
      ))}
    </div>
  );
}

function OpenAlarms(): JSX.Element | null {
  const { alarms } = home.of;
  const open = alarms.ids.value.filter((id) => alarms.of(id).value?.closed === false);
  if (open.length === 0) return null;
  return (
    <p role="alert">
      <a class="alarm-line" href={hrefOf("alarms")}>
        <Icon name="alarm" />
        {t("home.alarms", { n: open.length })}
      </a>
    </p>
  );
}

/** The rooms with their devices. */
export function Home(): JSX.Element {
  const rooms = home.of.rooms.ids.value;
  const devices = home.of.devices.ids.value;
  const isUnarranged = devices.length > 0 && home.devicesByRoom.idsOf(noRoom).value.length === devices.length;
  return (
    <>
      <h1 tabIndex={-1}>{hub.value?.name ?? t("nav.home")}</h1>
      <OpenAlarms />
      {home.asOf.value === 0 ? <Loading /> : <Scenes />}
      {isUnarranged && isAtLeast("USER_ADMIN") && <RoomWizard />}
      {home.asOf.value > 0 && devices.length === 0 && (
        <Empty title={t("home.empty")}>
          <p>{t("home.emptyHow")}</p>
        </Empty>
      )}
      {rooms.map((id) => (
        <NamedRoom key={id} id={id} />
      ))}
      <Room id={noRoom} name={t("home.noRoom")} />
    </>
  );
}
