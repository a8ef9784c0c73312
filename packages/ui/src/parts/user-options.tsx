import type { JSX } from "preact";
import { home } from "../store/home.ts";

/** The people of the home as choices of a list, by id. */
export function UserOptions(): JSX.Element {
  return (
    <>
      {home.of.users
        .list()
        .filter(({ revoked }) => !revoked)
        .map(({ id, user_info: { user } }) => (
          <option key={id} value={id}>
            {user.nickname}
          </option>
        ))}
    </>
  );
}

/** Returns the name of somebody in the home; empty for nobody of it. */
export function nameOfUser(id: string): string {
  return home.of.users.of(id).value?.user_info.user.nickname ?? "";
}
