import t from 'tap'
import { watch } from '#test/hal/contracts/power.ts'
import { openFixture } from '#test/runtime/service.ts'

const system = '/redfish/v1/Systems/1/'

t.test('what is wanted is done once the watchdog timer of a host that hangs has run out, and told', async (t) => {
  const service = await openFixture(undefined, undefined, (board) => {
    const host = board.systems['1']!
    return { ...board, systems: { 1: { ...host, power: { ...host.power, watchdogTime: 0 } } } }
  })
  t.teardown(() => service.close())
  const { power } = service
  const reset = () => service.ask('POST', `${system}Actions/ComputerSystem.Reset/`, { ResetType: 'ForceRestart' })
  const told = async () => {
    const { json } = await service.ask('GET', `${system}LogServices/SystemLog/Entries/?$expand=.`)
    return json.Members.map(({ Message }: { Message: string }) => Message)
  }

  power.faults.hangs = true
  const { next } = watch(power)
  const ignored = next('watchdog')
  await reset()
  await ignored
  t.equal(power.state, 'On', 'nothing, unless it is enabled')

  const HostWatchdogTimer = { FunctionEnabled: true, TimeoutAction: 'PowerDown' }
  t.equal((await service.ask('PATCH', system, { HostWatchdogTimer })).status, 200)
  const off = next('Off')
  await reset()
  await off
  const powered = 'The server 1 is powered off.'
  while ((await told()).at(-1) !== powered) await new Promise((resolve) => setImmediate(resolve))
  t.strictSame((await told()).slice(-2), [
    'The watchdog timer of the server 1 ran out. The action is PowerDown.',
    powered
  ])
})
