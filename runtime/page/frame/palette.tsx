import { useMemo, useState } from 'preact/hooks'
import { Modal } from '../parts/question.tsx'
import { addressOf } from '../router.ts'
import { findIn } from '../rules/find.ts'
import { partOf, valueIn } from '../rules/known.ts'
import { screens } from '../screens/index.ts'
import { attributeRegistryOf } from '../service/bios.ts'
import { useChassis, useSystem } from '../service/machine.ts'
import { useMembers, useResource } from '../service/resources.ts'
import type { Bios, Sensor } from '../types.ts'
import { t } from '../words/index.ts'

/** A result of the search: name, kind and address. */
interface Goal {
  readonly name: string
  readonly kind: string
  readonly address: string
}

/** Finds screens, BIOS attributes and sensors by parts of their names. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [words, setWords] = useState('')
  const [at, setAt] = useState(0)
  const goals = useGoals()
  const found = useMemo(() => findIn(goals, ({ name, kind }) => `${name} ${kind}`, words).slice(0, 50), [goals, words])
  const open = (goal: Goal | undefined) => {
    if (goal === undefined) return
    location.hash = goal.address
    onClose()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setAt(Math.max(0, Math.min(found.length - 1, at + step)))
    }
    if (event.key === 'Enter') open(found[at])
  }
  return (
    <Modal title={t('find')} onClose={onClose}>
      <input
        type="text"
        role="combobox"
        aria-autocomplete="list"
        aria-expanded="true"
        aria-controls="found"
        aria-activedescendant={found[at] && `found-${at}`}
        aria-label={t('findHint')}
        placeholder={t('findHint')}
        autofocus
        onInput={({ currentTarget }) => {
          setWords(currentTarget.value)
          setAt(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div id="found" class="found" role="listbox" aria-label={t('find')}>
        {found.map((goal, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus, and its keys choose.
          // biome-ignore lint/a11y/useFocusableInteractive: an option of a combobox has no focus of its own.
          <div
            key={goal.address + goal.name}
            id={`found-${index}`}
            class="choice"
            role="option"
            aria-selected={index === at}
            aria-current={index === at ? 'true' : undefined}
            onClick={() => open(goal)}
          >
            {goal.name} <small>{goal.kind}</small>
          </div>
        ))}
      </div>
      {found.length === 0 && <p>{t('nothingFound')}</p>}
    </Modal>
  )
}

/** All that can be found on this machine, as far as it is known. */
function useGoals(): readonly Goal[] {
  const list = valueIn(useMembers<Sensor>(partOf(useChassis(), ({ Sensors }) => Sensors)))
  const bios = useResource<Bios>(partOf(useSystem(), ({ Bios }) => Bios?.['@odata.id']))
  const registry = valueIn(attributeRegistryOf(bios))
  return useMemo(
    () => [
      ...screens.map(({ path, word }) => ({ name: t(word), kind: t('screen'), address: addressOf(path) })),
      ...(list ?? []).map(({ Name }) => ({ name: Name, kind: t('sensors'), address: addressOf('sensors') })),
      ...(registry?.RegistryEntries.Attributes ?? []).map(({ DisplayName, MenuPath }) => ({
        name: DisplayName,
        kind: t('bios'),
        address: addressOf(`bios/${encodeURIComponent(MenuPath)}`)
      }))
    ],
    [list, registry]
  )
}
