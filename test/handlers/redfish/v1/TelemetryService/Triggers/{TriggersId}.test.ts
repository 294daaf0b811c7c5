import t from 'tap'
import { configuration as defaults } from '#data/configuration'
import { blankTrigger, type Trigger } from '#data/telemetry'
import { DELETE, GET, PATCH, privileges } from '#handlers/redfish/v1/TelemetryService/Triggers/{TriggersId}.ts'
import * as collection from '#handlers/redfish/v1/TelemetryService/Triggers.ts'
import { badRequest, context, missing, refusal } from '#test/handlers/context.ts'

type Patch = Parameters<typeof PATCH>[0]['body']
type Create = Parameters<typeof collection.POST>[0]['body']

const uri = '/redfish/v1/TelemetryService/Triggers'
const fan = '/redfish/v1/Chassis/1/Thermal/#/Fans/0/Reading'
const definition = (id: string) => ({ '@odata.id': `/redfish/v1/TelemetryService/MetricReportDefinitions/${id}/` })

const hot: Trigger = {
  ...blankTrigger,
  name: 'Hot',
  type: 'Numeric',
  condition: null,
  actions: ['LogToLogService', 'RedfishMetricReport'],
  metrics: ['Temperature'],
  reports: ['Temperature', 'Deleted'],
  thresholds: { UpperWarning: { reading: 70, activation: 'Increasing', dwell: 'PT30S' } }
}
const still: Trigger = {
  ...blankTrigger,
  name: 'Still',
  type: 'Discrete',
  condition: 'Specified',
  actions: ['RedfishEvent'],
  properties: [fan],
  values: [{ name: 'stopped', value: '0', dwell: null, severity: 'Critical' }]
}
const tables = { trigger: { hot, still } }
const params = (TriggersId: string) => ({ TriggersId })
const show = (id: string) => GET(context({ params: params(id), tables }))
const patch = async (id: string, body: Patch) =>
  (await PATCH(context({ params: params(id), tables, body }))).writes?.trigger?.[id]
const post = (body: Create, more = {}) => collection.POST(context({ uri, tables, body, ...more }))
const made = async (body: Create) => (await post({ Id: 'new', ...body })).writes?.trigger?.new
const numeric: Create = {
  MetricType: 'Numeric',
  TriggerActions: ['RedfishEvent'],
  MetricIds: ['FanSpeed'],
  NumericThresholds: { LowerCritical: { Reading: 5 } }
}
const discrete: Create = {
  MetricType: 'Discrete',
  TriggerActions: ['RedfishEvent'],
  MetricProperties: [fan],
  DiscreteTriggerCondition: 'Changed'
}

t.test('the collection has all triggers', async (t) => {
  const { Members } = collection.GET(context({ uri, tables }))
  t.same(Members, [{ '@odata.id': `${uri}/hot/` }, { '@odata.id': `${uri}/still/` }])
  t.same(await refusal(() => show('cold')), missing)
})

t.test('a trigger shows its thresholds, and links the definitions that there are', async (t) => {
  t.same(show('hot'), {
    Name: 'Hot',
    HysteresisDuration: `PT${defaults.health.settleTime}S`,
    HysteresisReading: 0,
    Links: { MetricReportDefinitions: [definition('Temperature')] },
    MetricIds: ['Temperature'],
    MetricProperties: [],
    MetricType: 'Numeric',
    NumericThresholds: { UpperWarning: { Activation: 'Increasing', DwellTime: 'PT30S', Reading: 70 } },
    Status: { State: 'Enabled' },
    TriggerActions: ['LogToLogService', 'RedfishMetricReport'],
    TriggerEnabled: true,
    Wildcards: []
  })
})

t.test('a discrete trigger shows its values', async (t) => {
  t.match(show('still'), {
    DiscreteTriggerCondition: 'Specified',
    DiscreteTriggers: [{ DwellTime: null, Name: 'stopped', Severity: 'Critical', Value: '0' }],
    MetricProperties: [fan],
    MetricType: 'Discrete'
  })
})

t.test('a trigger is created under its Id, with defaults for absent members', async (t) => {
  t.match(await post({ ...numeric, Id: 'slow' }), {
    status: 201,
    location: `${uri}/slow`,
    writes: {
      trigger: {
        slow: {
          ...blankTrigger,
          name: 'slow',
          type: 'Numeric',
          condition: null,
          actions: ['RedfishEvent'],
          metrics: ['FanSpeed'],
          thresholds: { LowerCritical: { reading: 5, activation: 'Decreasing', dwell: null } }
        }
      }
    }
  })
  t.match(await post({ ...discrete, Name: 'Any change' }), {
    location: `${uri}/${'ab'.repeat(8)}`,
    writes: { trigger: { ['ab'.repeat(8)]: { name: 'Any change', condition: 'Changed', values: [] } } }
  })
})

