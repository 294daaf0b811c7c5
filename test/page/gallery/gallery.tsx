import { type ComponentChildren, render } from 'preact'
import { useState } from 'preact/hooks'
import { Action } from '#runtime/page/parts/action.tsx'
import { CertificateFacts, CertificateInput } from '#runtime/page/parts/certificate.tsx'
import { Chart, Sparkline } from '#runtime/page/parts/chart.tsx'
import { ConsolePreview } from '#runtime/page/parts/console-preview.tsx'
import { Editable } from '#runtime/page/parts/editable.tsx'
import { ChangedElsewhere } from '#runtime/page/parts/elsewhere.tsx'
import { FieldProblem } from '#runtime/page/parts/field-problem.tsx'
import { Fields } from '#runtime/page/parts/fields.tsx'
import { FileChoice } from '#runtime/page/parts/file-choice.tsx'
import { Field, FormFields, SwitchField, useForm } from '#runtime/page/parts/form.tsx'
import { LastHour } from '#runtime/page/parts/last-hour.tsx'
import { Opened } from '#runtime/page/parts/opened.tsx'
import { Popover } from '#runtime/page/parts/popover.tsx'
import { Problem } from '#runtime/page/parts/problem.tsx'
import { confirm, Modal, Questions } from '#runtime/page/parts/question.tsx'
import { RemoveKey } from '#runtime/page/parts/remove-key.tsx'
import { Segments } from '#runtime/page/parts/segments.tsx'
import { SensorChart } from '#runtime/page/parts/sensor-chart.tsx'
import { Card, Facts, Health, Loaded, Mono, PowerState, Tile } from '#runtime/page/parts/show.tsx'
import { Stepper } from '#runtime/page/parts/stepper.tsx'
import { Submit } from '#runtime/page/parts/submit.tsx'
import { Switch } from '#runtime/page/parts/switch.tsx'
import { Table } from '#runtime/page/parts/table.tsx'
import { Time } from '#runtime/page/parts/time.tsx'
import { Toasts, toast } from '#runtime/page/parts/toast.tsx'
import { Trial } from '#runtime/page/parts/trial.tsx'
import { Failure } from '#runtime/page/rules/failure.ts'
import type { Field as SchemaField } from '#runtime/page/rules/forms.ts'
import { followTheme } from '#runtime/page/service/preferences.ts'
import { followPrivileges } from '#runtime/page/service/privileges.ts'
import { useResource } from '#runtime/page/service/resources.ts'
import { restore } from '#runtime/page/service/session.ts'
import type { Certificate, Sensor, System } from '#runtime/page/types.ts'

/** The parts that screens are made of, each in its states. It runs in place of the page, in a session of its service. */

const noon = Date.parse('2026-03-01T12:00:00Z')
const minute = 60_000
const temperatures = [48, 49, 51, 55, 62, 70, 76, 74, 69, 63]
const points = temperatures.map((value, index) => ({ time: noon - (10 - index) * minute, value }))
const refusal = new Failure(400, [
  {
    MessageId: 'Base.1.19.PropertyValueOutOfRange',
    Message: 'The value 900 of the property Port is out of range.',
    Resolution: 'Enter a port from 1 to 65535.',
    MessageSeverity: 'Warning'
  }
])
const certificate = {
  Subject: { DisplayString: 'CN=bmc-17.example.net' },
  Issuer: { DisplayString: 'CN=Example Issuing CA' },
  ValidNotBefore: '2026-01-01T00:00:00Z',
  ValidNotAfter: '2027-01-01T00:00:00Z',
  Fingerprint: '3A:5C:11:90:7F:02:8E:44'
} as Certificate
const users = [
  { name: 'admin', role: 'Administrator', logins: 12 },
  { name: 'operator', role: 'Operator', logins: 3 },
  { name: 'monitoring', role: 'ReadOnly', logins: 4804 }
]
const columns = [
  { head: 'Name', value: (row: (typeof users)[number]) => row.name },
  { head: 'Role', value: (row: (typeof users)[number]) => row.role },
  { head: 'Logins', value: (row: (typeof users)[number]) => row.logins }
]
const field = (name: string, more: Partial<SchemaField>): SchemaField => ({
  path: [name],
  kind: 'text',
  property: { description: `The ${name} of this machine.` },
  choices: [],
  columns: [],
  nullable: false,
  required: false,
  value: undefined,
  ...more
})
const never = () => new Promise<never>(() => {})
const nothing = () => {}

/** One part of the page: its name is that of its file. */
function Part({ file, children }: { readonly file: string; readonly children: ComponentChildren }) {
  return (
    <section class="card" data-part={file} aria-labelledby={file}>
      <h2 id={file}>{file}</h2>
      {children}
    </section>
  )
}

function State({ of, children }: { readonly of: string; readonly children: ComponentChildren }) {
  return (
    <>
      <h3>{of}</h3>
      {children}
    </>
  )
}

