import { type ComponentType, h } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { place } from '../router.ts'
import { valueIn } from '../rules/known.ts'
import { type Screen, screens } from '../screens/index.ts'
import { useSystem } from '../service/machine.ts'
import { refreshAll, touched } from '../service/resources.ts'
import { followEvents } from '../service/stream.ts'
import { language, t } from '../words/index.ts'
import { Header } from './header.tsx'
import { Sidebar } from './sidebar.tsx'

/** The screen that is shown, with the navigation beside it and the state of the machine above it. */
export function Frame() {
  useEffect(() => {
    followEvents((event) => touched(event.OriginOfCondition?.['@odata.id'] ?? ''), refreshAll)
  }, [])
  const { screen: path, system: id } = place.value
  const screen = screens.find((each) => each.path === path) ?? screens[0]!
  const system = valueIn(useSystem())
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    document.title = `${t(screen.word)} · ${system?.Name ?? ''}`
    setOpen(false)
  }, [screen, system?.Name, language.value])
  return (
    <div class="frame">
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        {t('skip')}
      </button>
      <Sidebar shown={screen} isOpen={isOpen} onClose={() => setOpen(false)} />
      <Header onMenu={() => setOpen(!isOpen)} />
      <main id="main" tabIndex={-1}>
        <h1>{t(screen.word)}</h1>
        <Opened screen={screen} key={`${screen.path} ${id ?? ''}`} />
      </main>
    </div>
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
