import { useState } from 'preact/hooks'
import { Action } from '../parts/action.tsx'
import { Field, FormPanel, SwitchField, useForm } from '../parts/form.tsx'
import { Card, Loaded } from '../parts/show.tsx'
import { Table } from '../parts/table.tsx'
import { linesIn } from '../rules/forms.ts'
import { valueIn } from '../rules/known.ts'
import { send } from '../service/client.ts'
import { useSensorList } from '../service/readings.ts'
import { reread, useResource } from '../service/resources.ts'
import type { Expanded, Sensor, Trigger } from '../types.ts'
import { locale, nameOf, t } from '../words/index.ts'

const collection = '/redfish/v1/TelemetryService/Triggers/'
const all = `${collection}?$expand=.`

const thresholds = ['UpperCritical', 'UpperWarning', 'LowerWarning', 'LowerCritical'] as const
const actions = ['RedfishEvent', 'LogToLogService'] as const

/** Triggers: events and log entries for a metric that crosses a threshold or gets a value. Some machines have none. */
export function Triggers() {
  const known = useResource<Expanded<Trigger>>(all)
  const sensors = useSensorList()
  const [isOpen, setOpen] = useState(false)
  if (known.state === 'absent') return null
  const watched = ({ MetricIds = [], MetricProperties = [] }: Trigger) =>
    MetricProperties.map((uri) => valueIn(sensors)?.find((each) => readingOf(each) === uri)?.Name ?? uri)
      .concat(MetricIds)
      .join(', ')
  return (
    <Card
      title={nameOf(['Triggers'])}
      tools={<Action label={nameOf(['Triggers', 'new'])} act={async () => setOpen(true)} />}
    >
      <Loaded from={known}>
        {({ Members }) => (
          <Table
            caption={nameOf(['Triggers'])}
            empty={nameOf(['Triggers', 'none'])}
            columns={[
              { head: t('name'), value: ({ Name }) => Name },
              { head: nameOf(['MetricProperties']), value: watched },
              { head: nameOf(['MetricType']), value: conditionOf },
              {
                head: nameOf(['TriggerActions']),
                value: ({ TriggerActions = [] }) =>
                  TriggerActions.map((each) => nameOf(['TriggerActions', each])).join(', ')
              },
              { head: t('state'), value: ({ TriggerEnabled }) => t(TriggerEnabled ? 'enabled' : 'disabled') },
              { head: t('change'), cell: (each) => <Change of={each} /> }
            ]}
            rows={Members}
            keyOf={(each) => each['@odata.id']}
          />
        )}
      </Loaded>
      {isOpen && (
        <Loaded from={sensors}>{(sensors) => <Create sensors={sensors} onClose={() => setOpen(false)} />}</Loaded>
      )}
    </Card>
  )
}

/** The metric property that a sensor shows (DSP0268, Triggers.MetricProperties). */
const readingOf = (sensor: Sensor) => `${sensor['@odata.id']}#/Reading`

/** The thresholds of a trigger, or the values that it waits for. */
function conditionOf({ MetricType, NumericThresholds: limits = {}, DiscreteTriggers = [] }: Trigger): string {
  if (MetricType === 'Discrete')
    return DiscreteTriggers.map(({ Value }) => Value).join(', ') || nameOf(['MetricType', 'Changed'])
  return thresholds
    .flatMap((each) => {
      const reading = limits[each]?.Reading
      return reading == null ? [] : [`${nameOf([each])} ${reading.toLocaleString(locale.value)}`]
    })
    .join(', ')
}

function Change({ of }: { readonly of: Trigger }) {
  const uri = of['@odata.id']
  return (
    <div class="row">
      <Action
        label={t(of.TriggerEnabled ? 'disable' : 'enable')}
        of={of.Name}
        act={() => send('PATCH', uri, { TriggerEnabled: !of.TriggerEnabled }).finally(() => reread(all))}
      />
      <Action
        label={t('delete')}
        of={of.Name}
        kind="danger"
        question={t('deleteQuestion', of.Name)}
        act={() => send('DELETE', uri).finally(() => reread(all))}
      />
    </div>
  )
}

/** A new trigger for the reading of a sensor. */
function Create({ sensors, onClose }: { readonly sensors: readonly Sensor[]; readonly onClose: () => void }) {
  const form = useForm({
    uri: collection,
    method: 'POST',
    stored: {
      name: '',
      metric: sensors[0] === undefined ? '' : readingOf(sensors[0]),
      type: 'Numeric',
      UpperCritical: '',
      UpperWarning: '',
      LowerWarning: '',
      LowerCritical: '',
      values: '',
      RedfishEvent: 'true',
      LogToLogService: 'true'
    },
    properties: {
      name: 'Name',
      metric: 'MetricProperties',
      type: 'MetricType',
      UpperCritical: 'NumericThresholds/UpperCritical/Reading',
      UpperWarning: 'NumericThresholds/UpperWarning/Reading',
      LowerWarning: 'NumericThresholds/LowerWarning/Reading',
      LowerCritical: 'NumericThresholds/LowerCritical/Reading',
      values: 'DiscreteTriggers',
      RedfishEvent: '',
      LogToLogService: ''
    },
    shownBy: all,
    check: (entered) => ({
      name: entered.name.trim() === '' ? t('fieldMissing') : undefined,
      UpperCritical:
        entered.type === 'Numeric' && thresholds.every((each) => entered[each] === '') ? t('fieldMissing') : undefined
    }),
    body: (entered) => {
      const values = linesIn(entered.values)
      return {
        Name: entered.name.trim(),
        MetricType: entered.type,
        MetricProperties: [entered.metric],
        TriggerActions: actions.filter((each) => entered[each] === 'true'),
        ...(entered.type === 'Numeric'
          ? {
              NumericThresholds: Object.fromEntries(
                thresholds.flatMap((each) => (entered[each] === '' ? [] : [[each, { Reading: Number(entered[each]) }]]))
              )
            }
          : {
              DiscreteTriggerCondition: values.length === 0 ? 'Changed' : 'Specified',
              DiscreteTriggers: values.map((Value) => ({ Value }))
            })
      }
    },
    onDone: onClose
  })
  const isNumeric = form.entered.type === 'Numeric'
  return (
    <FormPanel form={form} title={nameOf(['Triggers', 'new'])} label={t('createIt')} onClose={onClose}>
      <Field form={form} name="name" label={t('name')} />
      <Field
        form={form}
        name="metric"
        label={nameOf(['MetricProperties'])}
        choices={sensors.map((each) => [readingOf(each), each.Name] as const)}
      />
      <Field
        form={form}
        name="type"
        label={nameOf(['MetricType'])}
        choices={(['Numeric', 'Discrete'] as const).map((each) => [each, nameOf(['MetricType', each])] as const)}
      />
      {isNumeric &&
        thresholds.map((each) => <Field key={each} form={form} name={each} kind="number" label={nameOf([each])} />)}
      {!isNumeric && (
        <Field
          form={form}
          name="values"
          kind="lines"
          label={nameOf(['DiscreteTriggers'])}
          help={nameOf(['DiscreteTriggers', 'help'])}
        />
      )}
      <h3>{nameOf(['TriggerActions'])}</h3>
      {actions.map((each) => (
        <SwitchField key={each} form={form} name={each} label={nameOf(['TriggerActions', each])} />
      ))}
    </FormPanel>
  )
}
