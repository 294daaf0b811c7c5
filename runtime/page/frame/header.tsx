import { useEffect, useState } from 'preact/hooks'
import { Popover } from '../parts/popover.tsx'
import { ResetButton, resetsOf } from '../parts/reset.tsx'
import { Segments } from '../parts/segments.tsx'
import { Health, PowerState } from '../parts/show.tsx'
import { addressOf, place } from '../router.ts'
import { valueIn } from '../rules/known.ts'
import { whyNot } from '../rules/power.ts'
import { session } from '../service/client.ts'
import { systemId, useHealth, useSystem, useSystems } from '../service/machine.ts'
import { usePending } from '../service/pending.ts'
import { chosenLanguage, theme, themes } from '../service/preferences.ts'
import { useResource } from '../service/resources.ts'
import { logOut } from '../service/session.ts'
import { connection } from '../service/stream.ts'
import type { System } from '../types.ts'
import { type Language, language, languages, show, t } from '../words/index.ts'
import { Connection } from './connection.tsx'
import { Icon } from './icons.tsx'
import { Palette } from './palette.tsx'

/** The machine that is shown, how it is, what waits for its next restart, and the user. */
export function Header({ onMenu }: { readonly onMenu: () => void }) {
  const system = valueIn(useSystem())
  const pending = valueIn(usePending())
  const health = valueIn(useHealth())
  return (
    <header class="top">
      <button type="button" class="drawer" aria-label={t('screens')} onClick={onMenu}>
        <Icon name="menu" />
      </button>
      <SystemName system={system} />
      <small>{[system?.Model, system?.SerialNumber].filter(Boolean).join(' · ')}</small>
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
      <span class="space" />
      {system !== undefined && pending !== undefined && pending.length > 0 && (
        <>
          <a class="badge main" href={addressOf('overview')}>
            {t('waitForRestart', String(pending.length))}
          </a>
          <RestartNow system={system} />
        </>
      )}
      <Search />
      <Popover
        button={
          <>
            <Icon name="user" /> {session.value?.user}
          </>
        }
        kind="plain-look"
      >
        <User />
      </Popover>
    </header>
  )
}

/** Restarts a system that runs, gently where it allows that. */
function RestartNow({ system }: { readonly system: System }) {
  const type = resetsOf(system).find((each) => each === 'GracefulRestart' || each === 'ForceRestart')
  if (type === undefined || whyNot(type, system.PowerState) !== undefined) return null
  return <ResetButton system={system} type={type} label={t('restartNow')} />
}

/** The name of the system; a choice where the controller has several. */
function SystemName({ system }: { readonly system: System | undefined }) {
  const uris = valueIn(useSystems()) ?? []
  const name = <strong>{system?.Name ?? '…'}</strong>
  if (uris.length < 2) return name
  return (
    <Popover label={`${t('system')}: ${system?.Name ?? ''}`} button={name} side="start">
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
      {value?.Name ?? id}{' '}
      {value && (
        <>
          <PowerState of={value.PowerState} /> <Health of={value.Status?.HealthRollup ?? value.Status?.Health} />
        </>
      )}
    </a>
  )
}

function Search() {
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      setOpen(true)
    }
    addEventListener('keydown', open)
    return () => removeEventListener('keydown', open)
  }, [])
  return (
    <>
      <button type="button" class="plain-look" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <Icon name="search" /> {t('find')} <kbd>Ctrl K</kbd>
      </button>
      {isOpen && <Palette onClose={() => setOpen(false)} />}
    </>
  )
}

function User() {
  return (
    <>
      <Segments
        label={t('theme')}
        choices={themes.map((each) => [each, t(`theme-${each}`)] as const)}
        value={theme.value}
        onChoose={(chosen) => {
          theme.value = chosen
        }}
      />
      <label>
        {t('language')}
        <select
          value={language.value}
          onChange={({ currentTarget }) => {
            const code = currentTarget.value as Language
            chosenLanguage.value = code
            void show(code)
          }}
        >
          {Object.entries(languages).map(([code, { name }]) => (
            <option key={code} value={code} lang={code}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <button type="button" onClick={() => void logOut()}>
        {t('logOut')}
      </button>
    </>
  )
}
