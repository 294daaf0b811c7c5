import { useState } from 'preact/hooks'
import { Action, Outcome } from '../parts/action.tsx'
import { CertificateFacts, CertificateInput } from '../parts/certificate.tsx'
import { Editable } from '../parts/editable.tsx'
import { Ipv4 } from '../parts/ipv4.tsx'
import { useOperation } from '../parts/operation.ts'
import { Card, Facts, Health, Loaded, when } from '../parts/show.tsx'
import { Submit } from '../parts/submit.tsx'
import type { CertificateFile } from '../rules/certificate.ts'
import { type Delivery, deliveryOf } from '../rules/delivery.ts'
import type { Field } from '../rules/forms.ts'
import { absent, type Known } from '../rules/known.ts'
import { send } from '../service/client.ts'
import { useManager } from '../service/machine.ts'
import { reread, useResource } from '../service/resources.ts'
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
      {(port) => (
        <Card title={port.Name}>
          <Facts
            of={[
              [t('state'), port.LinkStatus],
              ['MAC', port.MACAddress],
              ['IPv4', port.IPv4Addresses?.map(({ Address }) => Address).join(', ')],
              ['IPv6', port.IPv6Addresses?.map(({ Address }) => Address).join(', ')],
              [t('hostName'), port.FQDN]
            ]}
          />
          <details>
            <summary>{t('change')}</summary>
            {port.IPv4StaticAddresses && <Ipv4 port={port} />}
            <Editable uri={uri} from={known} which={(each) => !isOfIpv4(each)} />
          </details>
        </Card>
      )}
    </Loaded>
  )
}

/** These have a form of their own. */
const isOfIpv4 = ({ path: [first, second] }: Field) => first === 'IPv4StaticAddresses' || second === 'DHCPEnabled'

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
        <Submit label={t('createIt')} busy={operation.busy} />
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
        <Submit label={t('install')} busy={installing.busy} />
      </form>
      <Outcome operation={installing} />
    </Card>
  )
}

const subscriptions = '/redfish/v1/EventService/Subscriptions/'

const allSubscriptions = `${subscriptions}?$expand=.`

function Subscriptions() {
  const subscribing = useOperation()
  const [test, sendTest] = useTestEvent()
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    const body = { ...Object.fromEntries(new FormData(form)), Protocol: 'Redfish', EventFormatType: 'Event' }
    void subscribing
      .run(() => send('POST', subscriptions, body))
      .then((isDone) => isDone && form.reset())
      .then(() => reread(allSubscriptions))
  }
  return (
    <Card title={t('subscriptions')}>
      <Loaded from={useResource<Expanded<Subscription>>(allSubscriptions)}>
        {({ Members }) => Members.filter(isDelivered).map((each) => <Member key={each.Id} of={each} test={test} />)}
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
        <Submit label={t('subscribe')} busy={subscribing.busy} />
      </form>
      <Outcome operation={subscribing} />
      <Action label={t('testEvent')} act={sendTest} />
    </Card>
  )
}

/** Streams are there for as long as somebody looks; that of this page is one. */
const isDelivered = ({ SubscriptionType }: Subscription) => SubscriptionType !== 'SSE'

function Member({ of, test }: { readonly of: Subscription; readonly test: TestEvent | undefined }) {
  const before = test?.before.get(of.Id)
  const failed = of.Oem?.Vendor?.LastFailureTime
  return (
    <div class="member">
      <Facts
        of={[
          [t('destination'), of.Destination],
          [t('context'), of.Context],
          [t('state'), of.Status?.State],
          [t('health'), <Health key="health" of={of.Status?.Health} />],
          [t('lastDelivery'), when(of.Oem?.Vendor?.LastDeliveryTime)],
          [t('lastFailure'), failed && `${when(failed)}: ${of.Oem?.Vendor?.LastFailure}`]
        ]}
      />
      {before !== undefined && <TestDelivery of={deliveryOf(before, of, test?.isOver ?? false)} />}
      <Action
        label={t('delete')}
        kind="danger"
        question={t('deleteQuestion', of.Destination ?? of.Id)}
        act={() => send('DELETE', of['@odata.id']).finally(() => reread(allSubscriptions))}
      />
    </div>
  )
}

function TestDelivery({ of }: { readonly of: Delivery }) {
  const text = {
    delivered: () => t('testDelivered'),
    pending: () => t('testPending'),
    unwanted: () => t('testUnwanted'),
    failing: (cause: string) => t('testFailing', cause),
    dropped: (cause: string) => t('testDropped', cause)
  }[of.state]('cause' in of ? of.cause : '')
  return (
    <p role="status" class={'cause' in of ? 'problem' : 'note'}>
      {text}
    </p>
  )
}

interface TestEvent {
  /** The subscriptions as they were before, by their ids. */
  readonly before: ReadonlyMap<string, Subscription>
  /** Whether the page has stopped to look what becomes of it. */
  readonly isOver: boolean
}

/** When the page looks what has become of a test event, which no event tells: the seconds between. */
const looks = [0.2, 0.5, 1, 2, 4, 8]

/** Sends an event to all subscriptions, and follows what becomes of it for a while. */
function useTestEvent(): [TestEvent | undefined, () => Promise<unknown>] {
  const [test, setTest] = useState<TestEvent | undefined>()
  const read = async () => (await send<Expanded<Subscription>>('GET', allSubscriptions)).body.Members
  const follow = async (before: TestEvent['before']) => {
    for (const seconds of looks) {
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
      await reread(allSubscriptions)
    }
    setTest((last) => (last?.before === before ? { before, isOver: true } : last))
  }
  const act = async () => {
    const before = new Map((await read()).map((each) => [each.Id, each]))
    const answer = await send('POST', '/redfish/v1/EventService/Actions/EventService.SubmitTestEvent/', {
      EventId: `test-${Date.now()}`,
      MessageId: 'ResourceEvent.1.0.TestMessage',
      Severity: 'OK'
    })
    setTest({ before, isOver: false })
    void follow(before)
    return answer
  }
  return [test, act]
}
