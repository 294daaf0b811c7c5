import t from 'tap'
import { password } from '#test/host/server.ts'
import { Board, build, seesItsOwnPort } from './board.ts'
import { inCampaign } from './campaign.ts'

t.setTimeout(1_700_000)

const system = '/redfish/v1/Systems/1/'

inCampaign('a board whose service runs on Node.js', async (t) => {
  const image = build(t, { password, host: 'node' })
  t.comment(`the image has ${image.whole} bytes`)
  const from = performance.now()
  const board = await Board.start(t, image)
  await board.up()
  t.comment(`it listens ${Math.round(performance.now() - from)} ms after the reset`)
  t.comment(`the service has ${(await board.memory()) / 1024} KiB of resident memory`)

  await t.test('power follows the lines of the host, and obeys Redfish', async (t) => {
    t.equal((await board.service.get(system)).json.PowerState, 'Off')
    const pressed = board.level('POWER_OUT', false).then(() => board.level('POWER_OUT', true))
    const reset = { ResetType: 'On' }
    t.equal((await board.service.post(`${system}Actions/ComputerSystem.Reset/`, reset)).status, 200)
    await pressed
    await board.drive('PS_PWROK', true)
    await board.service.until(
      () => board.service.get(system),
      ({ json }) => json.PowerState === 'On'
    )
  })

  await t.test('the lamp, the temperature and the network port are the kernel’s', async (t) => {
    const chassis = '/redfish/v1/Chassis/1/'
    await seesItsOwnPort(t, board)
    t.equal((await board.service.patch(chassis, { LocationIndicatorActive: true })).status, 200)
    await board.level('identify', true)
    await board.heat(31)
    await board.service.until(
      () => board.service.get(`${chassis}Thermal/`),
      ({ json }) => json.Temperatures[0].ReadingCelsius === 31
    )
  })

  await t.test('the variables of the host are in its flash chip', async (t) => {
    const { status, json } = await board.service.get(`${system}SecureBoot/`)
    t.equal(status, 200)
    t.equal(json.SecureBootMode, 'SetupMode')
  })
})
