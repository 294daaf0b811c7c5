import { useEffect, useMemo, useState } from 'preact/hooks'
import { type Command, Outcome } from '../parts/action.tsx'
import { reasonAgainst } from '../parts/allowed.ts'
import { controllerRestart, resetOf, resetsOf, systemLamp } from '../parts/commands.ts'
import { useOperation } from '../parts/operation.ts'
import { confirm, Modal } from '../parts/question.tsx'
import { toast } from '../parts/toast.tsx'
import { addressOf } from '../router.ts'
import { findIn } from '../rules/find.ts'
import { partOf, valueIn } from '../rules/known.ts'
import { screens } from '../screens/index.ts'
import { attributeRegistryOf } from '../service/bios.ts'
import { entryText, useFirstEntries } from '../service/logs.ts'
import { useManager, useSystem } from '../service/machine.ts'
import { chooseLanguage, theme, themes } from '../service/preferences.ts'
import { useSensorList } from '../service/readings.ts'
import { useResource } from '../service/resources.ts'
import { logOut } from '../service/session.ts'
import type { Bios } from '../types.ts'
import { type Language, languages, t } from '../words/index.ts'

/** A result of the search: it is at an address, or is done. */
type Goal = { readonly name: string; readonly kind: string } & (
  | { readonly address: string }
  | { readonly command: Command }
)

interface Props {
  readonly onClose: () => void
  readonly onShortcuts: () => void
}

/** Finds screens, actions, sensors, BIOS attributes and log entries by parts of their names. */
export function Palette({ onClose, onShortcuts }: Props) {
  const [words, setWords] = useState('')
  const [at, setAt] = useState(0)
  const operation = useOperation()
  const goals = useGoals()
  const found = useMemo(() => findIn(goals, ({ name, kind }) => `${name} ${kind}`, words).slice(0, 50), [goals, words])
  useEffect(() => document.getElementById(`found-${at}`)?.scrollIntoView({ block: 'nearest' }), [at])
  const open = async (goal: Goal | undefined) => {
    if (goal === undefined || whyNot(goal) !== undefined) return
    if ('address' in goal) {
      location.hash = goal.address
      return onClose()
    }
    const { label, question, act } = goal.command
    if (question !== undefined && !(await confirm(label, question, label))) return
    if (!(await operation.run(act))) return
    onClose()
    toast(t('didIt', label))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setAt(Math.max(0, Math.min(found.length - 1, at + step)))
    }
    if (event.key !== 'Enter') return
    // The question that may follow has the focus at once, and is not answered by the same key.
    event.preventDefault()
    void open(found[at])
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
            key={`${goal.kind} ${goal.name} ${'address' in goal && goal.address}`}
            id={`found-${index}`}
            class="choice"
            role="option"
            aria-selected={index === at}
            aria-current={index === at ? 'true' : undefined}
            aria-disabled={whyNot(goal) !== undefined}
            onClick={() => void open(goal)}
          >
            <bdi>{goal.name}</bdi> <small>{whyNot(goal) ?? goal.kind}</small>
          </div>
        ))}
      </div>
      {found.length === 0 && <p>{t('nothingFound')}</p>}
      <Outcome operation={operation} />
      <button type="button" class="plain-look" onClick={onShortcuts}>
        {t('shortcuts')} <kbd>?</kbd>
      </button>
    </Modal>
  )
}

/** Why the user cannot have it. */
const whyNot = (goal: Goal) => ('command' in goal ? (reasonAgainst(goal.command) ?? goal.command.whyNot) : undefined)

/** All that can be found on this machine, as far as it is known. */
function useGoals(): readonly Goal[] {
  const system = useSystem()
  const machine = valueIn(system)
  const manager = valueIn(useManager())
  const list = valueIn(useSensorList())
  const bios = useResource<Bios>(partOf(system, ({ Bios }) => Bios?.['@odata.id']))
  const registry = valueIn(attributeRegistryOf(bios))
  const entries = valueIn(useFirstEntries())
  return useMemo(
    () => [
      ...screens.map(({ path, word }) => ({ name: t(word), kind: t('screen'), address: addressOf(path) })),
      ...[
        ...(machine === undefined
          ? []
          : [...resetsOf(machine).map((each) => resetOf(machine, each)), systemLamp(machine)]),
        manager && controllerRestart(manager),
        ...commandsOfPage()
      ].flatMap((command) => (command === undefined ? [] : { name: command.label, kind: t('action'), command })),
      ...(list ?? []).map(({ Name }) => ({ name: Name, kind: t('sensors'), address: addressOf('sensors') })),
      ...(registry?.RegistryEntries.Attributes ?? []).map(({ DisplayName, MenuPath }) => ({
        name: DisplayName,
        kind: t('bios'),
        address: addressOf(`bios/${encodeURIComponent(MenuPath)}`)
      })),
      // An address finds all entries of the same text.
      ...[...new Set((entries ?? []).toReversed().map(entryText))].map((name) => ({
        name,
        kind: t('log'),
        address: addressOf(`log?words=${encodeURIComponent(name)}`)
      }))
    ],
    [machine, manager, list, registry, entries]
  )
}

/** The commands that concern the page: log out, theme and language. */
function commandsOfPage(): readonly Command[] {
  return [
    { label: t('logOut'), own: true, act: logOut },
    ...themes.map((each) => ({
      label: `${t('theme')}: ${t(`theme-${each}`)}`,
      own: true,
      async act() {
        theme.value = each
      }
    })),
    ...Object.entries(languages).map(([code, { name }]) => ({
      label: `${t('language')}: ${name}`,
      own: true,
      act: () => chooseLanguage(code as Language)
    }))
  ]
}
