import { randomBytes } from 'node:crypto'
import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import t, { type Test } from 'tap'
import { needing } from '#test/host/every-host.ts'
import { messagesOf } from '#test/host/messages-of.ts'
import { admin, basic, type Headers, password, type Server } from '#test/host/server.ts'
import { Board, build, description, type Image, missingImage } from './board.ts'

interface Partition {
  readonly name: string
  readonly offset: number
  readonly size: number
}

const account = '/redfish/v1/AccountService/Accounts/admin/'
const manager = '/redfish/v1/Managers/1/'
const subscriptions = '/redfish/v1/EventService/Subscriptions/'
const system = '/redfish/v1/Systems/1/'
const beyondRepair = /init: the data partition is damaged beyond repair; it is erased/

t.setTimeout(1_700_000)

needing('the data partition of a board', missingImage, async (t) => {
  const [data, aside] = halves(description.flash.partitions.find(({ name }: Partition) => name === 'rwfs'))
  const others = description.flash.partitions.filter(({ name }: Partition) => name !== 'rwfs')
  const boardWith = (...parts: Partition[]) => {
    const partitions = [...others, ...parts]
    return { ...description, flash: { ...description.flash, partitions } }
  }
  const small = { ...data, size: 2 ** 20 }

  await t.test(
    'a partition beyond repair is set aside if there is room, and the board starts with an empty one',
    async (t) => {
      const image = build(t, { password, board: boardWith(data, aside) })
      const before = contents(image, data, randomBytes(data.size))
      const board = await Board.start(t, image)
      const line = await board.process.saying(beyondRepair)
      t.match(line, /what it held is in rwfs-damaged/)
      await board.up()
      await board.process.saying(/stored state was damaged/)
      const [, generated = ''] = /admin is (\w+)/.exec(await board.process.saying(/the password of admin is \w+/)) ?? []
      t.equal((await board.service.get(manager)).status, 401, "the image's password does not count")
      const changed = await board.service.patch(account, { Password: 'Oak-Table-6' }, basic('admin', generated))
      t.equal(changed.status, 200, changed.text)
      const own = basic('admin', 'Oak-Table-6')
      const { StateRecoveries } = (await board.service.get(manager, own)).json.Oem.Vendor
      t.match(StateRecoveries, [{ Part: 'Store', Source: 'New', Cause: /beyond repair/ }])
      t.match(
        (await board.service.get(`${manager}LogServices/EventLog/Entries/?$expand=.`, own)).text,
        /StateRecovered/
      )
      await board.cut()
      t.ok(contents(image, aside).equals(before), 'byte by byte')
    }
  )

  await t.test('without such room the board also starts with an empty one', async (t) => {
    const store = { reserve: 131_072, writeBuffer: 65_536 }
    const config = { presenceAfterLoss: false, limits: { subscriptionHeaders: 65_536 }, store }
    const image = build(t, { password, config, board: boardWith(small) })
    contents(image, small, Buffer.alloc(small.size))
    const board = await Board.start(t, image)
    t.notMatch(await board.process.saying(beyondRepair), /rwfs-damaged/)
    await board.up()
    t.equal((await board.service.get(system)).status, 200)

    await t.test('a change on a full flash is refused, and acknowledged changes stay', async (t) => {
      const { service } = board
      const made: string[] = []
      // Sealed headers do not get smaller when JFFS2 compresses them.
      const body = { Destination: 'https://192.0.2.1/', RegistryPrefixes: ['StorageDevice'] }
      const subscribe = (to = service) =>
        to.post(subscriptions, { ...body, HttpHeaders: [{ 'X-Fill': randomBytes(30_000).toString('base64') }] })
      let answer = await subscribe()
      for (; answer.status === 201; answer = await subscribe()) made.push(String(answer.headers.location))
      t.same([answer.status, messagesOf(answer)], [507, ['Base.InsufficientStorage()']])
      // A small change may fit all the same.
      const small = await service.patch(system, { AssetTag: 'small' })
      t.ok([200, 507].includes(small.status), small.text)
      const tag = small.status === 200 ? 'small' : ''
      const { token } = await service.login()
      await shows(t, service, made, tag, token)
      await board.cut()
      const again = await Board.start(t, image)
      await again.up()
      await shows(t, again.service, made, tag, admin)
      do {
        t.equal((await again.service.delete(made.pop() ?? '')).status, 200)
        answer = await subscribe(again.service)
      } while (answer.status === 507 && made.length > 0)
      t.equal(answer.status, 201, 'removals free the flash')
      made.push(String(answer.headers.location))
      await again.cut()
      const last = await Board.start(t, image)
      await last.up()
      await shows(t, last.service, made, tag, admin)
      await last.cut()
    })
  })
})

/** These subscriptions, and a system that no refused change has reached. */
async function shows(
  t: Test,
  service: Server,
  wanted: readonly string[],
  tag: string,
  headers: Headers
): Promise<void> {
  const { Members } = (await service.get(subscriptions, headers)).json
  const uris = Members.map((member: { '@odata.id': string }) => member['@odata.id'])
  t.ok(wanted.length > 0)
  t.strictSame(uris.sort(), [...wanted].sort())
  t.equal((await service.get(system, headers)).json.AssetTag, tag)
}

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