function Forms() {
  const form = useForm({
    uri: '/redfish/v1/Managers/1/NetworkProtocol/',
    stored: { port: '443', secret: '', protocol: 'TCP', isOn: 'true', servers: 'ntp1.example.net\nntp2.example.net' },
    properties: {
      port: 'HTTPS/Port',
      secret: 'Secret',
      protocol: 'Protocol',
      servers: 'NTP/NTPServers',
      isOn: 'HTTPS/ProtocolEnabled'
    },
    secrets: ['secret'],
    check: () => ({ port: 'Enter a port from 1 to 65535.' }),
    body: () => ({})
  })
  return (
    <FormFields form={form} label="Save the protocol">
      <Field form={form} name="port" kind="number" label="Port" help="From 1 to 65535" />
      <Field form={form} name="secret" label="Shared secret" />
      <Field
        form={form}
        name="protocol"
        label="Protocol"
        choices={[
          ['TCP', 'TCP'],
          ['UDP', 'UDP']
        ]}
      />
      <Field form={form} name="servers" kind="lines" label="Servers" />
      <SwitchField form={form} name="isOn" label="Enabled" />
    </FormFields>
  )
}

function Choices() {
  const [value, choose] = useState<'Hour' | 'Day'>('Hour')
  const choices = [
    ['Hour', 'An hour'],
    ['Day', 'A day']
  ] as const
  return <Segments label="Range" choices={choices} value={value} onChoose={choose} />
}

function Switches() {
  const [isOn, turn] = useState(true)
  return (
    <>
      <Switch label="On" isOn={isOn} onSwitch={turn} />
      <Switch label="Off" isOn={!isOn} onSwitch={turn} />
      <Switch label="Refused" isOn isWrong onSwitch={nothing} />
    </>
  )
}

function Selection() {
  const [selected, select] = useState<ReadonlySet<string>>(new Set(['operator']))
  const [tools] = useState(<button type="button">Delete</button>)
  const rest = { keyOf: (row: (typeof users)[number]) => row.name, selected, onSelect: select, tools }
  return <Table caption="Accounts" columns={columns} rows={users} page={2} {...rest} />
}

/** The parts that read from the service. */
function OfTheService() {
  const sensor = useResource<Sensor>('/redfish/v1/Chassis/1/Sensors/2/')
  const system = useResource<System>('/redfish/v1/Systems/1/')
  return (
    <>
      <Part file="editable">
        <Editable
          uri="/redfish/v1/Systems/1/"
          from={system}
          which={({ path: [name] }) => name === 'PowerRestorePolicy'}
        />
      </Part>
      <Part file="sensor-chart">
        <Loaded from={sensor}>{(value) => <SensorChart of={[value]} limitOf={() => 90} to={Date.now()} />}</Loaded>
      </Part>
      <Part file="last-hour">
        <Loaded from={sensor}>{(value) => <LastHour of={value} history={() => points} to={noon} />}</Loaded>
      </Part>
      <Part file="console-preview">
        <Loaded from={system}>{(value) => <ConsolePreview system={value} />}</Loaded>
      </Part>
    </>
  )
}

function Dialogs() {
  const [kind, show] = useState<'dialog' | 'panel'>()
  return (
    <div class="row">
      <button type="button" onClick={() => void confirm('Force off', 'The operating system is not told.', 'Force off')}>
        Ask
      </button>
      <button type="button" onClick={() => show('dialog')}>
        Open a dialog
      </button>
      <button type="button" onClick={() => show('panel')}>
        Open a panel
      </button>
      {kind && (
        <Modal
          title={kind === 'panel' ? 'A panel' : 'A dialog'}
          onClose={() => show(undefined)}
          {...(kind === 'panel' && { kind })}
        >
          <p>Its content.</p>
          <button type="button" onClick={() => show(undefined)}>
            Done
          </button>
        </Modal>
      )}
    </div>
  )
}

