import type { ComponentProps, JSX } from "preact";
import { sync } from "../store/home.ts";
import { Button } from "./button.tsx";

/** A button that asks something of the hub: of no use while the page hears nothing from it, or shows the past. */
export function LiveButton({ isBlocked = false, ...others }: ComponentProps<typeof Button>): JSX.Element {
  return <Button {...others} isBlocked={isBlocked || sync.connection.value !== "live"} />;
}
