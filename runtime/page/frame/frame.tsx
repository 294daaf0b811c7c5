import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { ScreenNeeds } from '../parts/allowed.ts'
import { Opened } from '../parts/opened.tsx'
import { place } from '../router.ts'
import { valueIn } from '../rules/known.ts'
import { screenAt, screens } from '../screens/index.ts'
import { quiet } from '../service/client.ts'
import { controllerOffset, useManager, useSystem } from '../service/machine.ts'
import { refreshAll, touched } from '../service/resources.ts'
import { followEvents } from '../service/stream.ts'
import { language, loadNames, t } from '../words/index.ts'
import { Header } from './header.tsx'
import { useScroll } from './scroll.ts'
import { Sidebar } from './sidebar.tsx'

/** The screen that is shown, with the navigation beside it and the state of the machine above it. */
export function Frame() {
  useEffect(() => {
    followEvents((event) => touched(event.OriginOfCondition?.['@odata.id'] ?? ''), refreshAll)
  }, [])
  const { screen: path, system: id } = place.value
  const screen = screenAt(path)
  const system = valueIn(useSystem())
  const offset = valueIn(useManager())?.DateTimeLocalOffset
  useEffect(() => {
    controllerOffset.value = offset ?? undefined
  }, [offset])
  const load = useCallback(async () => {
    // The first screen has no forms, and waits for no file but its own.
    const [Component] = await Promise.all([screen.load(), screen === screens[0] || loadNames()])
    void loadAll()
    return Component
  }, [screen])
  const main = useRef<HTMLElement>(null)
  useScroll(main, screen.path)
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
      <main id="main" ref={main} tabIndex={-1}>
        <h1>{t(screen.word)}</h1>
        <ScreenNeeds.Provider value={screen.needs}>
          <Opened load={load} props={{}} key={`${screen.path} ${id ?? ''}`} />
        </ScreenNeeds.Provider>
      </main>
    </div>
  )
}

/** Loads the files of the other screens ahead; what fails is loaded again when its screen is opened. */
async function loadAll(): Promise<void> {
  await quiet()
  for (const load of [loadNames, ...screens.map((each) => each.load)]) load().catch(() => {})
}
