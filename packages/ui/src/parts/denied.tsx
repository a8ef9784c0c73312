import type { JSX } from "preact";
import { Empty } from "./faces.tsx";

/** The face of a screen that the user's role is not for. @param title of the screen @param why not */
export function Denied({ title, why }: { readonly title: string; readonly why: string }): JSX.Element {
  return (
    <>
      <h1 tabIndex={-1}>{title}</h1>
      <Empty title={why} />
    </>
  );
}
