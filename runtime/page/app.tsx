import { useEffect } from 'preact/hooks'
import { Questions } from './parts/question.tsx'
import { addressOf, place } from './router.ts'
import { screens } from './screens/index.ts'
import { ChangePassword, Login, LoginAgain } from './screens/login.tsx'
import { expired, mustChange, session } from './service/client.ts'
import { chosen, useSystem, useSystems } from './service/machine.ts'
import { refreshAll, touched } from './service/resources.ts'
import { logOut } from './service/session.ts'
import { connection, followEvents } from './service/stream.ts'
import { language, languages, t } from './words.ts'

/** The page: a login, or the screens. */
export function App() {
  useEffect(() => {
    document.documentElement.lang = language.value
  }, [language.value])
  return (
    <>
      {session.value === undefined ? <Login /> : <Shell />}
      {expired.value && <LoginAgain />}
      {mustChange.value !== undefined && !expired.value && <ChangePassword account={mustChange.value} />}
      <Questions />
    </>
  )
}

function Shell() {
  useEffect(() => {
    followEvents((event) => touched(event.OriginOfCondition?.['@odata.id'] ?? ''), refreshAll)
  }, [])
  const [name = ''] = place.value.split('/')
  const screen = screens.find((each) => each.path === name) ?? screens[0]!
  const { value: system } = useSystem()
  useEffect(() => {
    document.title = `${t(screen.word)} · ${system?.Name ?? ''}`
  }, [screen, system?.Name, language.value])
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        {t('skip')}
      </button>
      <header>
        <strong>{system?.Name ?? '…'}</strong>
        <SystemChoice />
        <Connection />
        <span class="space" />
        <LanguageChoice />
        <span>{session.value?.user}</span>
        <button type="button" onClick={() => void logOut()}>
          {t('logOut')}
        </button>
      </header>
      <nav aria-label={t('screens')}>
        {screens.map(({ path, word }) => (
          <a key={path} href={addressOf(path)} aria-current={path === screen.path ? 'page' : undefined}>
            {t(word)}
          </a>
        ))}
      </nav>
      <main id="main" tabIndex={-1}>
        <h1>{t(screen.word)}</h1>
        <screen.Screen key={`${screen.path} ${chosen.value ?? ''}`} />
      </main>
    </>
  )
}

function Connection() {
  const state = connection.value
  return (
    <span role="status" class={`connection ${state}`}>
      {t(state)}
    </span>
  )
}

function SystemChoice() {
  const systems = useSystems()
  if (systems.length < 2) return null
  return (
    <select
      aria-label={t('system')}
      onChange={({ currentTarget }) => {
        chosen.value = currentTarget.value
      }}
    >
      {systems.map((each) => (
        <option key={each} value={each}>
          {each.split('/').at(-2)}
        </option>
      ))}
    </select>
  )
}

function LanguageChoice() {
  return (
    <select
      aria-label={t('language')}
      value={language.value}
      onChange={({ currentTarget }) => {
        language.value = currentTarget.value as typeof language.value
      }}
    >
      {Object.entries(languages).map(([code, name]) => (
        <option key={code} value={code} lang={code}>
          {name}
        </option>
      ))}
    </select>
  )
}
