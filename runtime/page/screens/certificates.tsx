import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Action } from '../parts/action.tsx'
import type { Allowed } from '../parts/allowed.ts'
import { CertificateFacts, CertificateInput } from '../parts/certificate.tsx'
import { Field, FormFields, useForm } from '../parts/form.tsx'
import { Modal } from '../parts/question.tsx'
import { Card, Loaded, Mono } from '../parts/show.tsx'
import { Table } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import type { CertificateFile } from '../rules/certificate.ts'
import { optional, partOf, together, valueIn } from '../rules/known.ts'
import { send } from '../service/client.ts'
import { useManager } from '../service/machine.ts'
import { reread, useMembers, useResource } from '../service/resources.ts'
import type {
  Account,
  Certificate,
  CertificateLogin,
  NetworkProtocol,
  SecurityService,
  UserCertificate
} from '../types.ts'
import { nameOf, t } from '../words/index.ts'
import { Renewal } from './renewal.tsx'

const none: readonly Certificate[] = []

const service = '/redfish/v1/CertificateService/Actions/CertificateService.'

/** The certificate of this page, and those that users log in with. */
export function Certificates() {
  const manager = useManager()
  const protocols = useResource<NetworkProtocol>(partOf(manager, (each) => each.NetworkProtocol?.['@odata.id']))
  const collection = partOf(protocols, ({ HTTPS }) => HTTPS?.Certificates)
  const own = useMembers<Certificate>(collection)
  const security = useResource<SecurityService>(
    partOf(manager, (each) => each.Oem?.Vendor?.Links?.SecurityService?.['@odata.id'])
  )
  const login = useResource<CertificateLogin>(
    partOf(security, ({ Links }) => Links?.CertificateAuthentication?.['@odata.id'])
  )
  const authorities = useMembers<Certificate>(partOf(login, (each) => each.Certificates))
  const all = together(optional(collection), optional(own), optional(together(login, authorities)))
  return (
    <Loaded from={all}>
      {([collection, [first] = none, login]) => (
        <>
          {first && <Own collection={collection?.['@odata.id'] ?? ''} certificate={first} />}
          {first && <Renewal />}
          {login && <Login of={login[0]} authorities={login[1]} />}
          {!first && !login && <p class="absent">{t('absent')}</p>}
        </>
      )}
    </Loaded>
  )
}

interface OwnProps {
  readonly collection: string
  readonly certificate: Certificate
}

/** The certificate of this page. */
function Own({ collection, certificate }: OwnProps) {
  const [opened, open] = useState<'request' | 'replace' | undefined>()
  const close = () => open(undefined)
  return (
    <Card
      title={t('httpsCertificate')}
      tools={
        <>
          <Action label={t('signingRequest')} act={async () => open('request')} />
          <Action label={t('replace')} act={async () => open('replace')} />
        </>
      }
    >
      <CertificateFacts of={certificate} />
      {opened === 'request' && <Request collection={collection} onClose={close} />}
      {opened === 'replace' && <Replace collection={collection} certificate={certificate} onClose={close} />}
    </Card>
  )
}

interface Closable {
  readonly onClose: () => void
}

function Replace({ collection, certificate, onClose }: OwnProps & Closable) {
  const [read, setRead] = useState<CertificateFile | undefined>()
  const replace = async () => {
    await send('POST', `${service}ReplaceCertificate/`, {
      CertificateString: read?.pem,
      CertificateType: 'PEM',
      CertificateUri: { '@odata.id': certificate['@odata.id'] }
    })
    await reread(`${collection}?$expand=.`)
    onClose()
  }
  return (
    <Modal kind="panel" title={t('replace')} onClose={onClose}>
      <CertificateInput onRead={setRead} />
      <Action
        label={t('replaceIt')}
        kind="primary"
        whyNot={read === undefined ? t('noFile') : undefined}
        question={t('replaceQuestion')}
        act={replace}
      />
    </Modal>
  )
}

const names = ['CommonName', 'Organization', 'OrganizationalUnit', 'City', 'State', 'Country'] as const

/** A signing request (PKCS #10) for a new key, to be signed elsewhere. */
function Request({ collection, onClose }: { readonly collection: string } & Closable) {
  const [request, setRequest] = useState('')
  const form = useForm({
    uri: `${service}GenerateCSR/`,
    method: 'POST',
    stored: {
      CommonName: location.hostname,
      Organization: '',
      OrganizationalUnit: '',
      City: '',
      State: '',
      Country: ''
    },
    properties: Object.fromEntries(names.map((each) => [each, each])) as Record<(typeof names)[number], string>,
    check: (entered) =>
      Object.fromEntries(names.flatMap((each) => (entered[each].trim() === '' ? [[each, t('fieldMissing')]] : []))),
    body: (entered) => ({ ...entered, CertificateCollection: { '@odata.id': collection } }),
    onDone: (answer) => setRequest((answer as { readonly CSRString?: string }).CSRString ?? '')
  })
  const close = () => {
    form.clear()
    onClose()
  }
  return (
    <Modal kind="panel" title={t('signingRequest')} onClose={close}>
      {request === '' ? (
        <FormFields form={form} label={t('createIt')}>
          {names.map((each) => (
            <Field key={each} form={form} name={each} label={nameOf([each])} />
          ))}
        </FormFields>
      ) : (
        <>
          <textarea readOnly rows={16} aria-label={t('signingRequest')} value={request} />
          <button type="button" class="primary" onClick={() => void navigator.clipboard?.writeText(request)}>
            {t('copy')}
          </button>
        </>
      )}
    </Modal>
  )
}

