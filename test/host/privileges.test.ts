import { onBothHosts } from './every-host.ts'
import { messagesOf } from './messages-of.ts'
import { onBoards } from './on-boards.ts'
import { partsOf } from './parts.ts'
import { admin, basic, start } from './server.ts'

const accounts = '/redfish/v1/AccountService/Accounts'

onBoards(async (t, board) => {
  t.test('a user whose role lacks a privilege gets 403', async (t) => {
    const server = await board.start(t)
    for (const [UserName, RoleId] of [
      ['reader', 'ReadOnly'],
      ['operator', 'Operator']
    ]) {
      t.equal((await server.post(accounts, { UserName, Password: 'Green-Door-4', RoleId })).status, 201)
    }
    const reader = basic('reader', 'Green-Door-4')
    const operator = basic('operator', 'Green-Door-4')
    const { chassis, system } = await partsOf(server)
    const reset = `${system}Actions/ComputerSystem.Reset/`
    for (const [what, answer, status] of [
      ['a reader reads', await server.get(chassis, reader), 200],
      ['a reader changes nothing', await server.patch(chassis, { LocationIndicatorActive: true }, reader), 403],
      ['a reader resets nothing', await server.post(reset, { ResetType: 'Nmi' }, reader), 403],
      [
        'a reader has one’s own account',
        await server.patch(`${accounts}/reader/`, { Password: 'Green-Gate-5' }, reader),
        200
      ],
      [
        'a reader has no one else’s',
        await server.patch(`${accounts}/operator/`, { Password: 'Green-Gate-5' }, operator),
        200
      ],
      ['an operator resets', await server.post(reset, { ResetType: 'Nmi' }, basic('operator', 'Green-Gate-5')), 200],
      [
        'an operator makes no accounts',
        await server.post(
          accounts,
          { UserName: 'eve', Password: 'Green-Door-4', RoleId: 'Administrator' },
          basic('operator', 'Green-Gate-5')
        ),
        403
      ]
    ] as const) {
      t.equal(answer.status, status, what)
      if (status === 403) t.same(messagesOf(answer), ['Base.InsufficientPrivilege()'])
    }
    const gone = await server.patch(
      `${accounts}/operator/`,
      { Password: 'Green-Gate-6' },
      basic('reader', 'Green-Gate-5')
    )
    t.equal(gone.status, 403, 'a reader does not set another’s password')
    t.equal((await server.get(chassis, admin)).status, 200)
  })
})

// OpenBMC has the predefined roles only.
onBothHosts(async (t, host) => {
  t.test('a custom role allows what it says, and its change counts at once', async (t) => {
    const server = await start(t, host)
    const roles = '/redfish/v1/AccountService/Roles'
    const chassis = '/redfish/v1/Chassis/1/'
    const body = { RoleId: 'Power', AssignedPrivileges: ['Login'], OemPrivileges: ['VirtualPowerAndResetPriv'] }
    t.equal((await server.post(roles, body)).status, 201)
    const ann = { UserName: 'ann', Password: 'Green-Door-4', RoleId: 'Power' }
    t.equal((await server.post(accounts, ann)).status, 201)
    const { token } = await server.login('ann', ann.Password)
    const nmi = (who: Record<string, string>) =>
      server.post('/redfish/v1/Systems/1/Actions/ComputerSystem.Reset/', { ResetType: 'Nmi' }, who)
    for (const who of [token, basic('ann', ann.Password)]) {
      t.equal((await nmi(who)).status, 200)
      // The binary repeats an answer that it has given.
      for (const time of ['first', 'second', 'third'])
        t.equal((await server.get(chassis, who)).status, 200, `the ${time} read`)
      t.equal((await server.patch(chassis, { LocationIndicatorActive: true }, who)).status, 403)
      const change = (members: object) => server.patch(`${roles}/Power/`, members)
      t.equal((await change({ OemPrivileges: ['MgmtConfigPriv'] })).status, 200)
      t.equal((await nmi(who)).status, 403)
      t.equal((await server.patch(chassis, { LocationIndicatorActive: true }, who)).status, 200)
      t.equal((await change({ OemPrivileges: body.OemPrivileges })).status, 200)
    }
    t.same(messagesOf(await server.delete(`${roles}/Power/`)), ['Base.ResourceInUse()'])
    t.equal((await server.patch(`${roles}/Power/`, { AssignedPrivileges: [] })).status, 200)
    t.equal((await server.get(chassis, token)).status, 401, '401 without the privilege Login')
    t.equal((await server.delete(`${accounts}/ann/`)).status, 200)
    t.equal((await server.delete(`${roles}/Power/`)).status, 200)
    t.equal((await server.get(`${roles}/Power/`)).status, 404)
  })
})
