import { useState } from 'preact/hooks'
import { Action } from '../parts/action.tsx'
import { Field, FormPanel, SwitchField, useForm } from '../parts/form.tsx'
import { Card, Health, Loaded, Status } from '../parts/show.tsx'
import { Table } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { type Delivery, deliveryOf } from '../rules/delivery.ts'
import { send } from '../service/client.ts'
import { reread, useResource } from '../service/resources.ts'
import type { Expanded, Subscription } from '../types.ts'
import { t } from '../words/index.ts'
import { Triggers } from './triggers.tsx'

const service = '/redfish/v1/EventService/'
const collection = `${service}Subscriptions/`
const all = `${collection}?$expand=.`

/** Subscriptions, the state of their deliveries, and triggers. */
export function Notifications() {
  const [isOpen, setOpen] = useState(false)
  const [test, sendTest] = useTestEvent()
  return (
    <>
      <div class="tools">
        <Action label={t('testEvent')} act={sendTest} />
        <Action label={t('newSubscription')} kind="primary" act={async () => setOpen(true)} />
      </div>
      <Loaded from={useResource<Expanded<Subscription>>(all)}>
        {({ Members }) => <Subscriptions of={Members.filter(isDelivered)} test={test} />}
      </Loaded>
      <Triggers />
      {isOpen && <Subscribe onClose={() => setOpen(false)} />}
    </>
  )
}

/** Leaves out streams: they exist only while a client is connected, and the stream of this page is one. */
const isDelivered = ({ SubscriptionType }: Subscription) => SubscriptionType !== 'SSE'

interface Props {
  readonly of: readonly Subscription[]
  readonly test: TestEvent | undefined
}

function Subscriptions({ of, test }: Props) {
  return (
    <Card title={t('subscriptions')}>
      <Table
        caption={t('subscriptions')}
        empty={t('noSubscriptions')}
        columns={[
          {
            head: t('destination'),
            value: ({ Destination }) => Destination,
            cell: ({ Destination }) => <bdi class="long">{Destination}</bdi>
          },
          {
            head: t('type'),
            value: ({ Protocol, EventFormatType }) =>
              Protocol === 'SyslogTLS'
                ? 'Syslog'
                : EventFormatType === 'MetricReport'
                  ? t('metricReports')
                  : t('events')
          },
          { head: t('context'), value: ({ Context }) => Context },
          {
            head: t('delivery'),
            value: ({ Status }) => Status?.Health,
            cell: (each) => <Progress of={each} test={test} />
          },
          {
            head: t('lastDelivery'),
            value: ({ Oem }) => Oem?.Vendor?.LastDeliveryTime,
            cell: ({ Oem }) => <Time of={Oem?.Vendor?.LastDeliveryTime} />
          },
          { head: t('delete'), cell: (each) => <Delete of={each} /> }
        ]}
        rows={of}
        keyOf={(each) => each['@odata.id']}
      />
    </Card>
  )
}

/** How deliveries go, and what became of the test event. */
function Progress({ of, test }: { readonly of: Subscription; readonly test: TestEvent | undefined }) {
  const before = test?.before.get(of.Id)
  const { LastFailureTime: failedAt, LastFailure: failure } = of.Oem?.Vendor ?? {}
  const isFailing = of.Status?.Health !== 'OK'
  return (
    <>
      <Health of={of.Status?.Health} />
      {isFailing && failedAt != null && (
        <p>
          <Time of={failedAt} />: {failure}
        </p>
      )}
      <Status>{before !== undefined && <TestDelivery of={deliveryOf(before, of, test?.isOver ?? false)} />}</Status>
    </>
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
  return <p class={'cause' in of ? 'problem' : 'note'}>{text}</p>
}

function Delete({ of }: { readonly of: Subscription }) {
  return (
    <Action
      label={t('delete')}
      of={of.Destination ?? of.Id}
      kind="danger"
      question={t('deleteQuestion', of.Destination ?? of.Id)}
      act={() => send('DELETE', of['@odata.id']).finally(() => reread(all))}
    />
  )
}

/** A new subscription. */
function Subscribe({ onClose }: { readonly onClose: () => void }) {
  const form = useForm({
    uri: collection,
    method: 'POST',
    stored: { kind: 'Event', destination: '', context: '', verify: 'true' },
    properties: {
      kind: 'EventFormatType',
      destination: 'Destination',
      context: 'Context',
      verify: 'VerifyCertificate'
    },
    shownBy: all,
    check: ({ kind, destination }) =>
      destination.startsWith(schemes[kind] ?? '') && destination.length > 10
        ? {}
        : { destination: t('destinationWrong', `${schemes[kind]}…`) },
    body: ({ kind, destination, context, verify }) => ({
      Destination: destination.trim(),
      Context: context,
      VerifyCertificate: verify === 'true',
      ...(kind === 'SyslogTLS'
        ? { Protocol: 'SyslogTLS', SubscriptionType: 'Syslog' }
        : { Protocol: 'Redfish', EventFormatType: kind })
    }),
    onDone: onClose
  })
  const { kind } = form.entered
  return (
    <FormPanel form={form} title={t('newSubscription')} label={t('subscribe')} onClose={onClose}>
      <Field
        form={form}
        name="kind"
        label={t('type')}
        choices={[
          ['Event', t('events')],
          ['MetricReport', t('metricReports')],
          ['SyslogTLS', 'Syslog']
        ]}
      />
      <Field form={form} name="destination" label={t('destination')} help={`${schemes[kind]}…`} />
      <Field form={form} name="context" label={t('context')} help={t('contextHelp')} />
      <SwitchField form={form} name="verify" label={t('verifyCertificate')} />
    </FormPanel>
  )
}

/** How the destinations of each kind begin. */
const schemes: Readonly<Record<string, string>> = {
  Event: 'https://',
  MetricReport: 'https://',
  SyslogTLS: 'syslog://'
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
  const read = async () => (await send<Expanded<Subscription>>('GET', all)).body.Members
  const follow = async (before: TestEvent['before']) => {
    for (const seconds of looks) {
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
      await reread(all)
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
