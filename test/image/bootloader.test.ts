import { execFileSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { isInstalled } from '#test/host/hosts.ts'

const { bootloaderEnvironment, bootloaderSettings, keyNode } = await import(
  pathToFileURL('deploy/image/bootloader.mjs').href
)
const { readBoard } = await import(pathToFileURL('deploy/image/boards.mjs').href)
const { withOneSlot } = await import(pathToFileURL('deploy/image/slots.mjs').href)

const board = readBoard('ast2600-evb')
const { flash } = board

t.test('the boot loader does not look at its console unless the build asks for that', async (t) => {
  t.match(bootloaderSettings(flash, false), /^CONFIG_BOOTDELAY=-2$/m)
  t.match(bootloaderSettings(flash, true), /^CONFIG_BOOTDELAY=2$/m)
})

t.test('it finds its environment and its kernel at the positions of the board', async (t) => {
  t.match(bootloaderSettings(flash, false), /^CONFIG_ENV_OFFSET=0xe0000\nCONFIG_ENV_OFFSET_REDUND=0xf0000$/m)
  t.match(bootloaderEnvironment(board), /^kernel_a=20100000\nkernel_b=21880000\nroom=800000\n/)
})

t.test('the environment has the commands that a SoC needs before the kernel, if any', async (t) => {
  t.match(bootloaderEnvironment(board), /^before=mw\.l 1e6e2188 babecafe$/m)
  t.match(bootloaderEnvironment(readBoard('romulus-bmc')), /^before=mw\.l 1e6e2000 1688a8a8$/m)
  const { before, ...bootloader } = board.bootloader
  t.type(before, 'string')
  t.match(bootloaderEnvironment({ ...board, bootloader }), /^before=true$/m)
})

t.test('a flash with one slot has the room of both in it', async (t) => {
  const { partitions } = withOneSlot(flash)
  t.strictSame(
    partitions.map(({ name, offset, size }: (typeof partitions)[number]) => [name, offset + size]),
    [
      ['u-boot', 0xe0000],
      ['u-boot-env', 0x100000],
      ['kernel-a', 0x900000],
      ['rofs-a', 0x3000000],
      ['rwfs', 0x4000000]
    ]
  )
})

t.test(
  'the key that it trusts is written as mkimage would',
  { skip: !isInstalled('mkimage') && 'u-boot-tools' },
  (t) => {
    const folder = t.testdir({
      'image.its': `/dts-v1/;
/ {
  description = "";
  images { one { data = "x"; type = "kernel"; os = "linux"; arch = "arm"; compression = "none"; load = <0>; entry = <0>;
    hash { algo = "sha256"; }; }; };
  configurations { default = "a"; a { kernel = "one";
    signature { algo = "sha256,rsa2048"; key-name-hint = "boot"; sign-images = "kernel"; }; }; };
};
`,
      'empty.dts': '/dts-v1/; / { };'
    })
    const inside = { cwd: folder, stdio: 'ignore' } as const
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' })
    writeFileSync(`${folder}/boot.key`, pem)
    execFileSync('openssl', ['req', '-batch', '-new', '-x509', '-key', 'boot.key', '-out', 'boot.crt'], inside)
    execFileSync('dtc', ['-q', '-O', 'dtb', '-o', 'theirs.dtb', 'empty.dts'], inside)
    execFileSync('mkimage', ['-f', 'image.its', '-k', '.', '-K', 'theirs.dtb', '-r', 'image.fit'], inside)
    writeFileSync(`${folder}/ours.dts`, `/dts-v1/;${keyNode(pem)}`)
    execFileSync('dtc', ['-q', '-O', 'dtb', '-o', 'ours.dtb', 'ours.dts'], inside)
    const sorted = (file: string) =>
      execFileSync('dtc', ['-q', '-s', '-I', 'dtb', '-O', 'dts', file], { cwd: folder, encoding: 'utf8' })
    t.equal(sorted('ours.dtb'), sorted('theirs.dtb'))
    t.end()
  }
)
