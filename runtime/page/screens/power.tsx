import { Action } from '../parts/action.tsx'
import { Editable } from '../parts/editable.tsx'
import { Field, FormFields, SwitchField, useForm } from '../parts/form.tsx'
import { LastHour } from '../parts/last-hour.tsx'
import { endOf, SensorChart } from '../parts/sensor-chart.tsx'
import { Card, Facts, Health, Loaded, Tile } from '../parts/show.tsx'
import { Table } from '../parts/table.tsx'
import type { Field as SchemaField } from '../rules/forms.ts'
import { type Known, partOf, valueIn } from '../rules/known.ts'
import { type Supply, suppliesIn } from '../rules/power.ts'
import { send } from '../service/client.ts'
import { useChassis, useSystem } from '../service/machine.ts'
import { lastOf, useEnvironment, useHistory, useOldPower, useSensors } from '../service/readings.ts'
import { reread, useResource } from '../service/resources.ts'
import type { EnvironmentMetrics, PowerSubsystem, Sensor } from '../types.ts'
import { labelOf, quantity, t } from '../words/index.ts'

/** The power consumption of the machine and its limit, the power supplies, and the power policies. */
export function Power() {
  return (
    <Loaded from={useEnvironment()}>
      {(value) => (
        <>
          <Consumption metrics={value} />
          <div class="cards">
            {value.PowerLimitWatts && <Limit metrics={value} />}
            <Policies />
          </div>
          <Supplies />
        </>
      )}
    </Loaded>
  )
}

function Consumption({ metrics }: { readonly metrics: EnvironmentMetrics }) {
  const { PowerWatts: watts, EnergykWh: energy, Actions } = metrics
  const history = useHistory('Hour')
  const { sensors } = valueIn(useSensors()) ?? { sensors: [] as readonly Sensor[] }
  const sensor = sensors.find(({ '@odata.id': id }) => id === watts?.DataSourceUri)
  const subsystem = valueIn(usePowerSubsystem())
  const reset = Actions?.['#EnvironmentMetrics.ResetMetrics']
  return (
    <>
      <div class="tiles">
        {watts && (
          <Tile
            title={t('power')}
            value={(sensor && lastOf(sensor)) ?? watts.Reading}
            unit="W"
            line={sensor && <LastHour of={sensor} history={history} />}
          >
            {subsystem?.CapacityWatts != null && t('ofWatts', subsystem.CapacityWatts)}
          </Tile>
        )}
        {energy && (
          <Tile title={t('energy')} value={energy.Reading} unit="kWh">
            {reset && (
              <Action
                label={t('countAgain')}
                question={t('countAgainQuestion')}
                act={() => send('POST', reset.target, {}).finally(() => reread(metrics['@odata.id']))}
              />
            )}
          </Tile>
        )}
      </div>
      {sensor && <SensorChart of={[sensor]} limitOf={() => undefined} to={endOf(sensors)} />}
    </>
  )
}

/** A form for the power that the machine may draw. */
function Limit({ metrics }: { readonly metrics: EnvironmentMetrics }) {
  const { ControlMode, SetPoint, AllowableMin, AllowableMax } = metrics.PowerLimitWatts ?? {}
  const [least, most] = [AllowableMin ?? 0, AllowableMax ?? Number.POSITIVE_INFINITY]
  const form = useForm({
    uri: metrics['@odata.id'],
    stored: { isLimited: String(ControlMode === 'Automatic'), watts: String(SetPoint ?? '') },
    properties: { isLimited: 'PowerLimitWatts/ControlMode', watts: 'PowerLimitWatts/SetPoint' },
    check({ isLimited, watts }) {
      const isWrong = isLimited === 'true' && !(watts !== '' && Number(watts) >= least && Number(watts) <= most)
      return isWrong ? { watts: t('wattsWrong', least, most) } : {}
    },
    body: ({ isLimited, watts }) => ({
      PowerLimitWatts:
        isLimited === 'true' ? { ControlMode: 'Automatic', SetPoint: Number(watts) } : { ControlMode: 'Disabled' }
    })
  })
  return (
    <Card title={t('powerLimit')}>
      <FormFields form={form} label={t('save')}>
        <SwitchField form={form} name="isLimited" label={t('limitPower')} />
        <Field
          form={form}
          name="watts"
          kind="number"
          label={t('limitWatts')}
          help={AllowableMax == null ? undefined : t('wattsRange', least, most)}
          fixed={form.entered.isLimited === 'true' ? undefined : form.stored.watts}
        />
      </FormFields>
    </Card>
  )
}

