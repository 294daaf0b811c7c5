import { useState } from 'preact/hooks'
import { Action, Outcome } from '../parts/action.tsx'
import { CertificateFacts, CertificateInput } from '../parts/certificate.tsx'
import { Editable } from '../parts/editable.tsx'
import { useOperation } from '../parts/operation.ts'
import { Card, Facts, Loaded, when } from '../parts/show.tsx'
import type { CertificateFile } from '../rules/certificate.ts'
import type { Field } from '../rules/forms.ts'
import { absent, type Known } from '../rules/known.ts'
import { send } from '../service/client.ts'
import { useManager } from '../service/machine.ts'
import { textOf } from '../service/messages.ts'
import { reread, useResource } from '../service/resources.ts'
import { events } from '../service/stream.ts'
import type { Certificate, Expanded, Interface, License, Manager, Subscription } from '../types.ts'
import { nameOf, t } from '../words/index.ts'

/** The controller's own settings: network, time, certificate, license, subscriptions. */
export function Settings() {
  return (
    <Loaded from={useManager()}>
      {(manager) => (
        <div class="cards">
          <Network manager={manager} />
          <Protocols manager={manager} />
          <Time manager={manager} />
          <HttpsCertificate manager={manager} />
          <Licenses />
          <Subscriptions />
        </div>
      )}
    </Loaded>
  )
}

function Network({ manager }: { readonly manager: Manager }) {
  const uri = manager.EthernetInterfaces?.['@odata.id']
  const interfaces = useResource<Expanded<Interface>>(uri === undefined ? absent : `${uri}?$expand=.`)
  return (
    <Loaded from={interfaces}>
      {({ Members }) => Members.map((each) => <Port key={each.Id} uri={each['@odata.id']} />)}
    </Loaded>
  )
}

function Port({ uri }: { readonly uri: string }) {
  const known = useResource<Interface>(uri)
  return (
    <Loaded from={known}>
      {({ Name, LinkStatus, MACAddress, IPv4Addresses, IPv6Addresses, FQDN }) => (
        <Card title={Name}>
          <Facts
            of={[
              [t('state'), LinkStatus],
              ['MAC', MACAddress],
              ['IPv4', IPv4Addresses?.map(({ Address }) => Address).join(', ')],
              ['IPv6', IPv6Addresses?.map(({ Address }) => Address).join(', ')],
              [t('hostName'), FQDN]
            ]}
          />
          <details>
            <summary>{t('change')}</summary>
            <Editable uri={uri} from={known} />
          </details>
        </Card>
      )}
    </Loaded>
  )
}

function Protocols({ manager }: { readonly manager: Manager }) {
  const known = useProtocols(manager)
  return (
    <Card title={t('network')}>
      <Loaded from={known}>
        {({ '@odata.id': uri }) => <Editable uri={uri} from={known} which={(each) => !isOfTime(each)} />}
      </Loaded>
    </Card>
  )
}

function useProtocols({ NetworkProtocol: link }: Manager): Known<{ readonly '@odata.id': string }> {
  return useResource(link?.['@odata.id'] ?? absent)
}

/** The time servers are among the network protocols. */
const isOfTime = ({ path }: Field) => path[0] === 'NTP'

function Time({ manager }: { readonly manager: Manager }) {
  const protocols = useProtocols(manager)
  const clock = useResource<Clock>(manager.Oem?.Vendor?.Links?.DateTimeService?.['@odata.id'] ?? absent)
  return (
    <Card title={t('time')}>
      {clock.state !== 'absent' && (
        <Loaded from={clock}>
          {({ DateTime, DateTimeLocalOffset }) => (
            <Facts
              of={[
                [t('time'), when(DateTime)],
                [t('offset'), DateTimeLocalOffset]
              ]}
            />
          )}
        </Loaded>
      )}
      <Loaded from={protocols}>
        {({ '@odata.id': uri }) => <Editable uri={uri} from={protocols} which={isOfTime} />}
      </Loaded>
    </Card>
  )
}

interface Clock {
  readonly DateTime?: string
  readonly DateTimeLocalOffset?: string
}

function HttpsCertificate({ manager }: { readonly manager: Manager }) {
  const protocol = manager.NetworkProtocol?.['@odata.id']
  const uri = `${protocol}HTTPS/Certificates/1/`
  const known = useResource<Certificate>(protocol === undefined ? absent : uri)
  const [read, setRead] = useState<CertificateFile | undefined>()
  const replace = () =>
    send('POST', '/redfish/v1/CertificateService/Actions/CertificateService.ReplaceCertificate/', {
      CertificateString: read?.pem,
      CertificateType: 'PEM',
      CertificateUri: { '@odata.id': uri }
    }).finally(() => reread(uri))
  return (
    <Card title={t('httpsCertificate')}>
      <Loaded from={known}>{(certificate) => <CertificateFacts of={certificate} />}</Loaded>
      <Request collection={uri.replace(/1\/$/, '')} />
      <details>
        <summary>{t('replace')}</summary>
        <CertificateInput onRead={setRead} />
        <Action
          label={t('replace')}
          whyNot={read === undefined ? t('noFile') : undefined}
          question={t('replaceQuestion')}
          act={replace}
        />
      </details>
    </Card>
  )
}

