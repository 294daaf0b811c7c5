import { useEffect, useState } from 'preact/hooks'
import { Field, FormFields, SwitchField, useForm } from '../parts/form.tsx'
import { Card, Facts, Loaded } from '../parts/show.tsx'
import { optional, partOf, together } from '../rules/known.ts'
import { listIn } from '../rules/network.ts'
import { offsets, spanText, timeAt, timeText } from '../rules/time.ts'
import { useManager } from '../service/machine.ts'
import { useResource } from '../service/resources.ts'
import type { Clock, Manager, NetworkProtocol } from '../types.ts'
import { locale, nameOf, t } from '../words/index.ts'

/** The controller's clock, its zone, and the servers that set it. */
export function Time() {
  const manager = useManager()
  const clock = useResource<Clock>(partOf(manager, (each) => each.Oem?.Vendor?.Links?.DateTimeService?.['@odata.id']))
  const protocols = useResource<NetworkProtocol>(partOf(manager, (each) => each.NetworkProtocol?.['@odata.id']))
  return (
    <Loaded from={together(manager, optional(clock), optional(protocols))}>
      {([manager, clock, protocols]) => (
        <div class="cards">
          <div>
            {clock && <Clocks of={clock} />}
            <Zone of={manager} isSetByServers={protocols?.NTP?.ProtocolEnabled ?? false} />
          </div>
          {protocols?.NTP && <Servers of={protocols} />}
        </div>
      )}
    </Loaded>
  )
}

/** How far the controller's clock was ahead of the browser's when an answer came. */
const ahead = new WeakMap<Clock, number>()

function aheadIn(clock: Clock): number {
  let found = ahead.get(clock)
  if (found === undefined) {
    found = new Date(clock.DateTime ?? '').getTime() - Date.now()
    ahead.set(clock, found)
  }
  return found
}

/** Less than this may be the time that an answer takes, in milliseconds. */
const tolerance = 5000

/** The clocks of the controller and of the browser, side by side. */
function Clocks({ of }: { readonly of: Clock }) {
  const difference = aheadIn(of)
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  const isOff = Math.abs(difference) > tolerance
  const span = spanText(difference, locale.value)
  return (
    <Card title={t('clocks')}>
      <Facts
        of={[
          [
            t('controller'),
            timeAt(new Date(now + difference).toISOString(), of.DateTimeLocalOffset ?? '+00:00', locale.value)
          ],
          [t('thisBrowser'), timeText(new Date(now).toISOString(), locale.value)]
        ]}
      />
      {isOff ? (
        <p class="problem">{t(difference > 0 ? 'clockAhead' : 'clockBehind', span)}</p>
      ) : (
        <p class="absent">{t('clocksAgree')}</p>
      )}
    </Card>
  )
}

function Zone({ of, isSetByServers }: { readonly of: Manager; readonly isSetByServers: boolean }) {
  const offset = of.DateTimeLocalOffset ?? '+00:00'
  const form = useForm({
    uri: of['@odata.id'],
    stored: { offset, time: '' },
    properties: { offset: 'DateTimeLocalOffset', time: 'DateTime' },
    check: ({ time }, changed) =>
      changed.time !== undefined && Number.isNaN(new Date(time).getTime()) ? { time: t('timeWrong') } : {},
    body: (_, { offset, time }) => ({
      ...(offset !== undefined && { DateTimeLocalOffset: offset }),
      ...(time !== undefined && { DateTime: new Date(time).toISOString().replace(/\.\d+/, '') })
    })
  })
  const all = offsets.includes(offset) ? offsets : [offset, ...offsets]
  return (
    <Card title={t('zone')}>
      <FormFields form={form} label={t('save')}>
        <Field
          form={form}
          name="offset"
          label={t('offset')}
          choices={all.map((each) => [each, `UTC${each}`] as const)}
        />
        {!isSetByServers && (
          <Field form={form} name="time" kind="datetime-local" label={t('setTime')} help={t('setTimeHelp')} />
        )}
      </FormFields>
    </Card>
  )
}

/** The servers that set the clock: those of the user, and those of the network. */
function Servers({ of }: { readonly of: NetworkProtocol }) {
  const { NTP: ntp } = of
  const form = useForm({
    uri: of['@odata.id'],
    stored: { enabled: String(ntp?.ProtocolEnabled), servers: (ntp?.NTPServers ?? []).join('\n') },
    properties: { enabled: 'NTP/ProtocolEnabled', servers: 'NTP/NTPServers' },
    body: (_, { enabled, servers }) => ({
      NTP: {
        ...(enabled !== undefined && { ProtocolEnabled: enabled === 'true' }),
        ...(servers !== undefined && { NTPServers: listIn(servers) })
      }
    })
  })
  return (
    <Card title={nameOf(['NTP', 'NTPServers'])}>
      <FormFields form={form} label={t('save')}>
        <SwitchField form={form} name="enabled" label={nameOf(['NTP', 'ProtocolEnabled'])} />
        <Field form={form} name="servers" kind="lines" label={nameOf(['NTP', 'NTPServers'])} help={t('onePerLine')} />
        <Facts of={[[t('suppliedServers'), ntp?.NetworkSuppliedServers?.join(', ')]]} />
      </FormFields>
    </Card>
  )
}
