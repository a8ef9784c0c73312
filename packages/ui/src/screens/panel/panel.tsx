import type { JSX } from "preact";
import { route } from "../../route.ts";
import { panel } from "../../store/panel.ts";
import { Start } from "./start.tsx";
import { Wall } from "./wall.tsx";

/** The panel that this browser is or that its address names, or the way to become one. */
export function PanelScreen(): JSX.Element {
  const of = panel.value?.of ?? route.value.id;
  return of === null ? <Start /> : <Wall of={of} />;
}
