import { readFileSync } from 'node:fs'
import t from 'tap'
import { needing } from '#test/host/every-host.ts'
import { head } from '#test/host/raw.ts'
import { type Json, password } from '#test/host/server.ts'
import { Board, build, type Image, missingImage } from './board.ts'
import { ControllerFlash } from './controller-flash.ts'

/**
 * The percent of updates that the power is cut at: 70 is near the end of the kernel, from 95 on the environment is
 * changed. `npm run campaign:updates` cuts at a tenth as many as it cuts in the simulated flash.
 */
const { MINNOW_UPDATE_CUTS: more } = process.env
const cuts = more === undefined ? [70, 95] : Array.from({ length: Number(more) / 10 }, () => Math.random() * 96)

const system = '/redfish/v1/Systems/1/'
const inventory = '/redfish/v1/UpdateService/FirmwareInventory/'

t.setTimeout(400_000 + cuts.length * 200_000)

needing('a board whose power is cut while it updates itself', missingImage, async (t) => {
  const image = build(t, { password })
  const next = build(t, { password, version: '0.2' })
  // A board outlives the test that started it.
  const scope = t
  let board = await Board.start(t, image)
  await board.up()

  await t.test('while the file of an update arrives: nothing has changed', async (t) => {
    const { token } = await board.service.login()
    const slots = async () => (await board.service.get(`${inventory}?$expand=.`)).json.Members.map(still)
    const before = await slots()
    const file = readFileSync(next.update)
    const type = 'Content-Type: application/octet-stream\r\n'
    const fields = `X-Auth-Token: ${token['x-auth-token']}\r\n${type}Content-Length: ${file.length}\r\n`
    const connection = await board.service.connect()
    connection.write(head('POST', '/redfish/v1/UpdateService/update/', fields))
    await new Promise((sent) => connection.socket.write(file.subarray(0, file.length / 2), sent))
    await board.cut()
    board = await Board.start(scope, image)
    await board.up()
    t.strictSame(await slots(), before)
    t.strictSame((await board.service.get('/redfish/v1/TaskService/Tasks/')).json.Members, [])
  })

  for (const [index, percent] of cuts.entries()) {
    await t.test(
      `at ${percent} percent: one of the versions runs, with its data, and says what happened`,
      async (t) => {
        const before = new ControllerFlash(image.folder).environment.variables.get('slot')
        const { token } = await board.service.login()
        const AssetTag = `before cut ${index}`
        t.equal((await board.service.patch(system, { AssetTag }, token)).status, 200)
        const task = await updated(board, next, percent, token)
        await board.cut()

        const { variables } = new ControllerFlash(image.folder).environment
        const after = variables.get('slot')
        if (percent <= 80)
          t.notOk(variables.get(`version_${before === 'a' ? 'b' : 'a'}`), 'the other slot is not whole')
        board = await Board.start(scope, image)
        await board.process.saying(after === before ? /an update failed/ : /an update is complete/)
        const { json } = await board.service.until(
          () => board.service.get(task),
          ({ json }) => json.TaskState !== 'Running'
        )
        t.equal(json.TaskState, after === before ? 'Exception' : 'Completed')
        const { Members } = (await board.service.get(`${inventory}?$expand=.`)).json
        const active = Members.find(({ Active }: { Active: boolean }) => Active)
        t.equal(active.Id, `Manager-1-${after?.toUpperCase()}`)
        t.equal((await board.service.get(system)).json.AssetTag, AssetTag)
      }
    )
  }
})

/** A member of the inventory without its tag. */
function still({ '@odata.etag': _, ...member }: Json) {
  return member
}

/** Begins an update of a board, and waits until the task is that far. @returns the task's URI */
async function updated(
  { service }: Board,
  { update }: Image,
  percent: number,
  token: Readonly<Record<string, string>>
): Promise<string> {
  const { headers } = await service.request(
    'POST',
    '/redfish/v1/UpdateService/update/',
    { ...token, 'content-type': 'application/octet-stream' },
    readFileSync(update)
  )
  const task = String(headers.location)
  while ((await service.get(task, token)).json.PercentComplete < percent);
  return task
}
