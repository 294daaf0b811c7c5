/** What U-Boot starts: kernel, RAM disk and device tree in one flattened image tree, each with its SHA-256. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

const part = (name, file, type, more = '') => `
    ${name} {
      description = "${name}";
      data = /incbin/("${file}");
      type = "${type}";
      arch = "arm";
      compression = "none";${more}
      hash { algo = "sha256"; };
    };`

/** @param parts paths: `kernel`, `ramDisk`, `deviceTree`; `load`: where the kernel is put */
export function flattenedImageTree({ kernel, ramDisk, deviceTree, load, work, out }) {
  const where = ` os = "linux"; load = <${load}>; entry = <${load}>;`
  const source = join(work, 'image.its')
  writeFileSync(
    source,
    `/dts-v1/;
/ {
  description = "Minnow";
  #address-cells = <1>;
  images {${part('kernel', kernel, 'kernel', where)}${part('ramdisk', ramDisk, 'ramdisk', ' os = "linux";')}${part('fdt', deviceTree, 'flat_dt')}
  };
  configurations {
    default = "board";
    board { kernel = "kernel"; ramdisk = "ramdisk"; fdt = "fdt"; };
  };
};
`
  )
  execFileSync('mkimage', ['-f', source, out], { stdio: ['ignore', 'ignore', 'inherit'] })
  return out
}
