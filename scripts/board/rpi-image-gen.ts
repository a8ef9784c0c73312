import type { Board } from "@ledge/hub/board";

/** rpi-image-gen's layers for boards whose kernel Debian does not have, by the start of their device trees' names. */
const deviceLayers: Readonly<Record<string, string>> = { bcm2712: "rpi5" };

/**
 * Returns what Raspberry Pi's tool makes an image of, with Raspberry Pi's kernel and our Debian package: the files of
 * a source folder, by their paths (https://github.com/raspberrypi/rpi-image-gen). `layer/ledge.deb` is to be added.
 * @param name of the profile
 * @throws Error when the board needs no such kernel
 */
export function rpiImageGen(
  name: string,
  { machines, image }: Pick<Board, "machines" | "image">,
  version: string,
): Readonly<Record<string, string>> {
  const trees = machines.map(({ deviceTree }) => deviceTree ?? "");
  const device = Object.entries(deviceLayers).find(([chip]) =>
    trees.some((tree) => tree.includes(`/${chip}-`)),
  );
  if (device === undefined || image === undefined)
    throw new Error(`${name} does not need Raspberry Pi's kernel`);
  const config = `device:
  layer: ${device[1]}

image:
  layer: image-rpios
  name: ledge-${name}-${version}

layer:
  base: ${image.debian}-minbase
  app: ledge
`;
  const layer = `# METABEGIN
# X-Env-Layer-Name: ledge
# X-Env-Layer-Category: app
# X-Env-Layer-Desc: Ledge, an automation hub, as a Debian package
# X-Env-Layer-Version: ${version}
# X-Env-Layer-Requires: systemd-net-min,systemd-timesyncd
#
# X-Env-VarPrefix: ledge
#
# X-Env-Var-assetdir: \${DIRECTORY}
# X-Env-Var-assetdir-Desc: Folder with the package
# X-Env-Var-assetdir-Required: n
# X-Env-Var-assetdir-Valid: string
# X-Env-Var-assetdir-Set: y
# METAEND
---
mmdebstrap:
  customize-hooks:
    - cp "$IGconf_ledge_assetdir/ledge.deb" "$1/tmp/ledge.deb"
    - chroot "$1" apt-get install --yes /tmp/ledge.deb
    - rm "$1/tmp/ledge.deb"
`;
  return { "config/ledge.yaml": config, "layer/ledge.yaml": layer };
}
