import { Action } from '../parts/action.tsx'
import { LastHour } from '../parts/last-hour.tsx'
import { Popover } from '../parts/popover.tsx'
import { ResetButton, resetsOf } from '../parts/reset.tsx'
import { Card, Facts, Health, Loaded, Mono, Table, Tile, unitOf, when } from '../parts/show.tsx'
import { addressOf } from '../router.ts'
import { absent, optional, partOf, together, valueIn } from '../rules/known.ts'
import { type Reset, whyNot } from '../rules/power.ts'
import { criticalLimit } from '../rules/sensors.ts'
import { hottest } from '../rules/summary.ts'
import { send } from '../service/client.ts'
import { entryText, useEntries } from '../service/logs.ts'
import { useChassis, useHealth, useManager, useSystem } from '../service/machine.ts'
import { textOf } from '../service/messages.ts'
import { useFirmware, usePending } from '../service/pending.ts'
import { lastOf, useHistory, useSensors } from '../service/readings.ts'
import { useMembers, useResource } from '../service/resources.ts'
import type { EnvironmentMetrics, Interface, LogService, Software, System } from '../types.ts'
import { labelOf, t } from '../words/index.ts'

/** The machine at a glance: how it is, what it needs, and what its next restart changes. */
export function Overview() {
  return (
    <Loaded from={useSystem()}>
      {(system) => (
        <>
          <p class="lead">
            <b id="power-state">{system.PowerState ? labelOf(system.PowerState) : t('stateUnknown')}</b>
            {system.BootProgress?.LastState && ` · ${labelOf(system.BootProgress.LastState)}`}
          </p>
          <Power system={system} />
          <Tiles />
          <div class="cards uneven">
            <LatestEntries system={system} />
            <NextRestart />
          </div>
          <div class="cards">
            <Identity system={system} />
            <Controller />
          </div>
        </>
      )}
    </Loaded>
  )
}

/** The resets that stand beside the title; the others are in the menu. */
const first: ReadonlySet<Reset> = new Set(['On', 'GracefulShutdown', 'GracefulRestart'])

function Power({ system }: { readonly system: System }) {
  const offered = resetsOf(system)
  const button = (each: Reset) => <ResetButton key={each} system={system} type={each} />
  // What makes no sense in this state only takes room beside the title.
  const beside = offered.filter((each) => first.has(each) && whyNot(each, system.PowerState) === undefined)
  const more = offered.filter((each) => !beside.includes(each))
  return (
    <fieldset class="tools" aria-label={t('power')}>
      {beside.map(button)}
      {more.length > 0 && <Popover button={t('more')}>{more.map(button)}</Popover>}
    </fieldset>
  )
}

function Tiles() {
  const metrics = valueIn(
    useResource<EnvironmentMetrics>(partOf(useChassis(), (value) => value.EnvironmentMetrics?.['@odata.id']))
  )
  const { sensors, thermal } = valueIn(useSensors()) ?? { sensors: [], thermal: {} }
  const history = useHistory('Hour')
  const hot = hottest(sensors)
  const limit = hot && criticalLimit(hot, thermal)
  const power = sensors.find(({ '@odata.id': id }) => id === metrics?.PowerWatts?.DataSourceUri)
  const { PowerWatts: watts, PowerLimitWatts: cap, FanSpeedsPercent: fans = [] } = metrics ?? {}
  const speeds = fans.map(({ DataSourceUri, Reading }) => {
    const sensor = sensors.find(({ '@odata.id': id }) => id === DataSourceUri)
    return (sensor && lastOf(sensor)) ?? Reading ?? 0
  })
  const turning = speeds.filter((each) => each > 0).length
  return (
    <div class="tiles">
      {watts?.Reading != null && (
        <Tile
          title={t('power')}
          value={(power && lastOf(power)) ?? watts.Reading}
          unit="W"
          line={power && <LastHour of={power} history={history} />}
        >
          {cap?.ControlMode !== 'Disabled' && cap?.SetPoint != null
            ? t('capOf', String(cap.SetPoint))
            : cap?.AllowableMax != null && t('ofWatts', String(cap.AllowableMax))}
        </Tile>
      )}
      {hot && (
        <Tile
          title={t('hottest')}
          value={lastOf(hot) ?? hot.Reading}
          unit={unitOf(hot)}
          line={<LastHour of={hot} history={history} />}
        >
          {hot.Name}
          {limit !== undefined && ` · ${t('criticalAt', `${limit} ${unitOf(hot)}`)}`}
        </Tile>
      )}
      {speeds.length > 0 && (
        <Tile title={t('fans')} value={Math.max(...speeds)} unit="%">
          {t('fansTurn', String(turning), String(speeds.length))}
        </Tile>
      )}
      <HealthTile />
    </div>
  )
}

