import { Action } from '../parts/action.tsx'
import { effectOf, resetOf, resetsOf, systemLamp } from '../parts/commands.ts'
import { ConsolePreview } from '../parts/console-preview.tsx'
import { LastHour } from '../parts/last-hour.tsx'
import { Popover } from '../parts/popover.tsx'
import { Card, Facts, Health, Loaded, Mono, Tile, unitOf } from '../parts/show.tsx'
import { Table } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { addressOf } from '../router.ts'
import { optional, partOf, together, valueIn } from '../rules/known.ts'
import { type Reset, whyNot } from '../rules/power.ts'
import { criticalLimit } from '../rules/sensors.ts'
import { hottest } from '../rules/summary.ts'
import { entryText, useFirstEntries } from '../service/logs.ts'
import { useHealth, useManager, useSystem } from '../service/machine.ts'
import { textOf } from '../service/messages.ts'
import { useFirmware, usePending } from '../service/pending.ts'
import { lastOf, useEnvironment, useHistory, useSensors } from '../service/readings.ts'
import { useMembers } from '../service/resources.ts'
import type { Interface, LogEntry, Software, System } from '../types.ts'
import { labelOf, quantity, t, type Word } from '../words/index.ts'

/** The machine at a glance: how it is, what it needs, and what its next restart changes. */
export function Overview() {
  return (
    <Loaded from={optional(useSystem())}>
      {(system) => (
        <>
          {system && (
            <>
              <p class="lead">
                <b id="power-state">{system.PowerState ? labelOf(system.PowerState) : t('stateUnknown')}</b>
                {isStarting(system) && ` · ${labelOf(system.BootProgress?.LastState ?? '')}`}
              </p>
              <Power system={system} />
            </>
          )}
          <Tiles />
          <div class="cards uneven">
            <LatestEntries />
            {system && <NextRestart />}
          </div>
          <div class="cards">
            {system && <Identity system={system} />}
            <Controller />
          </div>
          {system && <ConsolePreview system={system} />}
        </>
      )}
    </Loaded>
  )
}

/** Whether the system says how far its start is. */
const isStarting = ({ BootProgress }: System) => BootProgress?.LastState != null && BootProgress.LastState !== 'None'

/** The resets that stand beside the title; the others are in the menu. */
const first: ReadonlySet<Reset> = new Set(['On', 'GracefulShutdown', 'GracefulRestart'])

function Power({ system }: { readonly system: System }) {
  const offered = resetsOf(system)
  const button = (each: Reset) => <Action key={each} {...resetOf(system, each)} />
  // Resets that make no sense in this state are only in the popover, which saves room beside the title.
  const beside = offered.filter((each) => first.has(each) && whyNot(each, system.PowerState) === undefined)
  const more = offered.filter((each) => !beside.includes(each))
  return (
    <fieldset class="tools" aria-label={t('power')}>
      {beside.map(button)}
      {more.length > 0 && (
        <Popover button={t('more')}>
          {more.map((each) => (
            <div key={each}>
              {button(each)}
              <small>{effectOf(each)}</small>
            </div>
          ))}
        </Popover>
      )}
    </fieldset>
  )
}

