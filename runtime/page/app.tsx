import { type ComponentType, h } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Questions } from './parts/question.tsx'
import { addressOf, place } from './router.ts'
import { valueIn } from './rules/known.ts'
import { type Screen, screens } from './screens/index.ts'
import { ChangePassword, Login, LoginAgain } from './screens/login.tsx'
import { expired, mustChange, session } from './service/client.ts'
import { chosen, useSystem, useSystems } from './service/machine.ts'
import { chosenLanguage } from './service/preferences.ts'
import { refreshAll, touched } from './service/resources.ts'
import { logOut } from './service/session.ts'
import { connection, followEvents } from './service/stream.ts'
import { type Language, language, languages, show, t } from './words/index.ts'

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
  const system = valueIn(useSystem())
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
        <Opened screen={screen} key={`${screen.path} ${chosen.value ?? ''}`} />
      </main>
    </>
  )
}

/** A screen, as soon as its file is there. */
function Opened({ screen }: { readonly screen: Screen }) {
  const [loaded, setLoaded] = useState<ComponentType | 'failed'>()
  useEffect(() => {
    screen.load().then(
      (Component) => {
        setLoaded(() => Component)
        whenIdle(loadAll)
      },
      () => setLoaded('failed')
    )
  }, [screen])
  if (loaded === undefined) return <progress aria-label={t('loading')} />
  if (loaded !== 'failed') return h(loaded, {})
  return (
    <div class="problem" role="alert">
      <p>{t('screenNotLoaded')}</p>
      <button type="button" onClick={() => location.reload()}>
        {t('tryAgain')}
      </button>
    </div>
  )
}

/** Safari has no such callback. */
const whenIdle = globalThis.requestIdleCallback ?? ((run: () => void) => setTimeout(run, 2000))

/** Loads the files of the other screens ahead; what fails is loaded again when its screen is opened. */
function loadAll(): void {
  for (const { load } of screens) load().catch(() => {})
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
  const systems = valueIn(useSystems()) ?? []
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
  )
}
