import { useState } from 'preact/hooks'
import { Action, Outcome } from '../parts/action.tsx'
import { useOperation } from '../parts/operation.ts'
import { Card, Facts, Loaded } from '../parts/show.tsx'
import { Submit, whyReadOnly } from '../parts/submit.tsx'
import { absent, partOf, valueIn } from '../rules/known.ts'
import { moved } from '../rules/order.ts'
import { send } from '../service/client.ts'
import { useManager, useSystem } from '../service/machine.ts'
import { reread, useResource } from '../service/resources.ts'
import type { BootOption, Expanded, System, VirtualMedia } from '../types.ts'
import { t } from '../words/index.ts'

/** Where the host boots from, and the drives that it sees over the network. */
export function Boot() {
  return (
    <Loaded from={useSystem()}>
      {(system) => (
        <div class="cards">
          <Order system={system} />
          <Override system={system} />
          <Media />
        </div>
      )}
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
  const order = wanted ?? stored
  const names = new Map(options?.Members.map((each) => [each.BootOptionReference, each.DisplayName]))
  const outside = [...names.keys()].filter((each) => !order.includes(each))
  const move = (from: number, to: number) => setWanted(moved(order, from, to))
  const save = async () => {
    if (whyReadOnly() !== undefined) return
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
              {names.get(each) ?? each} <small>{each}</small>
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
                  {names.get(each)} <small>{each}</small>
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
          aria-disabled={wanted === undefined || whyReadOnly() !== undefined}
          title={whyReadOnly()}
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
          onChoose={choose('BootSourceOverrideTarget')}
        />
        <Choice
          word={t('howOften')}
          values={boot['BootSourceOverrideEnabled@Redfish.AllowableValues'] ?? []}
          value={enabled}
          onChoose={choose('BootSourceOverrideEnabled')}
        />
        <Choice
          word={t('uefiTarget')}
          values={['', ...(boot['UefiTargetBootSourceOverride@Redfish.AllowableValues'] ?? [])]}
          value={path}
          onChoose={choose('UefiTargetBootSourceOverride')}
        />
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
  readonly onChoose: (value: string) => void
}) {
  return (
    <label>
      {props.word}
      <select onChange={({ currentTarget }) => props.onChoose(currentTarget.value)}>
        {props.values.map((each) => (
          <option key={each} value={each} selected={each === props.value}>
            {each}
          </option>
        ))}
      </select>
    </label>
  )
}

function Media() {
  const media = partOf(useManager(), ({ VirtualMedia: of }) => of && `${of['@odata.id']}?$expand=.`)
  const drives = useResource<Expanded<VirtualMedia>>(media)
  // The boot order stands for itself on a machine without.
  if (drives.state === 'absent') return null
  return <Loaded from={drives}>{({ Members }) => Members.map((each) => <Drive key={each.Id} drive={each} />)}</Loaded>
}

function Drive({ drive }: { readonly drive: VirtualMedia }) {
  const { Inserted, Image, Actions, Oem } = drive
  // An image that is fetched first is named before it is inserted.
  const isOnItsWay = !Inserted && Image != null
  const inserting = useOperation()
  const atNextReset = Oem?.Vendor?.BootOnNextServerReset === true
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    const target = Actions?.['#VirtualMedia.InsertMedia']?.target ?? ''
    void inserting.run(() => send('POST', target, { Image: form.get('image') }))
  }
  return (
    <Card title={drive.Name}>
      <Facts
        of={[
          [t('state'), t(Inserted ? 'inserted' : isOnItsWay ? 'onItsWay' : 'empty')],
          [t('image'), Image],
          [t('mediaTypes'), drive.MediaTypes?.join(', ')],
          [t('writeProtected'), Inserted ? String(drive.WriteProtected) : undefined]
        ]}
      />
      {isOnItsWay && <progress aria-label={t('onItsWay')} />}
      {Inserted || isOnItsWay ? (
        <Action label={t('eject')} act={() => send('POST', Actions?.['#VirtualMedia.EjectMedia']?.target ?? '', {})} />
      ) : (
        <form onSubmit={submit}>
          <label>
            {t('imageUrl')}
            <input name="image" type="url" required placeholder="https://…" autocomplete="off" />
          </label>
          <Submit label={t('insert')} busy={inserting.busy} kind="primary" />
        </form>
      )}
      <Outcome operation={inserting} />
      <Action
        label={atNextReset ? t('notAtNextReset') : t('atNextReset')}
        act={() => send('PATCH', drive['@odata.id'], { Oem: { Vendor: { BootOnNextServerReset: !atNextReset } } })}
      />
    </Card>
  )
}
