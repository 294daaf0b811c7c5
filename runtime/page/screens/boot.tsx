import { useState } from 'preact/hooks'
import { Outcome } from '../parts/action.tsx'
import { useWhyNot } from '../parts/allowed.ts'
import { useOperation } from '../parts/operation.ts'
import { Card, Loaded } from '../parts/show.tsx'
import { Submit } from '../parts/submit.tsx'
import { absent, valueIn } from '../rules/known.ts'
import { moved } from '../rules/order.ts'
import { send } from '../service/client.ts'
import { useSystem } from '../service/machine.ts'
import { reread, useResource } from '../service/resources.ts'
import type { BootOption, Expanded, System } from '../types.ts'
import { labelOf, t } from '../words/index.ts'

/** Where the host boots from. */
export function Boot() {
  return (
    <Loaded from={useSystem()}>
      {(system) => {
        const { BootOrder, BootSourceOverrideTarget } = system.Boot ?? {}
        if (BootOrder === undefined && BootSourceOverrideTarget === undefined)
          return <Loaded from={absent}>{() => null}</Loaded>
        return (
          <div class="cards">
            {BootOrder !== undefined && <Order system={system} />}
            {BootSourceOverrideTarget !== undefined && <Override system={system} />}
          </div>
        )
      }}
    </Loaded>
  )
}

/** The order of the boot options: by drag, or with the buttons beside each. What is outside it can be put in. */
function Order({ system }: { readonly system: System }) {
  const collection = system.Boot?.BootOptions?.['@odata.id']
  const known = useResource<Expanded<BootOption>>(collection === undefined ? absent : `${collection}?$expand=.`)
  const options = valueIn(known)
  const stored = system.Boot?.BootOrder ?? []
  const [wanted, setWanted] = useState<readonly string[] | undefined>()
  const [dragged, setDragged] = useState<number | undefined>()
  const saving = useOperation()
  const whyNot = useWhyNot()
  const order = wanted ?? stored
  const names = new Map(options?.Members.map((each) => [each.BootOptionReference, each.DisplayName]))
  const outside = [...names.keys()].filter((each) => !order.includes(each))
  const move = (from: number, to: number) => setWanted(moved(order, from, to))
  const save = async () => {
    if (whyNot !== undefined) return
    const isSaved = await saving.run(() => send('PATCH', system['@odata.id'], { Boot: { BootOrder: order } }))
    if (!isSaved) return
    // The order from before is not to be seen, and moved, once more.
    await reread(system['@odata.id'])
    setWanted(undefined)
  }
  return (
    <Card title={t('bootOrder')}>
      {known.state !== 'there' && <Loaded from={known}>{() => null}</Loaded>}
      <ol class="order">
        {order.map((each, index) => (
          <li
            key={each}
            draggable
            onDragStart={() => setDragged(index)}
            onDragOver={(event) => event.preventDefault()}
            onDrop={(event) => {
              event.preventDefault()
              if (dragged !== undefined) move(dragged, index)
              setDragged(undefined)
            }}
          >
            <span>
              <bdi>{names.get(each) ?? each}</bdi> <small>{each}</small>
            </span>
            <button type="button" aria-label={t('up', names.get(each) ?? each)} onClick={() => move(index, index - 1)}>
              ↑
            </button>
            <button
              type="button"
              aria-label={t('down', names.get(each) ?? each)}
              onClick={() => move(index, index + 1)}
            >
              ↓
            </button>
          </li>
        ))}
      </ol>
      {outside.length > 0 && (
        <>
          <p>{t('outsideBootOrder')}</p>
          <ul class="order">
            {outside.map((each) => (
              <li key={each}>
                <span>
                  <bdi>{names.get(each)}</bdi> <small>{each}</small>
                </span>
                <button
                  type="button"
                  aria-label={t('putIn', names.get(each) ?? each)}
                  onClick={() => setWanted([...order, each])}
                >
                  +
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
      <div class="row">
        <button
          type="button"
          class="primary"
          aria-disabled={wanted === undefined || whyNot !== undefined}
          title={whyNot}
          aria-busy={saving.busy}
          onClick={save}
        >
          {t('save')}
        </button>
        {wanted !== undefined && (
          <button type="button" onClick={() => setWanted(undefined)}>
            {t('discard')}
          </button>
        )}
      </div>
      <Outcome operation={saving} />
    </Card>
  )
}

type Wish = Readonly<
  Record<'BootSourceOverrideTarget' | 'BootSourceOverrideEnabled' | 'UefiTargetBootSourceOverride', string>
>

function Override({ system }: { readonly system: System }) {
  const { Boot: boot = {}, '@odata.id': uri } = system
  const [wish, setWish] = useState<Partial<Wish>>({})
  const saving = useOperation()
  const target = wish.BootSourceOverrideTarget ?? boot.BootSourceOverrideTarget
  const enabled = wish.BootSourceOverrideEnabled ?? enabledFor(wish.BootSourceOverrideTarget, boot)
  const path = wish.UefiTargetBootSourceOverride ?? boot.UefiTargetBootSourceOverride ?? ''
  const paths = boot['UefiTargetBootSourceOverride@Redfish.AllowableValues'] ?? []
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const all = { BootSourceOverrideTarget: target, BootSourceOverrideEnabled: enabled }
    const Boot = path === '' ? all : { ...all, UefiTargetBootSourceOverride: path }
    if (!(await saving.run(() => send('PATCH', uri, { Boot })))) return
    await reread(uri)
    setWish({})
  }
  const choose = (name: keyof Wish) => (value: string) => setWish({ ...wish, [name]: value })
  return (
    <Card title={t('override')}>
      <form onSubmit={submit}>
        <Choice
          word={t('bootFrom')}
          values={boot['BootSourceOverrideTarget@Redfish.AllowableValues'] ?? []}
          value={target}
          inWords={labelOf}
          onChoose={choose('BootSourceOverrideTarget')}
        />
        <Choice
          word={t('howOften')}
          values={boot['BootSourceOverrideEnabled@Redfish.AllowableValues'] ?? []}
          value={enabled}
          inWords={labelOf}
          onChoose={choose('BootSourceOverrideEnabled')}
        />
        {paths.length > 0 && (
          <Choice
            word={t('uefiTarget')}
            values={['', ...paths]}
            value={path}
            inWords={(each) => each || t('noChoice')}
            onChoose={choose('UefiTargetBootSourceOverride')}
          />
        )}
        <Submit label={t('save')} busy={saving.busy} kind="primary" />
      </form>
      <Outcome operation={saving} />
    </Card>
  )
}

/** How often a target that was chosen is booted from, unless the user chooses that as well: an override without a frequency would be off. */
function enabledFor(chosen: string | undefined, { BootSourceOverrideEnabled: stored }: NonNullable<System['Boot']>) {
  if (chosen === undefined) return stored
  if (chosen === 'None') return 'Disabled'
  return stored === 'Disabled' ? 'Once' : stored
}

function Choice(props: {
  readonly word: string
  readonly values: readonly string[]
  readonly value: string | null | undefined
  /** A value in words; absent where it is a name. */
  readonly inWords?: (value: string) => string
  readonly onChoose: (value: string) => void
}) {
  const { inWords = (value: string) => value } = props
  return (
    <label>
      {props.word}
      <select onChange={({ currentTarget }) => props.onChoose(currentTarget.value)}>
        {props.values.map((each) => (
          <option key={each} value={each} selected={each === props.value}>
            {inWords(each)}
          </option>
        ))}
      </select>
    </label>
  )
}