t.test('an existing id is 409, and so is a trigger beyond the limit', async (t) => {
  t.same(await refusal(() => post({ ...numeric, Id: 'hot' })), {
    status: 409,
    messages: [['Base.ResourceAlreadyExists', 'Triggers', 'Id', 'hot']]
  })
  const configuration = { limits: { ...defaults.limits, triggers: 2 } }
  t.same(await refusal(() => post(numeric, { configuration })), {
    status: 409,
    messages: [['Base.CreateLimitReachedForResource']]
  })
})

t.test('what no metric of this machine is, is refused, each with its name', async (t) => {
  const other = '/redfish/v1/Chassis/1/Thermal/#/Fans/99/Reading'
  const body = { ...numeric, MetricIds: ['FanSpeed', 'Noise'], MetricProperties: [other, '/redfish/v1/', '#', ''] }
  t.same(await badRequest(() => post(body)), [
    ['Base.PropertyValueNotInList', 'Noise', 'MetricIds'],
    ['Base.PropertyValueNotInList', other, 'MetricProperties'],
    ['Base.PropertyValueNotInList', '/redfish/v1/', 'MetricProperties'],
    ['Base.PropertyValueNotInList', '/#', 'MetricProperties'],
    ['Base.PropertyValueNotInList', '', 'MetricProperties']
  ])
  t.same(await badRequest(() => post({ ...numeric, MetricIds: [] })), [['Base.PropertyMissing', 'MetricProperties']])
})

t.test('a property is known by its own URI, and as the reading of its sensor', async (t) => {
  const MetricProperties = ['/redfish/v1/Chassis/1/Sensors/2#/Reading', fan.replace('/#', '#')]
  t.same((await made({ ...numeric, MetricProperties }))?.properties, ['/redfish/v1/Chassis/1/Sensors/2/#/Reading', fan])
})

t.test('wildcards stand for whole segments', async (t) => {
  const MetricProperties = ['/redfish/v1/Chassis/{Chassis}/Sensors/{Sensor}/#/Reading']
  const Wildcards = [{ Name: 'Chassis' }, { Name: 'Sensor', Values: ['1', '2'] }]
  t.same((await made({ ...numeric, MetricProperties, Wildcards }))?.wildcards, [
    { name: 'Chassis', values: ['*'] },
    { name: 'Sensor', values: ['1', '2'] }
  ])
  for (const refused of [[], [{ Name: 'Chassis' }], [{ Name: 'Chassis' }, { Name: 'Sensor', Values: ['77'] }]]) {
    t.match(await badRequest(() => post({ ...numeric, MetricProperties, Wildcards: refused })), [
      ['Base.PropertyValueNotInList', MetricProperties[0], 'MetricProperties']
    ])
  }
  const part = ['/redfish/v1/Chassis/1/Sensors/{A}{A}{A}/#/Reading']
  t.equal((await badRequest(() => post({ ...numeric, MetricProperties: part, Wildcards: [{ Name: 'A' }] }))).length, 1)
})

t.test('a trigger watches no more properties than a report may have values', async (t) => {
  const configuration = { limits: { ...defaults.limits, metricValues: 2 } }
  t.same(await badRequest(() => post(numeric, { configuration })), [['Base.ArraySizeTooLong', 'MetricProperties', '2']])
})

t.test('conditions that do not fit the type of the metric are refused', async (t) => {
  const values = [{ Value: '0' }]
  for (const [body, ...faults] of [
    [{ ...numeric, NumericThresholds: {} }, ['PropertyMissing', 'NumericThresholds']],
    [{ ...numeric, DiscreteTriggers: values }, ['PropertyValueConflict', 'DiscreteTriggers', 'MetricType']],
    [
      { ...numeric, DiscreteTriggerCondition: 'Changed' },
      ['PropertyValueConflict', 'DiscreteTriggerCondition', 'MetricType']
    ],
    [
      { ...discrete, NumericThresholds: { UpperWarning: { Reading: 1 } } },
      ['PropertyValueConflict', 'NumericThresholds', 'MetricType']
    ],
    [{ ...discrete, DiscreteTriggerCondition: null }, ['PropertyMissing', 'DiscreteTriggerCondition']],
    [{ ...discrete, DiscreteTriggerCondition: 'Specified' }, ['PropertyMissing', 'DiscreteTriggers']],
    [
      { ...discrete, DiscreteTriggers: values },
      ['PropertyValueConflict', 'DiscreteTriggers', 'DiscreteTriggerCondition']
    ]
  ] as readonly (readonly [Create, ...string[][]])[]) {
    const wanted = faults.map(([key, ...args]) => [`Base.${key}`, ...args])
    t.same(await badRequest(() => post(body)), wanted, JSON.stringify(faults))
  }
})

