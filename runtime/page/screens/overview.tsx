import type { ComponentChildren } from 'preact'
import { Action } from '../parts/action.tsx'
import { Card, Facts, Health, Loaded, Table, when } from '../parts/show.tsx'
import { addressOf } from '../router.ts'
import { absent, fresh, optional, partOf, together, valueIn } from '../rules/known.ts'
import { changedNames } from '../rules/pending.ts'
import { asksBefore, type Reset, resets, whyNot } from '../rules/power.ts'
import { send } from '../service/client.ts'
import { useManager, useSystem } from '../service/machine.ts'
import { textOf } from '../service/messages.ts'
import { useResource } from '../service/resources.ts'
import { events } from '../service/stream.ts'
import type { Bios, Expanded, Manager, Software, System } from '../types.ts'
import { t, type Word } from '../words/index.ts'

/** The machine, its health, and its power buttons. */
export function Overview() {
  return (
    <Loaded from={useSystem()}>
      {(system) => (
        <div class="cards">
          <Power system={system} />
          <Pending system={system} />
          <Identity system={system} />
          <Firmware />
          <LastEvents />
        </div>
      )}
    </Loaded>
  )
}

function Power({ system }: { readonly system: System }) {
  const reset = system.Actions?.['#ComputerSystem.Reset']
  const allowed = new Set<string>(reset?.['ResetType@Redfish.AllowableValues'] ?? [])
  const lit = system.LocationIndicatorActive === true
  return (
    <Card title={t('power')}>
      <p class="state">
        <span class={`lamp ${system.PowerState === 'On' ? 'on' : ''}`} />
        <b id="power-state">{system.PowerState ?? t('stateUnknown')}</b>
        {system.BootProgress?.LastState && <small>{system.BootProgress.LastState}</small>}
      </p>
      <fieldset class="row" aria-label={t('power')}>
        {resets
          .filter((each) => allowed.has(each))
          .map((each) => {
            const why = whyNot(each, system.PowerState)
            return (
              <Action
                key={each}
                label={t(each)}
                kind={kindOf(each)}
                whyNot={why && t(why)}
                question={asksBefore(each, system.PowerState) ? t(`${each}?` as Word, system.Name) : undefined}
                act={() => send('POST', reset?.target ?? '', { ResetType: each })}
              />
            )
          })}
      </fieldset>
      <p class="row">
        {t('lamp')}: <b>{system.IndicatorLED}</b>
        <Action
          label={lit ? t('lampOff') : t('lampOn')}
          act={() => send('PATCH', system['@odata.id'], { LocationIndicatorActive: !lit })}
        />
      </p>
    </Card>
  )
}

function kindOf(reset: Reset) {
  return reset === 'On' ? 'primary' : reset.startsWith('Force') || reset === 'Nmi' ? 'danger' : 'plain'
}

/** Changes that the next reset brings about; none of them before all that may wait is known. */
function Pending({ system }: { readonly system: System }) {
  const bios = useResource<Bios>(system.Bios?.['@odata.id'] ?? absent)
  const settings = useResource<Bios>(partOf(bios, (value) => value['@Redfish.Settings']?.SettingsObject?.['@odata.id']))
  const known = fresh(together(optional(bios), optional(settings), optional(useManager()), optional(useFirmware())))
  return (
    <Card title={t('nextReset')}>
      <Loaded from={known}>
        {([current, next, manager, firmware]) => (
          <Waiting lines={waitingLines(system, current, next, manager, firmware?.Members ?? [])} />
        )}
      </Loaded>
    </Card>
  )
}

function waitingLines(
  { Boot: boot, Oem }: System,
  bios: Bios | undefined,
  settings: Bios | undefined,
  manager: Manager | undefined,
  firmware: readonly Software[]
): ComponentChildren[] {
  const vendor = Oem?.Vendor
  const changes = changedNames(bios?.Attributes ?? {}, settings?.Attributes ?? {}).length
  const lines = [
    changes > 0 && <a href={addressOf('bios/changed')}>{t('biosChanges', String(changes))}</a>,
    (boot?.BootSourceOverrideEnabled ?? 'Disabled') !== 'Disabled' &&
      t('bootsFrom', `${boot?.BootSourceOverrideTarget}`, `${boot?.BootSourceOverrideEnabled}`),
    vendor?.PendingBootMode !== vendor?.BootMode && t('bootMode', `${vendor?.PendingBootMode}`),
    vendor?.PendingNvramClear && t('nvramClear'),
    vendor?.PendingRecovery && t('recovery'),
    ...firmware.filter((each) => each.Staged).map((each) => t('stagedVersion', each.Name, each.Version ?? '')),
    ...(manager?.Oem?.Vendor?.PendingAtReset ?? [])
  ]
  return lines.filter(Boolean)
}

function Waiting({ lines }: { readonly lines: readonly ComponentChildren[] }) {
  if (lines.length === 0) return <p>{t('nothingPending')}</p>
  return (
    <ul>
      {lines.map((each, index) => (
        <li key={index}>{each}</li>
      ))}
    </ul>
  )
}

function Identity({ system }: { readonly system: System }) {
  const manager = valueIn(useManager())
  return (
    <Card title={t('machine')}>
      <Facts
        of={[
          [t('health'), <Health key="health" of={system.Status?.Health} />],
          [t('model'), [system.Manufacturer, system.Model].filter(Boolean).join(' ')],
          [t('serial'), system.SerialNumber],
          [t('assetTag'), system.AssetTag],
          [t('processors'), summary(system)],
          [
            t('memory'),
            system.MemorySummary?.TotalSystemMemoryGiB && `${system.MemorySummary.TotalSystemMemoryGiB} GiB`
          ],
          [t('postState'), system.Oem?.Vendor?.PostState],
          [t('controller'), controllerOf(manager)],
          ['UUID', system.UUID]
        ]}
      />
    </Card>
  )
}

function summary({ ProcessorSummary: processors }: System) {
  return processors?.Count == null ? undefined : `${processors.Count} × ${processors.Model}`
}

function controllerOf(manager: Manager | undefined) {
  return manager && `${manager.Model} ${manager.FirmwareVersion}`
}

const useFirmware = () => useResource<Expanded<Software>>('/redfish/v1/UpdateService/FirmwareInventory/?$expand=.')

function Firmware() {
  return (
    <Card title={t('firmware')}>
      <Loaded from={useFirmware()}>
        {({ Members }) => (
          <Table
            caption={t('firmware')}
            head={[t('name'), t('version'), t('state')]}
            rows={Members.filter((each) => each.Version).map((each) => [
              `${each.Name} (${each.Id})`,
              each.Version ?? '',
              each.Staged ? t('staged') : each.Active ? t('active') : ''
            ])}
          />
        )}
      </Loaded>
    </Card>
  )
}

function LastEvents() {
  return (
    <Card title={t('lastEvents')}>
      {events.value.length === 0 && <p>{t('noEvents')}</p>}
      <ol class="events">
        {events.value.slice(0, 8).map((each) => (
          <li key={each.EventId}>
            <time>{when(each.EventTimestamp)}</time> {textOf(each).text}{' '}
            <small>{each.OriginOfCondition?.['@odata.id']}</small>
          </li>
        ))}
      </ol>
    </Card>
  )
}
