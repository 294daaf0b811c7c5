import t from 'tap'
import { GET, POST, body as parameters, privileges } from '#handlers/redfish/v1/AccountService/Roles.ts'
import { context, refusal } from '#test/handlers/context.ts'

const uri = '/redfish/v1/AccountService/Roles'
const body = { RoleId: 'Power', AssignedPrivileges: ['Login'], OemPrivileges: ['VirtualPowerAndResetPriv'] } as const
const power = { standard: ['Login'], vendor: ['VirtualPowerAndResetPriv'] } as const

t.test('there are three predefined roles, and then the custom ones', async (t) => {
  t.same(GET(context({ uri, tables: { role: { Power: power } } })).Members, [
    { '@odata.id': `${uri}/Administrator/` },
    { '@odata.id': `${uri}/Operator/` },
    { '@odata.id': `${uri}/ReadOnly/` },
    { '@odata.id': `${uri}/Power/` }
  ])
})

t.test('a custom role is made with its privileges, each once', async (t) => {
  const made = await POST(context({ uri, body: { ...body, AssignedPrivileges: ['Login', 'Login'] } }))
  t.match(made, { status: 201, location: `${uri}/Power` })
  t.same(made.writes, { role: { Power: power } })
  t.same((await POST(context({ uri, body: { RoleId: 'Nothing' } }))).writes, {
    role: { Nothing: { standard: [], vendor: [] } }
  })
})

t.test('no role is named like a predefined one, in whatever case, nor like another', async (t) => {
  const create = (RoleId: string) =>
    refusal(() => POST(context({ uri, body: { RoleId }, tables: { role: { Power: power } } })))
  for (const id of ['Administrator', 'ADMINISTRATOR', 'readonly', 'NoAccess']) {
    t.same(await create(id), { status: 400, messages: [['Base.RestrictedRole', id]] })
  }
  for (const id of ['Power', 'power']) {
    t.same(await create(id), { status: 409, messages: [['Base.ResourceAlreadyExists', 'Role', 'RoleId', id]] })
  }
})

t.test('403 for creating a role with privileges that the caller lacks', async (t) => {
  const manager = { user: 'mia', privileges: new Set(['LoginPriv', 'UserConfigPriv'] as const) }
  const create = (more: object) => POST(context({ uri, caller: manager, body: { RoleId: 'Mine', ...more } }))
  const forbidden = { status: 403, messages: [['Base.InsufficientPrivilege']] }
  t.match(await create({ AssignedPrivileges: ['Login', 'ConfigureUsers'] }), { status: 201 })
  for (const more of [
    { AssignedPrivileges: ['ConfigureManager'] },
    { AssignedPrivileges: ['ConfigureComponents'] },
    { AssignedPrivileges: ['ConfigureSelf'] },
    { OemPrivileges: ['SystemRecoveryConfigPriv'] }
  ])
    t.same(await refusal(() => create(more)), forbidden, JSON.stringify(more))
})

t.test('there are as many custom roles as the configuration allows', async (t) => {
  const { configuration } = context()
  const limits = { ...configuration.limits, roles: 1 }
  const full = { uri, body, tables: { role: { Other: power } }, configuration: { ...configuration, limits } }
  t.same(await refusal(() => POST(context(full))), {
    status: 409,
    messages: [['Base.CreateLimitReachedForResource']]
  })
})

t.test('the id of a role needs no escaping in a URI', async (t) => {
  const pattern = new RegExp(parameters.properties.RoleId.pattern, 'u')
  for (const id of ['Power', 'a.b-c_1', 'constructor']) t.match(id, pattern)
  for (const id of ['', '..', '__proto__', 'a b', 'a/b', '1a', 'ä', 'a\n']) t.notMatch(id, pattern)
})

t.test('reading takes LoginPriv, creating UserConfigPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv', POST: 'UserConfigPriv' })
})
