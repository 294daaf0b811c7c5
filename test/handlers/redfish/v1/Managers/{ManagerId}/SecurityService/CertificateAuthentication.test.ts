import t from 'tap'
import type { License } from '#data/license'
import { GET, PATCH } from '#handlers/redfish/v1/Managers/{ManagerId}/SecurityService/CertificateAuthentication.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'
import { certificate } from '#test/handlers/keys.ts'

const uri = '/redfish/v1/Managers/1/SecurityService/CertificateAuthentication'
const params = { ManagerId: '1' }
const license: License = { key: '', class: 'Advanced', id: '1', serial: null, issued: 0, expires: null, ended: false }

/** A certificate of openssl's that an authority, CN=Servers, signed for CN=bmc-1. */
const signed = `-----BEGIN CERTIFICATE-----
MIIBHzCBxQIUEjavlEe+RrXMAIskZjslCD2OpIswCgYIKoZIzj0EAwIwEjEQMA4G
A1UEAwwHU2VydmVyczAgFw0yNjExMjEwMTA2MzRaGA8yMDUxMDQwNDAxMDYzNFow
EDEOMAwGA1UEAwwFYm1jLTEwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQ8DlBU
Jfi+vV5iXIZChG/KlBVr5SRXbGoZI+FYDB+aVrg7Ht6UZSwWLmS481BTKCxe0R1x
GYkK8UrfHbAq1KPVMAoGCCqGSM49BAMCA0kAMEYCIQC0d9iuWEvTvnoQFcunSlL7
Ro1VkH+0wsxMOaJpzlaE0QIhALoXXb/SW28th79AO0E5HXIY9S39upjHtrGCGjC5
QzmD
-----END CERTIFICATE-----
`

const all = {
  license: { 1: license },
  clock: { 1: { timeServers: ['ntp.example.net'] } },
  account: { jo: { name: 'jo', enabled: true } },
  userCertificate: { jo: { pem: certificate } },
  trustedCertificate: { AB: { pem: certificate } }
}

t.test('it says whether it is enabled', async (t) => {
  const shown = (tables = {}) => GET(context({ uri, params, tables })).CertificateLoginEnabled
  t.equal(shown(), false)
  t.equal(shown({ certificateLogin: { 1: { enabled: true } } }), true)
  t.same(await refusal(() => GET(context({ params: { ManagerId: '9' } }))), missing)
})

t.test('it is enabled if all conditions hold, and sends an event', async (t) => {
  const body = { CertificateLoginEnabled: true }
  t.match(await PATCH(context({ uri, params, body, tables: all, chain: signed })), {
    writes: { certificateLogin: { 1: { enabled: true } } },
    events: [{ message: { key: 'MgmtEvents.CertificateLoginEnabled' }, origin: uri }]
  })
})

t.test('each thing that is missing is named, and without a license it is forbidden', async (t) => {
  const body = { CertificateLoginEnabled: true }
  const refused = (tables: object, chain = signed) =>
    refusal(() => PATCH(context({ uri, params, body, tables, chain })))
  const requires = (reason: string) => ['Mgmt.CertificateLoginRequires', reason]
  const reasons = {
    clock: 'no time server is configured',
    userCertificate: 'no certificate is mapped to a user who can log in',
    trustedCertificate: 'no certificate of a certification authority was imported'
  }
  for (const [table, reason] of Object.entries(reasons)) {
    t.same(await refused({ ...all, [table]: {} }), { status: 409, messages: [requires(reason)] })
  }
  t.same(await refused({ ...all, account: { jo: { name: 'jo', enabled: false } } }), {
    status: 409,
    messages: [requires(reasons.userCertificate)]
  })
  t.same(await refused(all, certificate), {
    status: 409,
    messages: [requires('the certificate of the service is signed by itself')]
  })
  const over = { 1: { ...license, expires: 1 } }
  t.same(await refused({ ...all, license: over }), { status: 403, messages: [['Mgmt.LicenseKeyRequired']] })
  t.same(await refused({ ...all, license: { 1: { ...license, class: 'Essentials' } } }), {
    status: 403,
    messages: [['Mgmt.LicenseKeyRequired']]
  })
  t.equal((await refused({}, certificate)).messages.length, 5)
})

t.test('it is disabled without conditions; disabling it again sends no event', async (t) => {
  const body = { CertificateLoginEnabled: false }
  const enabled = { certificateLogin: { 1: { enabled: true } } }
  t.match(await PATCH(context({ uri, params, body, tables: enabled })), {
    writes: { certificateLogin: { 1: { enabled: false } } },
    events: [{ message: { key: 'MgmtEvents.CertificateLoginDisabled' } }]
  })
  t.same((await PATCH(context({ uri, params, body }))).events, [])
  t.same((await PATCH(context({ uri, params, body: { CertificateLoginEnabled: true }, tables: enabled }))).events, [])
})