const requestFields = ['CommonName', 'Organization', 'OrganizationalUnit', 'City', 'State', 'Country'] as const

/** A signing request (PKCS #10) for a new key, to be signed elsewhere. */
function Request({ collection }: { readonly collection: string }) {
  const operation = useOperation()
  const [request, setRequest] = useState('')
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const form = Object.fromEntries(new FormData(event.currentTarget as HTMLFormElement))
    void operation.run(async () => {
      const { body } = await send<{ CSRString?: string }>(
        'POST',
        '/redfish/v1/CertificateService/Actions/CertificateService.GenerateCSR/',
        { ...form, CertificateCollection: { '@odata.id': collection } }
      )
      setRequest(body.CSRString ?? '')
    })
  }
  return (
    <details>
      <summary>{t('signingRequest')}</summary>
      <form onSubmit={submit}>
        {requestFields.map((each) => (
          <label key={each}>
            {nameOf([each])}
            <input name={each} required maxLength={each === 'Country' ? 2 : 64} />
          </label>
        ))}
        <button type="submit" aria-busy={operation.busy}>
          {t('createIt')}
        </button>
      </form>
      <Outcome operation={operation} />
      {request !== '' && <textarea readOnly rows={6} aria-label={t('signingRequest')} value={request} />}
    </details>
  )
}

const licenses = '/redfish/v1/LicenseService/Licenses/'

function Licenses() {
  const uri = `${licenses}?$expand=.`
  const installing = useOperation()
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    void installing.run(() => send('POST', licenses, Object.fromEntries(new FormData(form)))).then(() => reread(uri))
  }
  return (
    <Card title={t('license')}>
      <Loaded from={useResource<Expanded<License>>(uri)}>
        {({ Members }) =>
          Members.map((each) => (
            <div key={each.Id} class="member">
              <Facts
                of={[
                  ['SKU', each.SKU],
                  [t('installed'), when(each.InstallDate)],
                  [t('valid'), when(each.ExpirationDate)]
                ]}
              />
              <Action
                label={t('delete')}
                kind="danger"
                question={t('deleteQuestion', t('license'))}
                act={() => send('DELETE', each['@odata.id']).finally(() => reread(uri))}
              />
            </div>
          ))
        }
      </Loaded>
      <form onSubmit={submit}>
        <label>
          {t('licenseKey')}
          <input name="LicenseString" required autocomplete="off" />
        </label>
        <button type="submit" aria-busy={installing.busy}>
          {t('install')}
        </button>
      </form>
      <Outcome operation={installing} />
    </Card>
  )
}

const subscriptions = '/redfish/v1/EventService/Subscriptions/'

function Subscriptions() {
  const uri = `${subscriptions}?$expand=.`
  const subscribing = useOperation()
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    const body = { ...Object.fromEntries(new FormData(form)), Protocol: 'Redfish', EventFormatType: 'Event' }
    void subscribing
      .run(() => send('POST', subscriptions, body))
      .then((isDone) => isDone && form.reset())
      .then(() => reread(uri))
  }
  return (
    <Card title={t('subscriptions')}>
      <Loaded from={useResource<Expanded<Subscription>>(uri)}>
        {({ Members }) =>
          // Streams are there for as long as somebody looks; that of this page is one.
          Members.filter(({ SubscriptionType }) => SubscriptionType !== 'SSE').map((each) => (
            <div key={each.Id} class="member">
              <Facts
                of={[
                  [t('destination'), each.Destination],
                  [t('context'), each.Context],
                  [t('state'), each.Status?.State]
                ]}
              />
              <Action
                label={t('delete')}
                kind="danger"
                question={t('deleteQuestion', each.Destination ?? each.Id)}
                act={() => send('DELETE', each['@odata.id']).finally(() => reread(uri))}
              />
            </div>
          ))
        }
      </Loaded>
      <form onSubmit={submit}>
        <label>
          {t('destination')}
          <input name="Destination" type="url" required placeholder="https://…" />
        </label>
        <label>
          {t('context')}
          <input name="Context" />
        </label>
        <button type="submit" aria-busy={subscribing.busy}>
          {t('subscribe')}
        </button>
      </form>
      <Outcome operation={subscribing} />
      <TestEvent />
    </Card>
  )
}

/** Sends an event to everybody who listens, this page among them, and shows that it arrives. */
function TestEvent() {
  const [id, setId] = useState('')
  const arrived = events.value.find((each) => each.EventId === id)
  const act = async () => {
    const next = `test-${Date.now()}`
    setId(next)
    return send('POST', '/redfish/v1/EventService/Actions/EventService.SubmitTestEvent/', {
      EventId: next,
      MessageId: 'ResourceEvent.1.0.TestMessage',
      Severity: 'OK'
    })
  }
  return (
    <>
      <Action label={t('testEvent')} act={act} />
      {arrived !== undefined && (
        <p role="status" class="note">
          {t('arrived')} {textOf(arrived).text}
        </p>
      )}
    </>
  )
}
