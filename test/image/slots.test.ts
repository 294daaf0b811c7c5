import { execFileSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { needing } from '#test/host/every-host.ts'
import { directory, password, type Scope } from '#test/host/server.ts'
import { Board, build, type Image, missingImage } from './board.ts'
import { ControllerFlash, update } from './controller-flash.ts'

/**
 * Of these the power is cut in: operations on the flash, each in a partition, and how many bytes of each are still done.
 * An update changes the environment three times, by an erasure and two programs each. `npm run campaign:updates` cuts in
 * others while the slot is written.
 */
const { MINNOW_UPDATE_CUTS: more } = process.env
const cuts =
  more === undefined
    ? [
        ...Array.from({ length: 9 }, (_, after) => ({ chip: 'u-boot-env', after, torn: 2 })),
        ...['kernel-b', 'rofs-b'].flatMap((chip) => [1, 270].map((after) => ({ chip, after, torn: 1000 })))
      ]
    : Array.from({ length: Number(more) }, (_, index) => ({
        chip: ['u-boot-env', 'kernel-b', 'rofs-b'][index % 3] as string,
        after: Math.floor(Math.random() * (index % 3 === 0 ? 9 : 600)),
        torn: Math.floor(Math.random() * 4096)
      }))

const inventory = '/redfish/v1/UpdateService/FirmwareInventory/'

t.setTimeout(600_000 + cuts.length * 20_000)

needing('the boot loader of a board', missingImage, async (t) => {
  const image = build(t, { password })
  const next = build(t, { password, version: '0.2' })

  await t.test('after a power cut in an update it starts a slot that is whole', async (t) => {
    for (const { chip, after, torn } of cuts) {
      const flash = new ControllerFlash(image.folder)
      const untouched = [...flash.environment.variables]
      Object.assign(flash.chip(chip).faults, { cutAfter: after, torn, tornErase: 'zeros' })
      await update(flash.firmware('a'), next.update).catch(() => undefined)
      flash.save()
      const point = `${chip}, ${torn} bytes of operation ${after}`
      const wanted = new ControllerFlash(image.folder).environment.variables
      t.equal(await started(t, image), wanted.get('slot'), `${point}: the slot that the environment says`)
      if (wanted.get('slot') === 'b') t.equal(wanted.get('version_b'), '0.2', `${point}: it is whole`)
      const again = new ControllerFlash(image.folder)
      again.environment.change(Object.fromEntries(untouched))
      again.save()
    }
  })

  await t.test('it counts the starts of a version on trial, and falls back after three', async (t) => {
    const flash = new ControllerFlash(image.folder)
    await update(flash.firmware('a'), next.update)
    flash.save()
    const slots = []
    for (let start = 1; start <= 4; start += 1) slots.push(await started(t, image))
    t.strictSame(slots, ['b', 'b', 'b', 'a'])
    const { variables } = new ControllerFlash(image.folder).environment
    t.match(Object.fromEntries(variables), { slot: 'a', upgrade_available: '0', bootcount: '4', version_b: '0.2' })
  })

  await t.test('a slot whose root file system is damaged is given up for the other one', async (t) => {
    const boards = build(t, { password, version: '0.3' })
    const damage = (partition: string) => {
      const flash = new ControllerFlash(boards.folder)
      flash.chip(partition).contents[0x100000]! ^= 1
      flash.save()
    }
    damage('rofs-a')
    const board = await Board.start(t, boards)
    await board.process.saying(/slot a is damaged, and given up/)
    await board.up()
    await board.process.saying(/slot A is not sound, so that the other one runs/)
    const slot = async (name: string) => (await board.service.get(`${inventory}Manager-1-${name}/`)).json
    t.match(await slot('B'), { Active: true, Version: '0.3' })
    t.notMatch(await slot('A'), { Version: '0.3' })
    await board.cut()

    damage('rofs-b')
    const last = await Board.start(t, boards)
    await last.process.saying(/rofs-b: Bad message; the board restarts/)
    await last.cut()
    t.notOk(
      last.process.stdout.some((line) => /slot b is damaged/.test(line)),
      'it is not given up for nothing'
    )
    t.equal(await started(t, boards), 'b', 'it is tried again')
  })

  await t.test('it takes no command from the flash, and starts no kernel that is damaged', async (t) => {
    const flash = new ControllerFlash(image.folder)
    flash.environment.change({ slot: 'b', bootcmd: 'echo taken over', bootdelay: '10', start_b: 'echo taken over' })
    // In the middle of the kernel.
    flash.chip('kernel-b').contents[0x200000]! ^= 1
    flash.save()
    const said: string[] = []
    t.equal(await started(t, image, said), 'a')
    t.ok(
      said.some((line) => /Bad (hash|Data Hash)/i.test(line)),
      'it says why'
    )
    t.notOk(said.some((line) => /taken over|autoboot/.test(line)))
  })

  await t.test('it starts nothing that another key has signed', async (t) => {
    const flash = new ControllerFlash(image.folder)
    const whole = flash.chip('kernel-a').contents
    flash.chip('kernel-b').contents.set(signedByAnother(t, whole))
    flash.environment.change({ slot: 'b' })
    flash.save()
    const said: string[] = []
    t.equal(await started(t, image, said), 'a')
    const tried = said.findIndex((line) => /Using 'b' configuration/.test(line))
    t.match(said[tried + 1], /sha256,rsa2048:boot- +error!/, 'slot b is tried first')
    t.ok(
      said.some((line) => /Failed to verify required signature 'key-boot'/.test(line)),
      'it says why'
    )
  })
})

/** The contents of a kernel's partition, signed with a new key in place of its own. */
function signedByAnother(t: Scope, kernel: Uint8Array): Uint8Array {
  const folder = directory(t)
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  writeFileSync(`${folder}/boot.key`, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  const file = `${folder}/kernel.fit`
  // Its length is in its head.
  writeFileSync(file, kernel.subarray(0, Buffer.from(kernel.buffer, kernel.byteOffset).readUInt32BE(4)))
  execFileSync('mkimage', ['-F', '-k', folder, '-r', file], { stdio: ['ignore', 'ignore', 'inherit'] })
  return readFileSync(file)
}

/** The slot whose kernel is started, of a board whose power is cut then. */
async function started(t: Parameters<typeof Board.start>[0], image: Image, said: string[] = []): Promise<string> {
  const board = await Board.start(t, image)
  await board.process.saying(/^Starting kernel/)
  said.push(...board.process.stdout)
  await board.cut()
  return /'(.)'/.exec(said.findLast((line) => /Using '.' configuration/.test(line)) ?? '')?.[1] ?? ''
}
