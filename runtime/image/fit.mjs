/** The file that U-Boot starts: kernel, RAM disk and device tree in one flattened image tree, each with its SHA-256. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * @param {string} name
 * @param {string} file
 * @param {string} type
 * @param {string} [more] properties
 */
const part = (name, file, type, more = '') => `
    ${name} {
      description = "${name}";
      data = /incbin/("${file}");
      type = "${type}";
      arch = "arm";
      compression = "none";${more}
      hash { algo = "sha256"; };
    };`

/**
 * @param {object} parts
 * @param {string} parts.kernel file
 * @param {string} parts.ramDisk file
 * @param {string} parts.deviceTree file
 * @param {string} parts.load address that the kernel is put at
 * @param {string} parts.work folder for files that may go afterwards
 * @param {string} parts.out file
 */
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