/** How the machine is, and why; a part that cannot be read allows no conclusion. */
function HealthTile() {
  return (
    <section class="card tile">
      <h2>{t('health')}</h2>
      <Loaded from={useHealth()}>
        {({ worst, causes }) => (
          <>
            <p class="figure">
              <Health of={worst} />
            </p>
            {causes.length === 0 && <small>{t('noCauses')}</small>}
            {causes.map((each, index) => (
              <p key={index}>
                <small>
                  {textOf({ ...each, MessageId: each.MessageId ?? '' } as Parameters<typeof textOf>[0]).text}
                </small>{' '}
                {each.OriginOfCondition && (
                  <a href={addressOf(`explorer${each.OriginOfCondition['@odata.id']}`)}>{t('show')}</a>
                )}
              </p>
            ))}
          </>
        )}
      </Loaded>
    </section>
  )
}

/** The newest entries of the first log of the system. */
function LatestEntries({ system }: { readonly system: System }) {
  const services = useMembers<LogService>(system.LogServices ?? absent)
  const entries = useEntries(partOf(services, ([log]) => log?.Entries?.['@odata.id']))
  return (
    <Card title={t('latestEntries')} tools={<a href={addressOf('log')}>{t('allEntries')}</a>}>
      <Loaded from={entries}>
        {({ Members }) =>
          Members.length === 0 ? (
            <p>{t('noEntries')}</p>
          ) : (
            <Table
              caption={t('latestEntries')}
              head={[t('severity'), t('message'), t('time')]}
              rows={Members.slice(-6)
                .reverse()
                .map((each) => [
                  <Health key="severity" of={each.Severity} />,
                  entryText(each),
                  <time key="time">{when(each.Created)}</time>
                ])}
            />
          )
        }
      </Loaded>
    </Card>
  )
}

/** Changes that the next restart brings about. */
function NextRestart() {
  return (
    <Card title={t('nextRestart')}>
      <Loaded from={usePending()}>
        {(changes) =>
          changes.length === 0 ? (
            <p>{t('nothingPending')}</p>
          ) : (
            <Facts
              of={changes.map(({ name, from, to, address }) => [
                <a key="name" href={address}>
                  {name}
                </a>,
                <span key="change">
                  {from !== undefined && (
                    <>
                      <s>{from}</s> →{' '}
                    </>
                  )}
                  {to}
                </span>
              ])}
            />
          )
        }
      </Loaded>
    </Card>
  )
}

function Identity({ system }: { readonly system: System }) {
  const lit = system.LocationIndicatorActive
  return (
    <Card title={t('machine')}>
      <Facts
        of={[
          [t('name'), system.Name],
          [t('model'), [system.Manufacturer, system.Model].filter(Boolean).join(' ')],
          [t('serial'), <Mono key="serial">{system.SerialNumber}</Mono>],
          [t('assetTag'), system.AssetTag],
          [t('processors'), summary(system)],
          [
            t('memory'),
            system.MemorySummary?.TotalSystemMemoryGiB && `${system.MemorySummary.TotalSystemMemoryGiB} GiB`
          ],
          [t('postState'), system.Oem?.Vendor?.PostState && labelOf(system.Oem.Vendor.PostState)],
          ['UUID', <Mono key="uuid">{system.UUID}</Mono>],
          [
            t('lamp'),
            lit != null && (
              <Action
                label={lit ? t('lampOff') : t('lampOn')}
                act={() => send('PATCH', system['@odata.id'], { LocationIndicatorActive: !lit })}
              />
            )
          ]
        ]}
      />
    </Card>
  )
}

function summary({ ProcessorSummary: processors }: System) {
  return processors?.Count == null ? undefined : `${processors.Count} × ${processors.Model}`
}

/** The controller's address, and the firmware of all with its versions. */
function Controller() {
  const interfaces = useMembers<Interface>(partOf(useManager(), ({ EthernetInterfaces }) => EthernetInterfaces))
  return (
    <Card title={t('controllerAndFirmware')}>
      <Loaded from={together(useFirmware(), optional(interfaces))}>
        {([firmware, ports = []]) => (
          <Table
            caption={t('controllerAndFirmware')}
            head={[t('name'), t('state'), t('value')]}
            rows={[...ports.flatMap(addresses), ...firmware.Members.filter(({ Version }) => Version).map(version)]}
          />
        )}
      </Loaded>
    </Card>
  )
}

function addresses({ Name, IPv4Addresses = [] }: Interface) {
  return IPv4Addresses.filter(({ Address }) => Address).map(({ Address, AddressOrigin }) => [
    Name,
    AddressOrigin ? labelOf(AddressOrigin) : '',
    <Mono key="address">{Address}</Mono>
  ])
}

function version({ Name, Staged, Active, Version }: Software) {
  return [Name, Staged ? t('staged') : Active ? t('active') : '', <Mono key="version">{Version}</Mono>]
}