t.test('thresholds are in order, and times are durations of a day at most', async (t) => {
  const NumericThresholds = {
    LowerCritical: { Reading: 5, DwellTime: 'P2D' },
    UpperWarning: { Reading: 90, DwellTime: 'soon' },
    UpperCritical: { Reading: 90 }
  }
  t.same(await badRequest(() => post({ ...numeric, NumericThresholds, HysteresisDuration: 'PT86401S' })), [
    ['Base.PropertyValueOutOfRange', 'P2D', 'DwellTime'],
    ['Base.PropertyValueFormatError', 'soon', 'DwellTime'],
    ['Base.PropertyValueConflict', 'NumericThresholds/UpperWarning/Reading', 'NumericThresholds/UpperCritical/Reading'],
    ['Base.PropertyValueOutOfRange', 'PT86401S', 'HysteresisDuration']
  ])
  const DiscreteTriggers = [{ Value: '0', DwellTime: 'P2D' }]
  t.same(await badRequest(() => patch('still', { DiscreteTriggers })), [
    ['Base.PropertyValueOutOfRange', 'P2D', 'DwellTime']
  ])
})

t.test('only definitions that exist can be linked, with and without a slash at the end', async (t) => {
  const link = (...uris: string[]) => ({
    Links: { MetricReportDefinitions: uris.map((each) => ({ '@odata.id': each })) }
  })
  const known = definition('FanSpeed')['@odata.id']
  t.same((await patch('hot', link(known, known.slice(0, -1))))?.reports, ['FanSpeed'])
  const at = 'Links/MetricReportDefinitions'
  t.same(await badRequest(() => patch('hot', link('/redfish/v1/Systems/1/', `${known}x`, 'FanSpeed', ''))), [
    ['Base.PropertyValueNotInList', '/redfish/v1/Systems/1', at],
    ['Base.PropertyValueNotInList', `${known}x`, at],
    ['Base.PropertyValueNotInList', 'FanSpeed', at],
    ['Base.PropertyValueNotInList', '', at]
  ])
})

t.test('a PATCH changes what it names, and null gives defaults back', async (t) => {
  const NumericThresholds = {
    UpperWarning: { Reading: 75, DwellTime: null },
    UpperCritical: { Reading: 85, Activation: 'Either' as const }
  }
  const changed = await patch('hot', { NumericThresholds, HysteresisReading: -2, HysteresisDuration: 'PT1M' })
  t.match(changed, {
    metrics: ['Temperature'],
    hysteresis: 2,
    settle: 'PT1M',
    thresholds: {
      UpperWarning: { reading: 75, activation: 'Increasing', dwell: null },
      UpperCritical: { reading: 85, activation: 'Either', dwell: null }
    }
  })
  t.match(await patch('hot', { HysteresisReading: null, HysteresisDuration: null }), { hysteresis: 0, settle: null })
  t.equal((await patch('hot', { TriggerEnabled: false }))?.enabled, false)
  t.same(await badRequest(() => patch('hot', { NumericThresholds: { UpperWarning: { Reading: null } } })), [
    ['Base.PropertyMissing', 'NumericThresholds']
  ])
})

t.test('values are kept, removed and replaced one by one', async (t) => {
  const DiscreteTriggers = [{}, { Value: '100', Severity: 'OK' }] as NonNullable<Patch['DiscreteTriggers']>
  t.same((await patch('still', { DiscreteTriggers }))?.values, [
    ...still.values,
    { name: null, value: '100', dwell: null, severity: 'OK' }
  ])
})

t.test('a metric that is no longer there does not prevent changes of other things', async (t) => {
  const gone = { ...hot, metrics: ['Noise'] }
  const change = (body: Patch) => PATCH(context({ params: params('gone'), tables: { trigger: { gone } }, body }))
  t.equal((await change({ TriggerEnabled: false })).status, 200)
  t.equal((await refusal(() => change({ MetricIds: [{}] as never }))).status, 400)
})

t.test('a deleted trigger leaves nothing', async (t) => {
  const gone = (id: string) => DELETE(context({ params: params(id), tables }))
  t.same((await gone('hot')).writes, { trigger: { hot: null }, triggered: { hot: null } })
  t.same(await refusal(() => gone('cold')), missing)
})

t.test('writing takes MgmtConfigPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv', PATCH: 'MgmtConfigPriv', DELETE: 'MgmtConfigPriv' })
  t.same(collection.privileges, { GET: 'LoginPriv', POST: 'MgmtConfigPriv' })
})