function Tiles() {
  const metrics = valueIn(useEnvironment())
  const { sensors, thermal } = valueIn(useSensors()) ?? { sensors: [], thermal: {} }
  const history = useHistory('Hour')
  const hot = hottest(sensors)
  const limit = hot && criticalLimit(hot, thermal)
  const power = sensors.find(({ '@odata.id': id }) => id === metrics?.PowerWatts?.DataSourceUri)
  const { PowerWatts: watts, PowerLimitWatts: cap, FanSpeedsPercent: fans = [] } = metrics ?? {}
  const speeds = fans.flatMap(({ DataSourceUri, Reading }) => {
    const sensor = sensors.find(({ '@odata.id': id }) => id === DataSourceUri)
    // A fan whose speed is unknown may well turn.
    return (sensor && lastOf(sensor)) ?? Reading ?? []
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
            ? t('capOf', cap.SetPoint)
            : cap?.AllowableMax != null && t('ofWatts', cap.AllowableMax)}
        </Tile>
      )}
      {hot && (
        <Tile
          title={t('hottest')}
          value={lastOf(hot) ?? hot.Reading}
          unit={unitOf(hot)}
          line={<LastHour of={hot} history={history} />}
        >
          <bdi>{hot.Name}</bdi>
          {limit !== undefined && ` · ${t('criticalAt', quantity(limit, unitOf(hot)))}`}
        </Tile>
      )}
      {speeds.length > 0 && (
        <Tile title={t('fans')} value={Math.max(...speeds)} unit="%">
          {t('fansTurn', turning, speeds.length)}
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
            <p class="figure">{worst === undefined ? '–' : <Health of={worst} />}</p>
            {causes.length === 0 && <small>{t(noCauseAt(worst))}</small>}
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

/** The text for a health without a cause. Only `OK` means that no part has a fault. */
function noCauseAt(worst: string | undefined): Word {
  if (worst === undefined) return 'stateUnknown'
  return worst === 'OK' ? 'noCauses' : 'causeUnknown'
}

const entryColumns = () => [
  { head: t('severity'), cell: ({ Severity }: LogEntry) => <Health of={Severity} /> },
  { head: t('message'), cell: entryText },
  { head: t('time'), cell: ({ Created }: LogEntry) => <Time of={Created} /> }
]

/** The newest entries of the first log of the system. */
function LatestEntries() {
  const entries = useFirstEntries()
  return (
    <Card title={t('latestEntries')} tools={<a href={addressOf('log')}>{t('allEntries')}</a>}>
      <Loaded from={entries}>
        {(all) =>
          all.length === 0 ? (
            <p>{t('noEntries')}</p>
          ) : (
            <Table
              caption={t('latestEntries')}
              columns={entryColumns()}
              rows={all.slice(-6).reverse()}
              keyOf={(each) => each['@odata.id']}
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
                      <s>{from}</s> {t('becomes')}{' '}
                    </>
                  )}
                  <bdi>{to}</bdi>
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
  const lamp = systemLamp(system)
  return (
    <Card title={t('machine')}>
      <Facts
        of={[
          [t('name'), system.Name],
          [t('model'), [system.Manufacturer, system.Model].filter(Boolean).join(' ')],
          [t('serial'), system.SerialNumber && <Mono key="serial">{system.SerialNumber}</Mono>],
          [t('assetTag'), system.AssetTag],
          [t('processors'), summary(system)],
          [
            t('memory'),
            system.MemorySummary?.TotalSystemMemoryGiB && `${system.MemorySummary.TotalSystemMemoryGiB} GiB`
          ],
          [t('postState'), labelOf(system.Oem?.Vendor?.PostState)],
          ['UUID', system.UUID && <Mono key="uuid">{system.UUID}</Mono>],
          [t('lamp'), lamp && <Action {...lamp} />]
        ]}
      />
    </Card>
  )
}

function summary({ ProcessorSummary: processors }: System) {
  return processors?.Count == null ? undefined : [processors.Count, processors.Model].filter(Boolean).join(' × ')
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
            columns={[
              { head: t('name'), cell: ({ name }) => name },
              { head: t('state'), cell: ({ state }) => state },
              { head: t('value'), cell: ({ value }) => <Mono>{value}</Mono> }
            ]}
            rows={[...ports.flatMap(addresses), ...firmware.Members.filter(({ Version }) => Version).map(version)]}
            keyOf={({ id }) => id}
            empty={t('absent')}
          />
        )}
      </Loaded>
    </Card>
  )
}

/** A line of what the controller is reached by, or runs. */
interface Line {
  readonly id: string
  readonly name: string
  readonly state: string
  readonly value: string | null | undefined
}

function addresses({ '@odata.id': id, Name: name, IPv4Addresses = [] }: Interface): readonly Line[] {
  return IPv4Addresses.filter(({ Address }) => Address).map(({ Address, AddressOrigin }) => ({
    id: `${id}${Address}`,
    name,
    state: labelOf(AddressOrigin),
    value: Address
  }))
}

function version({ '@odata.id': id, Name: name, Staged, Active, Version: value }: Software): Line {
  return { id, name, state: Staged ? t('staged') : Active ? t('active') : '', value }
}
