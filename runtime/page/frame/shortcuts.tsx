import { useEffect, useState } from 'preact/hooks'
import { Modal } from '../parts/question.tsx'
import { Facts } from '../parts/show.tsx'
import { Switch } from '../parts/switch.tsx'
import { type ShortcutName, shortcutOf, shortcuts } from '../rules/shortcuts.ts'
import { singleKeys } from '../service/preferences.ts'
import { t } from '../words/index.ts'
import { Icon } from './icons.tsx'
import { Palette } from './palette.tsx'

/** The search over everything, and the keys that open it and more. */
export function Shortcuts() {
  const [opened, open] = useState<'find' | 'shortcuts' | undefined>()
  const close = () => open(undefined)
  useEffect(() => {
    const does: Readonly<Record<ShortcutName, () => void>> = {
      find: () => open('find'),
      searchHere: () => document.querySelector<HTMLInputElement>('main input[type=search]')?.focus(),
      shortcuts: () => open('shortcuts')
    }
    const onKey = (event: KeyboardEvent) => {
      const wanted = shortcutOf(event, singleKeys.value === 'on' && !isTyping(event.target))
      if (wanted === undefined) return
      event.preventDefault()
      if (document.querySelector('dialog:modal') === null) does[wanted]()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  return (
    <>
      <button
        type="button"
        class="plain-look"
        aria-haspopup="dialog"
        aria-label={`${t('find')} Ctrl K`}
        onClick={() => open('find')}
      >
        <Icon name="search" />{' '}
        <span>
          {t('find')} <kbd>Ctrl K</kbd>
        </span>
      </button>
      {opened === 'find' && <Palette onClose={close} onShortcuts={() => open('shortcuts')} />}
      {opened === 'shortcuts' && <Listing onClose={close} />}
    </>
  )
}

const isTyping = (target: EventTarget | null) =>
  target instanceof Element && target.closest('input, textarea, select') !== null

/** The shortcuts, and whether single keys are among them. */
function Listing({ onClose }: { readonly onClose: () => void }) {
  return (
    <Modal title={t('shortcuts')} onClose={onClose}>
      <Facts of={shortcuts.map(({ word, shown }) => [t(word), <kbd key={word}>{shown}</kbd>])} />
      <Switch
        label={t('singleKeys')}
        isOn={singleKeys.value === 'on'}
        onSwitch={(isOn) => {
          singleKeys.value = isOn ? 'on' : 'off'
        }}
      />
      <div class="row end">
        <button type="button" onClick={onClose}>
          {t('close')}
        </button>
      </div>
    </Modal>
  )
}
