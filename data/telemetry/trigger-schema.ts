import { reference, resource, status } from '#data/resource'
import { formatDuration } from '#runtime/base/duration.ts'
import { type Infer, link } from '#runtime/contract'
import { list, object } from '#runtime/schema'
import {
  activations,
  discreteConditions,
  metricTypes,
  type Trigger,
  triggerActions,
  triggerThresholds
} from './records.ts'
import { definitionUri } from './uris.ts'

const span = { type: 'string', format: 'duration', nullable: true, readonly: false } as const

const threshold = object({
  Activation: { type: 'string', enum: activations, nullable: true, readonly: false },
  DwellTime: span,
  Reading: { type: 'number', nullable: true, readonly: false }
})

const texts = (most: number, maxLength: number) =>
  ({ type: 'array', maxItems: most, items: { type: 'string', minLength: 1, maxLength }, readonly: false }) as const

/** Properties of a trigger that clients write (DSP0268, Triggers). */
export const triggerSettings = {
  DiscreteTriggers: {
    type: 'array',
    maxItems: 16,
    items: object(['Value'], {
      DwellTime: span,
      Name: { type: 'string', maxLength: 64, nullable: true },
      Severity: { type: 'string', enum: ['OK', 'Warning', 'Critical'], nullable: true },
      Value: { type: 'string', maxLength: 32, pattern: '^-?\\d+(\\.\\d+)?$' }
    }),
    readonly: false
  },
  HysteresisDuration: span,
  HysteresisReading: { type: 'number', nullable: true, readonly: false },
  Links: object({ MetricReportDefinitions: { type: 'array', maxItems: 8, items: reference, readonly: false } }),
  MetricIds: texts(32, 64),
  MetricProperties: texts(32, 256),
  NumericThresholds: object({
    LowerCritical: threshold,
    LowerWarning: threshold,
    UpperCritical: threshold,
    UpperWarning: threshold
  }),
  TriggerEnabled: { type: 'boolean', readonly: false },
  Wildcards: {
    type: 'array',
    maxItems: 8,
    items: object(['Name'], { Name: { type: 'string', minLength: 1, maxLength: 64 }, Values: texts(64, 64) }),
    readonly: false
  }
} as const

const condition = { type: 'string', enum: discreteConditions, nullable: true } as const
const metricType = { type: 'string', enum: metricTypes } as const
const actions = list({ type: 'string', enum: triggerActions })

/** The properties of a new trigger. Its kind and its actions stay as they are. */
export const triggerBody = object(['MetricType', 'TriggerActions'], {
  ...triggerSettings,
  DiscreteTriggerCondition: condition,
  Id: { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$' },
  MetricType: metricType,
  Name: { type: 'string', minLength: 1, maxLength: 64 },
  TriggerActions: { ...actions, maxItems: triggerActions.length }
})

export const triggerSchema = resource('Triggers.v1_4_0', 'What is done when the value of a metric meets a condition', {
  ...triggerSettings,
  DiscreteTriggerCondition: { ...condition, readonly: true },
  MetricType: { ...metricType, readonly: true },
  Status: status,
  TriggerActions: actions
})

/** @param settleTime seconds, of triggers that do not say how long a value must have returned */
export function showTrigger(trigger: Trigger, settleTime: number) {
  const { type, condition, values, thresholds, settle, enabled } = trigger
  const numeric = triggerThresholds.flatMap((name) => {
    const { reading, activation, dwell } = thresholds[name] ?? {}
    return reading === undefined ? [] : [[name, { Activation: activation, DwellTime: dwell, Reading: reading }]]
  })
  return {
    Name: trigger.name,
    ...(type === 'Numeric'
      ? { NumericThresholds: Object.fromEntries(numeric) as Infer<typeof triggerSettings.NumericThresholds> }
      : { DiscreteTriggerCondition: condition, DiscreteTriggers: values.map(showValue) }),
    HysteresisDuration: settle ?? formatDuration(settleTime),
    HysteresisReading: trigger.hysteresis,
    Links: { MetricReportDefinitions: trigger.reports.map((id) => link(definitionUri(id))) },
    MetricIds: trigger.metrics,
    MetricProperties: trigger.properties,
    MetricType: type,
    Status: { State: enabled ? 'Enabled' : 'Disabled' },
    TriggerActions: trigger.actions,
    TriggerEnabled: enabled,
    Wildcards: trigger.wildcards.map(showWildcard)
  } as const
}

export const showValue = ({ dwell, name, severity, value }: Trigger['values'][number]) => ({
  DwellTime: dwell,
  Name: name,
  Severity: severity,
  Value: value
})

export const showWildcard = ({ name, values }: Trigger['wildcards'][number]) => ({ Name: name, Values: values })
