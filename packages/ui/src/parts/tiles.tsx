import { useSignal } from "@preact/signals";
import type { ComponentType, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** What draws a device in a list. */
export type TileOf = ComponentType<{ readonly id: string }>;

/** So many tiles come into the document at once. */
const together = 48;
/** How far from the sight they do, in heights of the screen. */
const nearMargin = "200% 0px";

/** Tiles that follow one another, drawn once they have come near the sight. Until then they keep their place free. */
function Block(props: {
  readonly ids: readonly string[];
  readonly Tile: TileOf;
  readonly isFirst: boolean;
}): JSX.Element {
  const { ids, Tile, isFirst } = props;
  const isNear = useSignal(isFirst);
  const place = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (place.current === null) return;
    const observer = new IntersectionObserver(
      (seen) => {
        if (seen.some(({ isIntersecting }) => isIntersecting)) isNear.value = true;
      },
      { rootMargin: nearMargin },
    );
    observer.observe(place.current);
    return () => observer.disconnect();
  }, []);
  if (!isNear.value)
    return <li ref={place} class="later" aria-hidden="true" style={{ "--tiles": ids.length }} />;
  return (
    <>
      {ids.map((id) => (
        <Tile key={id} id={id} />
      ))}
    </>
  );
}

/**
 * Devices as tiles. Of a large home only those are in the document to which somebody has scrolled.
 * @param isFirst whether the list is at the top of the screen
 */
export function Tiles(props: {
  readonly class: string;
  readonly ids: readonly string[];
  readonly Tile: TileOf;
  readonly isFirst: boolean;
}): JSX.Element {
  const { class: name, ids, Tile, isFirst } = props;
  const blocks = Array.from({ length: Math.ceil(ids.length / together) }, (_, at) =>
    ids.slice(at * together, (at + 1) * together),
  );
  return (
    <ul class={name}>
      {blocks.map((block, at) => (
        <Block key={at} ids={block} Tile={Tile} isFirst={isFirst && at === 0} />
      ))}
    </ul>
  );
}
