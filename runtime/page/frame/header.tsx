import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { Action } from '../parts/action.tsx'
import { resetOf, resetsOf } from '../parts/commands.ts'
import { Popover } from '../parts/popover.tsx'
import { Health, PowerState, Status } from '../parts/show.tsx'
import { toast } from '../parts/toast.tsx'
import { addressOf, place } from '../router.ts'
import { valueIn } from '../rules/known.ts'
import { whyNot } from '../rules/power.ts'
import { connection } from '../service/connection.ts'
import { systemId, useHealth, useManager, useSystem, useSystems } from '../service/machine.ts'
import { usePending } from '../service/pending.ts'
import { useResource } from '../service/resources.ts'
import { events } from '../service/stream.ts'
import { isUnderWay, useTasks } from '../service/tasks.ts'
import type { Manager, System } from '../types.ts'
import { labelOf, t } from '../words/index.ts'
import { Connection } from './connection.tsx'
import { SecondFactor } from './factor.tsx'
import { Icon } from './icons.tsx'
import { OwnPassword } from './password.tsx'
import { Shortcuts } from './shortcuts.tsx'
import { User } from './user.tsx'

/** The machine that is shown, how it is, what waits for its next restart, and the user. */
export function Header({ onMenu }: { readonly onMenu: () => void }) {
  const system = valueIn(useSystem())
  const manager = valueIn(useManager())
  const shown = system ?? manager
  const pending = valueIn(usePending())
  const health = valueIn(useHealth())
  return (
    <header class="top">
      <button type="button" class="drawer" aria-label={t('screens')} onClick={onMenu}>
        <Icon name="menu" />
      </button>
      <SystemName system={shown} />
      <small>{[shown?.Model, system?.SerialNumber].filter(Boolean).join(' · ')}</small>
      <div class="row states">
        {system && <PowerState of={system.PowerState} />}
        {health && (
          <a href={addressOf('overview')}>
            <Health of={health.worst} />
          </a>
        )}
        {connection.value !== 'live' && connection.value !== 'opening' && (
          <span class="narrow">
            <Connection />
          </span>
        )}
        {system !== undefined && pending !== undefined && pending.length > 0 && (
          <>
            <a class="badge main" href={addressOf('overview')}>
              {t('waitForRestart', pending.length)}
            </a>
            <RestartNow system={system} />
          </>
        )}
        <Status>
          <RunningTasks />
          <Alerts />
        </Status>
      </div>
      <div class="row end">
        <Shortcuts />
        <User>
          <SecondFactor />
          <OwnPassword />
        </User>
      </div>
    </header>
  )
}

/** How many tasks are under way; one that ends is told for a short while. */
function RunningTasks() {
  const tasks = valueIn(useTasks()) ?? []
  const before = useRef<ReadonlySet<string>>(new Set())
  const running = new Set(tasks.filter(isUnderWay).map((each) => each['@odata.id']))
  useEffect(() => {
    const ended = tasks.filter(({ '@odata.id': uri }) => before.current.has(uri) && !running.has(uri))
    before.current = running
    if (ended.length > 0) toast(ended.map(({ Name, TaskState }) => `${Name}: ${labelOf(TaskState)}`).join(' · '))
  }, [tasks])
  if (running.size === 0) return null
  return (
    <a class="badge main" href={addressOf('tasks')}>
      {t('tasksRunning', running.size)}
    </a>
  )
}

/** The events that were bad since the page was opened, and that the user has not looked at. */
function Alerts() {
  const since = events.value.filter((each) => each.MessageSeverity !== 'OK' && each.MessageSeverity !== undefined)
  const isRead = place.value.screen === 'log'
  const newest = since[0]?.EventId
  useEffect(() => {
    if (isRead && newest !== undefined) readUpTo.value = newest
  }, [isRead, newest])
  const at = since.findIndex(({ EventId }) => EventId === readUpTo.value)
  const unread = at < 0 ? since.length : at
  if (unread === 0) return null
  return (
    <a class="badge warn" href={addressOf('log?log=live')}>
      <Icon name="bell" /> {t('alerts', unread)}
    </a>
  )
}

const readUpTo = signal<string | undefined>(undefined)

/** Restarts a running system, gracefully if it allows that. */
function RestartNow({ system }: { readonly system: System }) {
  const type = resetsOf(system).find((each) => each === 'GracefulRestart' || each === 'ForceRestart')
  if (type === undefined || whyNot(type, system.PowerState) !== undefined) return null
  return <Action {...resetOf(system, type, t('restartNow'))} />
}

/** The name of the system, or of a controller without one; a choice where the controller has several. */
function SystemName({ system }: { readonly system: System | Manager | undefined }) {
  const uris = valueIn(useSystems()) ?? []
  const shown = system && (system.Name ?? systemId(system['@odata.id']))
  const name = <strong>{shown ?? '…'}</strong>
  if (uris.length < 2) return name
  return (
    <Popover label={`${t('system')}: ${shown ?? ''}`} button={name} side="start">
      {uris.map((each) => (
        <SystemChoice key={each} uri={each} isShown={each === system?.['@odata.id']} />
      ))}
    </Popover>
  )
}

function SystemChoice({ uri, isShown }: { readonly uri: string; readonly isShown: boolean }) {
  const value = valueIn(useResource<System>(uri))
  const id = systemId(uri)
  return (
    <a class="choice" href={addressOf(place.value.screen, id)} aria-current={isShown ? 'true' : undefined}>
      <bdi>{value?.Name ?? id}</bdi>{' '}
      {value && (
        <>
          <PowerState of={value.PowerState} /> <Health of={value.Status?.HealthRollup ?? value.Status?.Health} />
        </>
      )}
    </a>
  )
}
