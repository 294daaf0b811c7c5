/**
 * The file that U-Boot starts: kernel, RAM disk and device tree in one flattened image tree, each with its SHA-256, and
 * with a configuration for each slot that it may lie in. Configurations are signed, with the hashes of their parts.
 */
/** @import { Slot } from './slots.mjs' */
import { execFileSync } from 'node:child_process'
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { slots } from './slots.mjs'

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

/** @param {Slot} slot its name, which the kernel finds in its device tree: `/chosen/u-boot,bootconf` */
const configuration = (slot) => `
    ${slot} {
      kernel = "kernel";
      ramdisk = "ramdisk";
      fdt = "fdt";
      signature {
        algo = "sha256,rsa2048";
        key-name-hint = "boot";
        sign-images = "kernel", "ramdisk", "fdt";
      };
    };`

/**
 * @param {object} parts
 * @param {string} parts.kernel file
 * @param {string} parts.ramDisk file
 * @param {string} parts.deviceTree file
 * @param {string} parts.load address that the kernel is put at
 * @param {string} parts.keys folder with the private key, `boot.pem`
 * @param {string} parts.work folder for files that may go afterwards
 * @param {string} parts.out file
 */
export function flattenedImageTree({ kernel, ramDisk, deviceTree, load, keys, work, out }) {
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
    default = "a";${slots.map(configuration).join('')}
  };
};
`
  )
  // mkimage takes a key by its name, and notes the time.
  copyFileSync(join(keys, 'boot.pem'), join(work, 'boot.key'))
  const env = { ...process.env, SOURCE_DATE_EPOCH: '0' }
  execFileSync('mkimage', ['-f', source, '-k', work, '-r', out], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  return out
}