const policies: ReadonlySet<string> = new Set(['PowerRestorePolicy', 'PowerMode', 'PowerOnDelaySeconds'])

/** The policies for a restart after a loss of power, and for the balance of speed and power. */
function Policies() {
  const system = useSystem()
  const isPolicy = ({ path: [first = ''] }: SchemaField) => policies.has(first)
  return (
    <Loaded from={system}>
      {({ '@odata.id': uri }) => (
        <Editable
          uri={uri}
          from={system}
          which={isPolicy}
          needs="HostBIOSConfigPriv"
          frame={(form) => <Card title={t('powerPolicies')}>{form}</Card>}
        />
      )}
    </Loaded>
  )
}

interface Subsystem extends Pick<PowerSubsystem, 'CapacityWatts' | 'PowerSupplyRedundancy'> {
  readonly PowerSupplies?: { readonly Members: readonly Supply[] }
}

/** The power supplies with their readings, in one answer. */
function usePowerSubsystem(): Known<Subsystem> {
  const link = partOf(useChassis(), ({ PowerSubsystem: of }) => of && `${of['@odata.id']}?$expand=.($levels=3)`)
  const subsystem = useResource<Subsystem>(link)
  const old = useOldPower(link)
  return link.state === 'absent' ? partOf(old, suppliesIn) : subsystem
}

function Supplies() {
  const shown = (value: number | null | undefined, unit: string) => (value == null ? '' : quantity(value, unit))
  return (
    <Card title={t('powerSupplies')}>
      <Loaded from={usePowerSubsystem()}>
        {({ PowerSupplies, PowerSupplyRedundancy: redundancy = [] }) => (
          <>
            <Facts
              of={redundancy.map((each) => [
                t('redundancy'),
                <span key="redundancy">
                  {t('neededOf', each.MinNeededInGroup ?? '–', each.RedundancyGroup?.length ?? '–')}{' '}
                  <Health of={each.Status?.Health} />
                </span>
              ])}
            />
            <Table
              caption={t('powerSupplies')}
              columns={[
                { head: t('name'), value: ({ Name }) => Name },
                {
                  head: t('health'),
                  value: ({ Status }) => Status?.Health,
                  cell: ({ Status }) => <Health of={Status?.Health} />
                },
                { head: t('state'), value: ({ Status }) => labelOf(Status?.State ?? '') },
                {
                  head: t('output'),
                  value: ({ Metrics }) => Metrics?.OutputPowerWatts?.Reading,
                  cell: ({ Metrics }) => shown(Metrics?.OutputPowerWatts?.Reading, 'W')
                },
                {
                  head: t('capacity'),
                  value: ({ PowerCapacityWatts }) => PowerCapacityWatts,
                  cell: ({ PowerCapacityWatts }) => shown(PowerCapacityWatts, 'W')
                },
                {
                  head: t('inputVoltage'),
                  value: ({ Metrics }) => Metrics?.InputVoltage?.Reading,
                  cell: ({ Metrics }) => shown(Metrics?.InputVoltage?.Reading, 'V')
                },
                { head: t('model'), value: ({ Model }) => Model }
              ]}
              rows={PowerSupplies?.Members ?? []}
              keyOf={(each) => each['@odata.id']}
              empty={t('absent')}
            />
          </>
        )}
      </Loaded>
    </Card>
  )
}
