// Each noun declares its tables when it is loaded, which the handlers of the product see to.
import '#generated'
import t, { type Test } from 'tap'
import { certificateFrom, certificateId } from '#data/certificates'
import { configuration } from '#data/configuration'
import type { Certificates } from '#hal/certificates.ts'
import { HalError } from '#hal/errors.ts'
import { Listeners } from '#runtime/base/listeners.ts'
import type { Event } from '#runtime/contract'
import { attachAuthorities } from '#runtime/service/certificates/authorities.ts'
import { Store } from '#runtime/store/store.ts'
import { Authority } from '#test/host/authority.ts'

const [one, two] = [new Authority(t, 'One').cert, new Authority(t, 'Two').cert]
const idOf = (cert: string) => certificateId(certificateFrom(cert))
const uri = (manager: string, cert: string) =>
  `/redfish/v1/Managers/${manager}/SecurityService/CertificateAuthentication/Certificates/${idOf(cert)}`

/** The authorities of a machine with two managers, the calls that it gets, and the events about it. */
async function open(t: Test, first?: Readonly<Record<string, string>>) {
  const store = await Store.open(`${t.testdir()}/store`, configuration.store)
  t.teardown(() => store.close())
  const listeners = new Listeners<'server' | 'authorities'>()
  const [told, calls]: [string[], string[]] = [[], []]
  let authorities = first && new Map(Object.entries(first))
  let refusal: HalError | undefined
  const become = (next: Readonly<Record<string, string>>, what: 'server' | 'authorities' = 'authorities') => {
    authorities = new Map(Object.entries(next))
    listeners.emit(what)
  }
  const call = (text: string, change: (present: Record<string, string>) => void) => {
    if (refusal !== undefined) throw refusal
    calls.push(text)
    const next = Object.fromEntries(authorities ?? [])
    change(next)
    become(next)
  }
  const machine = {
    get authorities() {
      return authorities
    },
    add: async (pem: string) =>
      call('add', (present) => {
        present.added = pem
      }),
    remove: async (name: string) =>
      call(`remove ${name}`, (present) => {
        delete present[name]
      }),
    on: (listener: (what: 'server' | 'authorities') => void) => listeners.add(listener)
  } as unknown as Certificates
  const events = {
    emit: (...all: Event[]) =>
      void told.push(...all.map(({ message: { key, args }, origin }) => `${key} ${origin} ${args}`))
  }
  const { close } = attachAuthorities(store, events, ['1', '2'], machine)
  return {
    ...{ store, told, calls, become, close },
    fail: (code: ConstructorParameters<typeof HalError>[0]) => {
      refusal = new HalError(code, 'the manager')
    },
    shown: () =>
      Object.fromEntries(store.keys('trustedCertificate').map((id) => [id, store.get('trustedCertificate', id)]))
  }
}

t.test('an authority that another program installs or removes is an event of each manager', async (t) => {
  const { told, become, shown } = await open(t, { a: one })
  t.same(shown(), { [idOf(one)]: { pem: one } })
  become({ a: one, b: two })
  t.same(Object.keys(shown()).sort(), [one, two].map(idOf).sort())
  t.same(
    told.splice(0),
    ['1', '2'].map((manager) => `MgmtEvents.CACertificateImported ${uri(manager, two)} CN=Two`)
  )
  become({ a: one, b: two, c: two }, 'authorities')
  t.same(told, [], 'one that was there already')
  become({ b: two, c: two })
  t.same(
    told.splice(0),
    ['1', '2'].map((manager) => `MgmtEvents.CACertificateRemoved ${uri(manager, one)} CN=One`)
  )
  become({}, 'server')
  t.same([told, Object.keys(shown())], [[], [idOf(two)]], 'another change is not looked at')
})

t.test(
  'authorities that become known at last are no change, and texts that are no certificates are left out',
  async (t) => {
    const { told, become, shown } = await open(t)
    t.same(shown(), {})
    become({ a: one, note: 'no certificate' })
    t.same([told, shown()], [[], { [idOf(one)]: { pem: one } }])
  }
)

t.test('a request installs an authority, and removes it under each of its names, without another event', async (t) => {
  const { store, told, calls, shown } = await open(t, { a: one, b: one })
  await store.commit({ trustedCertificate: { [idOf(two)]: { pem: two } } })
  t.same(calls.splice(0), ['add'])
  await store.commit({ trustedCertificate: { [idOf(one)]: null } })
  t.same(calls, ['remove a', 'remove b'])
  t.same([told, Object.keys(shown())], [[], [idOf(two)]])
})

t.test('an authority that the machine refuses is an error of the request', async (t) => {
  const { store, fail, shown } = await open(t, {})
  for (const [code, expected] of [
    [
      'EINVAL',
      { status: 400, messages: [{ key: 'Mgmt.CertificateNotAccepted', args: ['the certificate manager refuses it'] }] }
    ],
    ['ENODEV', { status: 503 }]
  ] as const) {
    fail(code)
    const error = await store.commit({ trustedCertificate: { [idOf(one)]: { pem: one } } }).catch((error) => error)
    t.match(error, expected, code)
    t.same(shown(), {})
  }
})

t.test('the authorities of a machine are followed to the end', async (t) => {
  const { told, become, close, shown } = await open(t, { a: one })
  await close()
  become({})
  t.same([told, shown()], [[], {}])
})
