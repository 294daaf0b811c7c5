import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { handlers } from '#generated'

interface Part {
  readonly title?: string
  readonly enum?: readonly string[]
  readonly items?: Part
  readonly properties?: Readonly<Record<string, Part>>
}

/** The words in the code of the screens; the explorer shows resources as they are. */
const written: ReadonlySet<string> = new Set(
  readdirSync('runtime/page', { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/words\/|explorer/.test(name))
    .flatMap((name) => readFileSync(join('runtime/page', name), 'utf8').match(/\w+/g) ?? [])
)

/** Properties in a form that is made from its schema: the code does not name them. */
const inForms: ReadonlySet<string> = new Set(['AccountService.HTTPBasicAuth', 'AccountService.LocalAccountAuth'])

/** Properties that screens compare or send but do not show, or whose name has another use in the page. */
const unshown: ReadonlySet<string> = new Set([
  'ActionInfo.DataType',
  'Certificate.CertificateType',
  'CertificateEnrollment.ChallengeType',
  'CertificateEnrollment.LastOperationStatus',
  'Control.ControlMode',
  'EnvironmentMetrics.ControlMode',
  'EthernetInterface.OperatingMode',
  'EventDestination.EventFormatType',
  'EventDestination.Protocol',
  'EventDestination.SubscriptionType',
  'Manager.Part',
  'Manager.Source',
  'MetricDefinition.MetricType',
  'Sensor.ReadingType',
  'Sensor.ReadingUnits',
  'Thermal.ReadingUnits',
  'Triggers.DiscreteTriggerCondition',
  'Triggers.MetricType',
  'Triggers.TriggerActions',
  'VirtualMedia.ConnectedVia'
])

/** The values of the enumerations that screens show, by type and property. */
export function shownEnumerations(): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>()
  const collect = ({ enum: values = [], items, properties = {} }: Part, type: string, property: string) => {
    const name = `${type}.${property}`
    const isShown = inForms.has(name) || (written.has(property) && !unshown.has(name))
    if (isShown && values.length > 0) found.set(name, new Set([...(found.get(name) ?? []), ...values]))
    if (items) collect(items, type, property)
    for (const [inner, part] of Object.entries(properties)) collect(part, type, inner)
  }
  for (const { template, module } of handlers) {
    const { schema } = module as { readonly schema?: Part }
    if (schema && !template.includes('/Actions/')) collect(schema, schema.title?.split('.').at(-1) ?? '', '')
  }
  return found
}
