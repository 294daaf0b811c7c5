import { useId, useState } from 'preact/hooks'
import type { ControllerSummary, GroupAction } from '#data/fleet'
import { Action } from '../parts/action.tsx'
import { Modal } from '../parts/question.tsx'
import { counted, faultOf, isOfRequests, offeredFaults } from '../rules/fleet.ts'
import { locale, t } from '../words/index.ts'
import { forEach, isRunning } from './group.ts'
import { Progress } from './progress.tsx'
import { f, nameOfFault } from './words/index.ts'

interface Props {
  readonly controllers: readonly ControllerSummary[]
  readonly onClose: () => void
}

/** Puts faults of the selected controllers on and off. */
export function FaultsPanel({ controllers, onClose }: Props) {
  const numbers = controllers.map(({ number }) => number)
  const on = [...counted(controllers, ({ faults }) => faults)]
  const whyNot = isRunning.value ? t('working') : undefined
  const putOff = (names: readonly string[]) => () => forEach(f('putOff'), numbers, { removeFaults: names })
  return (
    <Modal title={f('faultsOf', numbers.length.toLocaleString(locale.value))} kind="panel" onClose={onClose}>
      <PutOn numbers={numbers} />
      <Progress />
      <h3>{f('areOn')}</h3>
      {on.length === 0 && <p class="absent">{f('noneOn')}</p>}
      <ul class="order">
        {on.map(([name, count]) => (
          <li key={name}>
            <span>
              {nameOfFault(name)} <small>{f('controllersCount', count.toLocaleString(locale.value))}</small>
            </span>
            <button type="button" aria-label={f('putOffOf', nameOfFault(name))} title={whyNot} onClick={putOff([name])}>
              {f('putOff')}
            </button>
          </li>
        ))}
      </ul>
      {on.length > 1 && <Action label={f('putAllOff')} whyNot={whyNot} act={putOff(on.map(([name]) => name))} />}
    </Modal>
  )
}

function PutOn({ numbers }: { readonly numbers: readonly number[] }) {
  const id = useId()
  const [name, setName] = useState(offeredFaults[0]!.name)
  const { number } = offeredFaults.find((each) => each.name === name)!
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    const text = (member: string) => String(form.get(member) ?? '')
    const fault = { name, number: Number(text('number')), path: text('path').trim(), share: Number(text('share')) }
    const addFaults = faultOf(fault) as NonNullable<GroupAction['addFaults']>
    void forEach(nameOfFault(name), numbers, { addFaults })
  }
  return (
    <form onSubmit={submit}>
      <h3>{f('putOn')}</h3>
      <div class="field">
        <label for={`${id}fault`}>{f('fault')}</label>
        <select id={`${id}fault`} value={name} onChange={({ currentTarget }) => setName(currentTarget.value)}>
          {offeredFaults.map((each) => (
            <option key={each.name} value={each.name}>
              {nameOfFault(each.name)}
            </option>
          ))}
        </select>
      </div>
      {number && (
        <div class="field" key={name}>
          <label for={`${id}number`}>{f(`unit-${number.unit}`)}</label>
          <input
            id={`${id}number`}
            name="number"
            type="number"
            step={number.unit === 's' ? 0.1 : 1}
            min="0"
            max={number.most}
            required
            defaultValue={String(number.value)}
          />
        </div>
      )}
      {isOfRequests(name) && (
        <>
          <div class="field">
            <label for={`${id}path`}>{f('path')}</label>
            <input id={`${id}path`} name="path" maxLength={256} aria-describedby={`${id}hint`} />
            <small id={`${id}hint`}>{f('pathHint')}</small>
          </div>
          <div class="field">
            <label for={`${id}share`}>{f('share')}</label>
            <input id={`${id}share`} name="share" type="number" min="1" max="100" required defaultValue="100" />
          </div>
        </>
      )}
      <button type="submit" class="primary" aria-busy={isRunning.value}>
        {f('putOnButton')}
      </button>
    </form>
  )
}
