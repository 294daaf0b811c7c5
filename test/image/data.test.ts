import { randomBytes } from 'node:crypto'
import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import t from 'tap'
import { needing } from '#test/host/every-host.ts'
import { password } from '#test/host/server.ts'
import { Board, build, description, type Image, missingImage } from './board.ts'

interface Partition {
  readonly name: string
  readonly offset: number
  readonly size: number
}

const manager = '/redfish/v1/Managers/1/'
const system = '/redfish/v1/Systems/1/'
const beyondRepair = /init: the data partition is damaged beyond repair; it is erased/

t.setTimeout(600_000)

needing('the data partition of a board', missingImage, async (t) => {
  const [data, aside] = halves(description.flash.partitions.find(({ name }: Partition) => name === 'rwfs'))
  const others = description.flash.partitions.filter(({ name }: Partition) => name !== 'rwfs')
  const roomy = { ...description, flash: { ...description.flash, partitions: [...others, data, aside] } }

  await t.test('one that is beyond repair is set aside where there is room, and the board begins anew', async (t) => {
    const image = build(t, { password, board: roomy })
    const before = contents(image, data, randomBytes(data.size))
    const board = await Board.start(t, image)
    const line = await board.process.saying(beyondRepair)
    t.match(line, /what it held is in rwfs-damaged/)
    await board.up()
    await board.process.saying(/stored state was damaged/)
    const { StateRecoveries } = (await board.service.get(manager)).json.Oem.Vendor
    t.match(StateRecoveries, [{ Part: 'Store', Source: 'New', Cause: /beyond repair/ }])
    t.match((await board.service.get(`${manager}LogServices/EventLog/Entries/?$expand=.`)).text, /StateRecovered/)
    await board.cut()
    t.ok(contents(image, aside).equals(before), 'byte by byte')
  })

  await t.test('without such room the board begins anew all the same', async (t) => {
    const image = build(t, { password })
    contents(image, { ...data, size: 2 * data.size }, Buffer.alloc(2 * data.size))
    const board = await Board.start(t, image)
    t.notMatch(await board.process.saying(beyondRepair), /rwfs-damaged/)
    await board.up()
    t.equal((await board.service.get(system)).status, 200)
    await board.cut()
  })
})

/** A partition as two of half its size. */
function halves({ name, offset, size }: Partition): [Partition, Partition] {
  const half = size / 2
  return [
    { name, offset, size: half },
    { name: `${name}-damaged`, offset: offset + half, size: half }
  ]
}

/** The bytes of a partition, after others were put there where some are given. */
function contents({ folder }: Image, { offset, size }: Partition, given?: Buffer): Buffer {
  const bytes = Buffer.alloc(size)
  const file = openSync(`${folder}/flash.img`, 'r+')
  if (given !== undefined) writeSync(file, given, 0, size, offset)
  readSync(file, bytes, 0, size, offset)
  closeSync(file)
  return bytes
}
