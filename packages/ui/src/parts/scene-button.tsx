import type { JSX } from "preact";
import { turnScene } from "../store/commands.ts";
import { home, sync } from "../store/home.ts";

/** Turns a scene on or off. */
export function SceneButton({ id }: { readonly id: string }): JSX.Element | null {
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
