import type { JSX } from "preact";
import { home } from "../store/home.ts";

/** The rooms of the home as options of a select; the value of each is its id. */
export function RoomOptions(): JSX.Element {
  return (
    <>
      {home.of.rooms.ids.value.map((id) => (
        <option key={id} value={id}>
          {home.of.rooms.of(id).value?.name}
        </option>
      ))}
    </>
  );
}