const mappings = '/redfish/v1/AccountService/UserCertificateMapping/'

interface LoginProps {
  readonly of: CertificateLogin
  readonly authorities: readonly Certificate[]
}

/** Login with certificates: whether it is on, the authorities that sign them, and the users who have one. */
function Login({ of, authorities }: LoginProps) {
  const [opened, open] = useState<'authority' | 'user' | undefined>()
  const close = () => open(undefined)
  const isOn = of.CertificateLoginEnabled ?? false
  const uri = of['@odata.id']
  const trusted = `${of.Certificates?.['@odata.id']}?$expand=.`
  const users = useMembers<UserCertificate>({ '@odata.id': mappings })
  return (
    <>
      <Card title={t('authorities')} tools={<Action label={t('importIt')} act={async () => open('authority')} />}>
        <div class="row over">
          {t('certificateLogin')}
          <Badge isOn={isOn} />
          <Action
            label={t(isOn ? 'disable' : 'enable')}
            act={() => send('PATCH', uri, { CertificateLoginEnabled: !isOn }).finally(() => reread(uri))}
          />
        </div>
        <Table
          caption={t('authorities')}
          empty={t('noAuthorities')}
          columns={[
            { head: t('subject'), value: ({ Subject }) => Subject?.DisplayString },
            { head: t('issuer'), value: ({ Issuer }) => Issuer?.DisplayString },
            {
              head: t('validUntil'),
              value: ({ ValidNotAfter }) => ValidNotAfter,
              cell: ({ ValidNotAfter }) => <Time of={ValidNotAfter} />
            },
            {
              head: t('delete'),
              cell: (each) => (
                <Delete uri={each['@odata.id']} name={each.Subject?.DisplayString ?? each.Id} shownBy={trusted} />
              )
            }
          ]}
          rows={authorities}
          keyOf={(each) => each['@odata.id']}
        />
      </Card>
      <Card
        title={t('userCertificates')}
        tools={<Action label={t('assign')} needs="UserConfigPriv" act={async () => open('user')} />}
      >
        <Loaded from={users}>
          {(all) => (
            <Table
              caption={t('userCertificates')}
              empty={t('noUserCertificates')}
              columns={[
                { head: t('user'), value: ({ UserName }) => UserName },
                {
                  head: t('fingerprint'),
                  value: ({ Fingerprint }) => Fingerprint,
                  cell: (each) => <Mono>{each.Fingerprint}</Mono>
                },
                {
                  head: t('delete'),
                  cell: (each) => (
                    <Delete
                      uri={each['@odata.id']}
                      name={each.UserName ?? each.Id}
                      shownBy={`${mappings}?$expand=.`}
                      needs="UserConfigPriv"
                    />
                  )
                }
              ]}
              rows={all}
              keyOf={(each) => each['@odata.id']}
            />
          )}
        </Loaded>
      </Card>
      {opened === 'authority' && (
        <Give
          title={t('importAuthority')}
          onClose={close}
          send={(pem) =>
            send('POST', of.Actions?.['#VendorCertAuth.ImportCACertificate']?.target ?? '', { Certificate: pem })
          }
          shownBy={trusted}
        />
      )}
      {opened === 'user' && <Assign onClose={close} />}
    </>
  )
}

function Badge({ isOn }: { readonly isOn: boolean }) {
  return <span class={`badge ${isOn ? 'good' : ''}`}>{t(isOn ? 'enabled' : 'disabled')}</span>
}

interface DeleteProps extends Allowed {
  readonly uri: string
  readonly name: string
  readonly shownBy: string
}

function Delete({ uri, name, shownBy, ...allowed }: DeleteProps) {
  return (
    <Action
      label={t('delete')}
      of={name}
      kind="danger"
      question={t('deleteQuestion', name)}
      act={() => send('DELETE', uri).finally(() => reread(shownBy))}
      {...allowed}
    />
  )
}

interface GiveProps extends Closable, Allowed {
  readonly title: string
  readonly send: (pem: string) => Promise<unknown>
  /** The resource that shows it then. */
  readonly shownBy: string
  readonly children?: ComponentChildren
}

/** Takes a certificate from a file, shows it, and gives it to the service. */
function Give({ title, send: give, shownBy, onClose, children, ...allowed }: GiveProps) {
  const [read, setRead] = useState<CertificateFile | undefined>()
  return (
    <Modal kind="panel" title={title} onClose={onClose}>
      {children}
      <CertificateInput onRead={setRead} />
      <Action
        label={t('save')}
        kind="primary"
        whyNot={read === undefined ? t('noFile') : undefined}
        act={async () => {
          await give(read?.pem ?? '')
          await reread(shownBy)
          onClose()
        }}
        {...allowed}
      />
    </Modal>
  )
}

/** Assigns a certificate to a user. */
function Assign({ onClose }: Closable) {
  const accounts = valueIn(useMembers<Account>({ '@odata.id': '/redfish/v1/AccountService/Accounts/' })) ?? []
  const [user, setUser] = useState<string | undefined>()
  const chosen = user ?? accounts[0]?.UserName
  return (
    <Give
      title={t('userCertificates')}
      needs="UserConfigPriv"
      onClose={onClose}
      send={(pem) => send('POST', mappings, { UserName: chosen, Fingerprint: pem })}
      shownBy={`${mappings}?$expand=.`}
    >
      <label>
        {t('user')}
        <select value={chosen} onChange={({ currentTarget }) => setUser(currentTarget.value)}>
          {accounts.map(({ Id, UserName }) => (
            <option key={Id}>{UserName}</option>
          ))}
        </select>
      </label>
    </Give>
  )
}
