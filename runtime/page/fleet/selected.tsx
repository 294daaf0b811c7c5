import { useState } from 'preact/hooks'
import { type ControllerSummary, type GroupAction, powerOperations } from '#data/fleet'
import { Action } from '../parts/action.tsx'
import { Popover } from '../parts/popover.tsx'
import { locale, t } from '../words/index.ts'
import { FaultsPanel } from './faults.tsx'
import { forEach, isRunning } from './group.ts'
import { Progress } from './progress.tsx'
import { f } from './words/index.ts'

interface Props {
  readonly controllers: readonly ControllerSummary[]
  readonly onSelect: (numbers: readonly number[]) => void
}

type Power = keyof typeof powerOperations

const operations = Object.keys(powerOperations) as readonly Power[]

/** The actions for the selected controllers, and their progress. */
export function Selected({ controllers, onSelect }: Props) {
  const [isOpen, setOpen] = useState(false)
  const numbers = controllers.map(({ number }) => number)
  const count = numbers.length.toLocaleString(locale.value)
  const whyNot = numbers.length === 0 ? f('noneSelected') : isRunning.value ? t('working') : undefined
  // How far it is stands below the buttons, not beside one of them.
  const run = (label: string, action: Omit<GroupAction, 'controllers'>) => async () =>
    void forEach(label, numbers, action)
  return (
    <>
      <div class="row group">
        <strong role="status">{numbers.length === 0 ? f('noneSelected') : f('selected', count)}</strong>
        <Popover button={f('switchPower')} side="start">
          {(close) =>
            operations.map((each) => (
              <Action
                key={each}
                label={t(each)}
                whyNot={whyNot}
                kind={each.startsWith('Force') ? 'danger' : 'plain'}
                question={each === 'On' ? undefined : f(`${each}?`, count)}
                act={async () => {
                  close()
                  void forEach(t(each), numbers, { power: each })
                }}
              />
            ))
          }
        </Popover>
        <button
          type="button"
          aria-disabled={numbers.length === 0}
          title={whyNot}
          onClick={() => numbers.length > 0 && setOpen(true)}
        >
          {f('changeFaults')}
        </button>
        <Action
          label={f('restart')}
          whyNot={whyNot}
          question={f('restart?', count)}
          act={run(f('restart'), { restart: true })}
        />
        <Action label={f('openThem')} whyNot={whyNot} act={run(f('openThem'), { open: true })} />
        {numbers.length > 0 && (
          <button type="button" class="plain-look" onClick={() => onSelect([])}>
            {f('clearSelection')}
          </button>
        )}
      </div>
      <Progress onSelect={onSelect} />
      {isOpen && <FaultsPanel controllers={controllers} onClose={() => setOpen(false)} />}
    </>
  )
}

/** Has controllers opened whose state is not known. */
export function OpenAll({ numbers }: { readonly numbers: readonly number[] }) {
  return (
    <section class="card tile hint">
      <h2>{f('Closed')}</h2>
      <p>{f('closedHint')}</p>
      <Action
        label={f('openAll')}
        kind="primary"
        whyNot={isRunning.value ? t('working') : undefined}
        act={async () => void forEach(f('openAll'), numbers, { open: true })}
      />
    </section>
  )
}
