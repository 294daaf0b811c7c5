import t from 'tap'
import type { BiosPending, Values } from '#data/bios'
import { GET, PATCH, POST, PUT, privileges } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/Bios/Settings.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const params = { ComputerSystemId: '1' }
const attributes = { QuietBoot: true, BootPromptSeconds: 5, ServerName: 'db7', SystemSku: 'X1', UserPassword: null }
const hash = 'hash of Sesame-123'

const world = (pending?: Partial<BiosPending>) => ({
  params,
  tables: {
    biosCurrent: { 1: { attributes, passwords: {}, transferredAt: '', messages: [] } },
    ...(pending && { biosPending: { 1: { attributes: {}, reset: false, passwords: {}, ...pending } } })
  }
})

const after = async (method: typeof PATCH | typeof PUT, Attributes: Values, pending?: Partial<BiosPending>) => {
  const { writes, messages, status } = await method(context({ ...world(pending), body: { Attributes } }))
  t.match({ status, messages }, { status: 200, messages: [{ key: 'Mgmt.SystemResetRequired' }] })
  return writes?.biosPending?.['1']
}

t.test('the pending area shows the current values while nothing waits', async (t) => {
  t.same(GET(context(world())).Attributes, attributes)
})

t.test('it shows pending values in place of the current ones', async (t) => {
  const waiting = { QuietBoot: false, Flux: 1 }
  t.same(GET(context(world({ attributes: waiting }))).Attributes, { ...attributes, ...waiting })
})

t.test('it shows the defaults that a reset will restore, with later changes', async (t) => {
  const shown = GET(context(world({ reset: true, attributes: { BootPromptSeconds: 7 } }))).Attributes
  t.match(shown, { ServerName: '', BootPromptSeconds: 7, QuietBoot: true, SystemSku: 'X1' })
})

t.test('passwords are refused, all of them named, and nothing waits', async (t) => {
  const Attributes = { UserPassword: 'Sesame-123', QuietBoot: false }
  for (const method of [PATCH, PUT]) {
    t.match(await refusal(() => method(context({ ...world(), body: { Attributes } }))), {
      status: 400,
      messages: [['Mgmt.PasswordAttribute', 'UserPassword']]
    })
  }
})

t.test('a password may be sent as null, as it is read', async (t) => {
  t.same((await after(PATCH, { UserPassword: null, QuietBoot: false }))?.attributes, { QuietBoot: false })
  t.same((await after(PATCH, { UserPassword: null }, { reset: true }))?.attributes, {})
})

t.test('it never shows a password', async (t) => {
  t.notMatch(JSON.stringify(GET(context(world({ passwords: { User: hash } })))), /hash/)
})

t.test('PATCH and POST add to the pending values', async (t) => {
  const expected = { attributes: { QuietBoot: false, BootPromptSeconds: 9 }, reset: false, passwords: { User: hash } }
  const before = { attributes: { QuietBoot: false, BootPromptSeconds: 8 }, passwords: { User: hash } }
  t.same(await after(PATCH, { BootPromptSeconds: 9 }, before), expected)
  const posted = await POST(context({ ...world(before), body: { Attributes: { BootPromptSeconds: 9 } } }))
  t.same(posted.writes?.biosPending?.['1'], expected)
})

t.test('an attribute that has the value already is not pending', async (t) => {
  t.match(await after(PATCH, { QuietBoot: true }, { attributes: { QuietBoot: false, ServerName: 'x' } }), {
    attributes: { ServerName: 'x' }
  })
  t.same((await after(PATCH, { QuietBoot: true }))?.attributes, {})
})

t.test('after a reset to the defaults was requested, a present value is pending too', async (t) => {
  t.match(await after(PATCH, { ServerName: 'db7' }, { reset: true }), {
    attributes: { ServerName: 'db7' },
    reset: true
  })
})

t.test('PUT takes the place of all changes, but not of passwords', async (t) => {
  const before = { attributes: { QuietBoot: false }, reset: true, passwords: { User: hash } }
  t.same(await after(PUT, { ServerName: 'x' }, before), {
    attributes: { ServerName: 'x' },
    reset: false,
    passwords: { User: hash }
  })
  t.same((await after(PUT, {}, before))?.attributes, {})
})

t.test('PUT needs attributes', async (t) => {
  const body = { '@Redfish.SettingsApplyTime': { ApplyTime: 'OnReset' } } as const
  t.match(await refusal(() => PUT(context({ ...world(), body }))), {
    status: 400,
    messages: [['Base.PropertyMissing', 'Attributes']]
  })
})

t.test('an unknown attribute or an invalid value is accepted, and named after the reset', async (t) => {
  const odd = { Flux: 1, QuietBoot: 'loud', BootPromptSeconds: 1.5, ServerName: null }
  t.same((await after(PATCH, odd))?.attributes, odd)
})

t.test('settings beyond the room for pending ones are 507', async (t) => {
  const Attributes = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`U${index}`, 'x'.repeat(250)]))
  const full = { status: 507, messages: [['Base.InsufficientStorage']] }
  t.same(await refusal(() => PATCH(context({ ...world(), body: { Attributes } }))), full)
  t.same(await refusal(() => PUT(context({ ...world(), body: { Attributes } }))), full)
})

t.test('there is no pending area but that of a system', async (t) => {
  const other = { ...world(), params: { ComputerSystemId: '2' } }
  for (const method of [PATCH, POST, PUT]) {
    t.same(await refusal(() => method(context({ ...other, body: { Attributes: {} } }))), missing)
  }
  t.same(await refusal(() => GET(context(other))), missing)
})

t.test('changing takes HostBIOSConfigPriv', async (t) => {
  const needed = 'HostBIOSConfigPriv'
  t.same(privileges, { GET: 'LoginPriv', PATCH: needed, POST: needed, PUT: needed })
})
