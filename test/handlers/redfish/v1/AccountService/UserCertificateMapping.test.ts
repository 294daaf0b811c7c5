import t from 'tap'
import { fingerprint } from '#data/certificates'
import { GET as showOfAccount } from '#handlers/redfish/v1/AccountService/Accounts/{ManagerAccountId}/Certificates/{CertificateId}.ts'
import { GET as listOfAccount } from '#handlers/redfish/v1/AccountService/Accounts/{ManagerAccountId}/Certificates.ts'
import { DELETE, GET } from '#handlers/redfish/v1/AccountService/UserCertificateMapping/{UserName}.ts'
import { GET as list, POST, privileges } from '#handlers/redfish/v1/AccountService/UserCertificateMapping.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'
import { certificate, der } from '#test/handlers/keys.ts'

const uri = '/redfish/v1/AccountService/UserCertificateMapping'
const account = { jo: { name: 'jo', role: 'ReadOnly' }, li: { name: 'li', role: 'Operator' } }
const mapped = { account, userCertificate: { jo: { pem: certificate } } }
const params = { UserName: 'jo' }

t.test('a certificate is mapped to a user, however its line breaks are written', async (t) => {
  for (const text of [certificate, certificate.replaceAll('\n', '\\n'), certificate.replaceAll('\n', '\r\n')]) {
    t.match(await POST(context({ uri, body: { UserName: 'jo', Fingerprint: text }, tables: { account } })), {
      status: 201,
      location: `${uri}/jo`,
      writes: { userCertificate: { jo: { pem: certificate } } },
      events: [{ message: { key: 'MgmtEvents.UserCertificateMapped', args: ['jo'] }, origin: `${uri}/jo` }]
    })
  }
  t.same(privileges, { GET: 'LoginPriv', POST: 'UserConfigPriv' })
})

t.test('a mapping is deleted with the account, and stays when the user is renamed', async (t) => {
  const renamed = { account: { jo: { name: 'joe', role: 'ReadOnly' } }, userCertificate: { jo: { pem: certificate } } }
  t.match(GET(context({ uri: `${uri}/jo`, params, tables: renamed })), {
    UserName: 'joe',
    Links: { Account: { '@odata.id': '/redfish/v1/AccountService/Accounts/jo/' } }
  })
  t.match(
    await POST(
      context({ uri, body: { UserName: 'joe', Fingerprint: certificate }, tables: { account: renamed.account } })
    ),
    { location: `${uri}/jo`, writes: { userCertificate: { jo: { pem: certificate } } } }
  )
})

t.test('unknown users, second certificates and texts that are not certificates are refused', async (t) => {
  for (const [UserName, Fingerprint, status, ...message] of [
    ['nobody', certificate, 400, 'Base.PropertyValueIncorrect', 'UserName', 'nobody'],
    ['jo', certificate, 409, 'Base.ResourceAlreadyExists', 'UserCertificateMapping', 'UserName', 'jo'],
    ['li', certificate, 409, 'Base.ResourceAlreadyExists', 'UserCertificateMapping', 'Fingerprint', fingerprint(der)],
    ['li', fingerprint(der), 400, 'Mgmt.CertificateNotAccepted', 'it is not PEM']
  ] as const) {
    const posted = () => POST(context({ uri, body: { UserName, Fingerprint }, tables: mapped }))
    t.same(await refusal(posted), { status, messages: [message] })
  }
})

t.test('a mapping is shown and removed, and its certificate belongs to the account', async (t) => {
  t.same(list(context({ uri, tables: mapped })).Members, [{ '@odata.id': `${uri}/jo/` }])
  t.match(GET(context({ uri: `${uri}/jo`, params, tables: mapped })), {
    UserName: 'jo',
    Fingerprint: fingerprint(der),
    Links: { Certificate: { '@odata.id': '/redfish/v1/AccountService/Accounts/jo/Certificates/1/' } }
  })
  t.match(await DELETE(context({ uri: `${uri}/jo`, params, tables: mapped })), {
    writes: { userCertificate: { jo: null } },
    events: [{ message: { key: 'MgmtEvents.UserCertificateUnmapped', args: ['jo'] } }]
  })
  t.same(await refusal(() => DELETE(context({ params: { UserName: 'li' }, tables: mapped }))), missing)
  const of = (ManagerAccountId: string) => context({ uri, params: { ManagerAccountId }, tables: mapped })
  t.same([listOfAccount(of('jo')).Members?.length, listOfAccount(of('li')).Members?.length], [1, 0])
  t.same(await refusal(() => listOfAccount(of('nobody'))), missing)
  const show = (ManagerAccountId: string, CertificateId: string) =>
    showOfAccount(context({ params: { ManagerAccountId, CertificateId }, tables: mapped }))
  t.equal(show('jo', '1').CertificateString, certificate)
  for (const [user, id] of [
    ['jo', '2'],
    ['li', '1']
  ] as const)
    t.same(await refusal(() => show(user, id)), missing)
})

t.test('403 for mapping or removing the certificate of a user with privileges that the caller lacks', async (t) => {
  const privileges = new Set(['LoginPriv', 'ConfigureSelf', 'UserConfigPriv'] as const)
  const forbidden = { status: 403, messages: [['Base.InsufficientPrivilege']] }
  const map = (UserName: string) =>
    POST(context({ uri, body: { UserName, Fingerprint: certificate }, tables: { account }, caller: { privileges } }))
  t.match(await map('jo'), { status: 201 })
  t.same(await refusal(() => map('li')), forbidden)
  const both = { account, userCertificate: { jo: { pem: certificate }, li: { pem: certificate } } }
  const remove = (UserName: string) =>
    DELETE(context({ uri: `${uri}/${UserName}`, params: { UserName }, tables: both, caller: { privileges } }))
  t.match(await remove('jo'), { status: 200 })
  t.same(await refusal(() => remove('li')), forbidden)
})
