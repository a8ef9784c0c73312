# U-Boot chooses the slot and boots its kernel. ledge-slots says what the records are, and decides the same.
# Numbers are hexadecimal in U-Boot. Its shell knows no functions: `store` is a variable that is run.

# Where memory begins differs. Kernel and initial file system have 64 MiB each, above this script; the device tree is at
# 128 MiB, in QEMU's Raspberry Pi, or near the end.
setexpr memory ${kernel_addr_r} \& 0xf0000000
setexpr record ${memory} + 0x03f00000
setexpr kernel ${memory} + 0x04000000
setexpr initrd ${memory} + 0x09000000

part start ${devtype} ${devnum} slots slots
setenv number 0
setenv newest none
for block in 0 8; do
  setenv begin
  setenv whole
  setexpr at ${slots} + ${block}
  ${devtype} read ${record} ${at} 1 && env import -t ${record} 200 begin whole
  if test -n "${begin}" && test "${begin}" = "${whole}" && itest ${begin} -gt ${number}; then
    setenv number ${begin}
    setenv newest ${block}
  fi
done

# A new disk has no record: its first slot is filled.
setenv primary A
setenv slotA good
setenv slotB bad
setenv next 0
if test "${newest}" != none; then
  setexpr at ${slots} + ${newest}
  ${devtype} read ${record} ${at} 1 && env import -t ${record} 200 primary slotA slotB
  setexpr next 8 - ${newest}
fi
setenv store 'setexpr begin ${number} + 1; setenv whole ${begin}; setexpr at ${slots} + ${next}; env export -t -s 200 ${record} begin primary slotA slotB whole && ${devtype} write ${record} ${at} 1 && setenv number ${begin} && setexpr next 8 - ${next}'
setenv swap 'if test "${primary}" = A; then setenv primary B; else setenv primary A; fi'
setenv look 'if test "${primary}" = A; then setenv chosen ${slotA}; setenv other ${slotB}; else setenv chosen ${slotB}; setenv other ${slotA}; fi'
setenv mark 'if test "${primary}" = A; then setenv slotA ${as}; else setenv slotB ${as}; fi'

# A good slot is booted always, a new one once; then the other one, if that is good.
run look
if test "${chosen}" = new; then
  setenv as tried
  run mark
  # A try that cannot be counted would be repeated for ever.
  if run store; then true; elif test "${other}" = good; then run swap; fi
elif test "${chosen}" != good && test "${other}" = good; then
  setenv as bad
  run mark
  run swap
  run store
fi

setenv slot a
if test "${primary}" = B; then setenv slot b; fi
echo "ledge: slot ${primary} is booted"
setenv arguments
# Without `systemd.gpt_auto=0` systemd would mount this partition, and write to it.
load ${devtype} ${devnum}:${distro_bootpart} ${record} machine.txt && env import -t ${record} ${filesize} arguments
# Without `bpf` among the security modules systemd does not load a program for a restriction that no unit asks for.
setenv bootargs "root=PARTLABEL=rootfs-${slot} rootfstype=squashfs ro rootwait fsck.repair=yes systemd.gpt_auto=0 panic=10 rauc.slot=${primary} lsm=landlock,lockdown,yama ${arguments}"
part number ${devtype} ${devnum} boot-${slot} files
load ${devtype} ${devnum}:${files} ${kernel} vmlinuz && load ${devtype} ${devnum}:${files} ${initrd} initrd.img && booti ${kernel} ${initrd}:${filesize} ${fdt_addr}

# The slot's kernel cannot be read. The next boot takes the other slot, if that is good.
run look
if test "${other}" = good; then
  setenv as bad
  run mark
  run store
fi
sleep 5
reset
