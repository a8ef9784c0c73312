import { useComputed } from "@preact/signals";
import type { JSX } from "preact";
import { hrefOf } from "../route.ts";
import { home } from "../store/home.ts";
import type { Device } from "../store/wire.ts";
import { t } from "../texts/texts.ts";
import { airText, motionIn } from "./climate.ts";
import { Since } from "./since.tsx";

function devicesIn(room: string): readonly Device[] {
  return home.devicesByRoom.idsOf(room).value.flatMap((id) => home.of.devices.of(id).value ?? []);
}

/** The air of a room, and when somebody last moved there; drawn anew only when that is another text. */
function Climate({ room }: { readonly room: string }): JSX.Element | null {
  const air = useComputed(() => airText(devicesIn(room)));
  const motion = useComputed(() => motionIn(devicesIn(room)));
  const { value: moved } = motion;
  if (air.value === "" && moved === undefined) return null;
  return (
    <p class="muted">
      {air.value}
      {air.value !== "" && moved !== undefined && " · "}
      {moved !== undefined && t("value.motion")} {typeof moved === "number" && <Since at={moved} />}
    </p>
  );
}

/**
 * The name of a room and its climate.
 * @param isLink whether the name leads to all devices of the room
 */
export function RoomHead(props: {
  readonly room: string;
  readonly name: string;
  readonly Heading: "h2" | "h3";
  readonly isLink: boolean;
}): JSX.Element {
  const { room, name, Heading, isLink } = props;
  return (
    <div class="room-head">
      <Heading>
        {isLink ? (
          <a href={hrefOf("devices", null, { room })}>
            {name}
            <span aria-hidden="true">›</span>
          </a>
        ) : (
          name
        )}
      </Heading>
      <Climate room={room} />
    </div>
  );
}