function Gallery() {
  const draft = { value: 'rack 7', base: 'rack 5' }
  return (
    <main class="gallery">
      <h1>Parts of the page</h1>
      <Part file="action">
        <State of="kinds">
          <Action label="Restart" act={async () => {}} />
          <Action label="Apply" kind="primary" act={async () => {}} />
          <Action label="Force off" kind="danger" act={async () => {}} />
          <Action label="More" kind="plain" act={async () => {}} />
        </State>
        <State of="not now">
          <Action label="Erase" act={never} whyNot="The drive is in use." />
        </State>
        <State of="busy">
          <Action label="Work" act={never} />
        </State>
        <State of="failed">
          <Action label="Fail" act={() => Promise.reject(refusal)} />
        </State>
      </Part>
      <Part file="submit">
        <form>
          <Submit label="Store" busy={false} kind="primary" />
          <Submit label="Storing" busy={true} />
        </form>
      </Part>
      <Part file="remove-key">
        <RemoveKey uri="/redfish/v1/AccountService/Accounts/admin/" />
      </Part>
      <Part file="switch">
        <Switches />
      </Part>
      <Part file="segments">
        <Choices />
      </Part>
      <Part file="popover">
        <Popover button="Menu">
          <a href="#/overview">Overview</a>
        </Popover>
      </Part>
      <Part file="question">
        <Dialogs />
      </Part>
      <Part file="toast">
        <button type="button" onClick={() => toast('The setting is stored.')}>
          Say it
        </button>
      </Part>
      <Part file="stepper">
        <Stepper
          label="Update"
          steps={[
            { name: 'uploaded', state: 'done' },
            { name: 'written', state: 'now', part: 0.4 },
            { name: 'restarted', state: 'next' }
          ]}
        />
        <Stepper label="Failed update" steps={[{ name: 'verified', state: 'failed' }]} />
      </Part>
      <Part file="table">
        <State of="with selection, search and pages">
          <Selection />
        </State>
        <State of="empty">
          <Table caption="Nothing" columns={columns} rows={[]} keyOf={() => ''} empty="No accounts." />
        </State>
      </Part>
      <Part file="form">
        <Forms />
      </Part>
      <Part file="fields">
        <Fields
          uri="/redfish/v1/gallery/"
          fields={[
            field('AssetTag', { value: 'rack 5' }),
            field('LocationIndicatorActive', { kind: 'flag', value: true }),
            field('PowerRestorePolicy', { kind: 'choice', choices: ['AlwaysOn', 'AlwaysOff'], value: 'AlwaysOn' }),
            field('StaticNameServers', { kind: 'list', value: ['192.0.2.1'] }),
            field('SessionTimeout', { kind: 'number', value: 1800, required: true })
          ]}
          label="Change"
          busy={false}
          onSend={async () => true}
        />
      </Part>
      <Part file="field-problem">
        <FieldProblem text="Enter a port from 1 to 65535." />
        <FieldProblem messages={refusal.messages} />
      </Part>
      <Part file="problem">
        <Problem failure={refusal} />
        <Problem failure={new Failure(0, [])} />
      </Part>
      <Part file="elsewhere">
        <ChangedElsewhere draft={draft} now="rack 9" shown="rack 9" label="Asset tag" onChoose={nothing} />
      </Part>
      <Part file="file-choice">
        <FileChoice label="Image" hint="Drop an image here." help="At most 64 MB" file={undefined} onChoose={nothing} />
        <FileChoice label="Chosen image" hint="" file={new File(['image'], 'bios.bin')} onChoose={nothing} />
      </Part>
      <Part file="certificate">
        <CertificateFacts of={certificate} />
        <CertificateInput onRead={nothing} />
      </Part>
      <Part file="chart">
        <State of="a line with thresholds">
          <Chart
            lines={[{ name: 'CPU 1', unit: '°C', points }]}
            bands={[{ kind: 'warn', isUpper: true, value: 72 }]}
            from={noon - 10 * minute}
            to={noon}
          />
        </State>
        <State of="small">
          <Sparkline points={points} from={noon - 10 * minute} to={noon} />
        </State>
      </Part>
      <Part file="show">
        <State of="facts">
          <Facts
            of={[
              ['Health', <Health key="health" of="Critical" />],
              ['Power', <PowerState key="power" of="On" />],
              ['Serial number', <Mono key="serial">SIM2510A7K</Mono>]
            ]}
          />
        </State>
        <State of="health">
          {['OK', 'Warning', 'Critical', null].map((each) => (
            <Health key={each} of={each} />
          ))}
        </State>
        <State of="power">
          {['On', 'Off', 'PoweringOn', null].map((each) => (
            <PowerState key={each} of={each} />
          ))}
        </State>
        <State of="number">
          <Tile title="Consumption" value={412} unit="W" />
          <Tile title="Without a reading" value={null} unit="W" />
        </State>
        <Card title="A card" tools={<button type="button">Tool</button>}>
          <p>Its content.</p>
        </Card>
        <State of="loading">
          <Loaded from={{ state: 'loading' }}>{() => null}</Loaded>
        </State>
        <State of="failed">
          <Loaded from={{ state: 'failed', failure: refusal }}>{() => null}</Loaded>
        </State>
      </Part>
      <Part file="opened">
        <State of="loading">
          <Opened load={never} props={{}} />
        </State>
        <State of="failed">
          <Opened load={failing} props={{}} />
        </State>
      </Part>
      <Part file="time">
        <Time of="2026-03-01T12:00:00Z" />
      </Part>
      <Part file="trial">
        <Trial uri="/redfish/v1/Managers/1/EthernetInterfaces/1/" seconds={60} goal="https://192.0.2.7/" />
      </Part>
      <OfTheService />
      <Questions />
      <Toasts />
    </main>
  )
}

const failing = () => Promise.reject(new Error('not there'))

followTheme()
restore()
followPrivileges()
render(<Gallery />, document.body)
