import type { JSX } from "preact";
import { Empty, Loading } from "../../parts/faces.tsx";
import { GroupTiles } from "../../parts/group-tile.tsx";
import { Icon } from "../../parts/icon.tsx";
import { openAlarms } from "../../parts/open-alarms.ts";
import { Favourites, Rooms } from "../../parts/rooms.tsx";
import { SceneButtons } from "../../parts/scene-buttons.tsx";
import { WhoIsIn } from "../../parts/who-is-in.tsx";
import { hrefOf } from "../../route.ts";
import { pastTime } from "../../store/clock.ts";
import { finished } from "../../store/first-steps.ts";
import { home, hub } from "../../store/home.ts";
import { isAtLeast } from "../../store/roles.ts";
import { noRoom } from "../../store/store.ts";
import { t } from "../../texts/texts.ts";
import { FirstSteps } from "./first-steps-list.tsx";
import { RoomWizard } from "./room-wizard.tsx";

function Scenes(): JSX.Element {
  return (
    <SceneButtons>
      {isAtLeast("IDENTIFIED_USER") && (
        <a class="chip" href={hrefOf("scenes")}>
          {t("home.editScenes")}
        </a>
      )}
    </SceneButtons>
  );
}

function OpenAlarms(): JSX.Element | null {
  const open = openAlarms();
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
  const devices = home.of.devices.ids.value;
  const people = home.browsers.value;
  const placeable = devices.length - people.length;
  const isUnarranged = placeable > 0 && home.devicesByRoom.idsOf(noRoom).value.length === placeable;
  const isBeginning = finished.value !== null && home.isTold.value && pastTime.value === null;
  return (
    <>
      <h1 tabIndex={-1}>{hub.value?.name ?? t("nav.home")}</h1>
      <WhoIsIn />
      <OpenAlarms />
      {!home.isTold.value ? <Loading /> : <Scenes />}
      {isBeginning && <FirstSteps />}
      {isUnarranged && !isBeginning && isAtLeast("USER_ADMIN") && <RoomWizard />}
      {home.isTold.value && placeable === 0 && (
        <Empty title={t("home.empty")}>
          <p>{t("home.emptyHow")}</p>
          {isAtLeast("USER_ADMIN") && (
            <a class="button main" href={hrefOf("pair")}>
              {t("pair.title")}
            </a>
          )}
        </Empty>
      )}
      <Favourites />
      <GroupTiles />
      <Rooms />
    </>
  );
}
