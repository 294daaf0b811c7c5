import { useState } from 'preact/hooks'
import { Field, FormFields, Remarks, useForm } from '../parts/form.tsx'
import { Card, Loaded } from '../parts/show.tsx'
import { absent, valueIn } from '../rules/known.ts'
import { moved } from '../rules/order.ts'
import { useSystem } from '../service/machine.ts'
import { useResource } from '../service/resources.ts'
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

/** The boot order: changed by dragging, or with the buttons beside each option. Other boot options can be added. */
function Order({ system }: { readonly system: System }) {
  const collection = system.Boot?.BootOptions?.['@odata.id']
  const known = useResource<Expanded<BootOption>>(collection === undefined ? absent : `${collection}?$expand=.`)
  const options = valueIn(known)
  const stored = system.Boot?.BootOrder ?? []
  const [dragged, setDragged] = useState<number | undefined>()
  const form = useForm({
    uri: system['@odata.id'],
    stored: { order: stored.join(' ') },
    properties: { order: 'Boot/BootOrder' },
    body: ({ order }) => ({ Boot: { BootOrder: listed(order) } })
  })
  const order = listed(form.entered.order)
  const names = new Map(options?.Members.map((each) => [each.BootOptionReference, each.DisplayName]))
  const outside = [...names.keys()].filter((each) => !order.includes(each))
  const nameOf = (each: string) => names.get(each) ?? each
  const enter = (next: readonly string[]) => form.enter('order', next.join(' '))
  const move = (from: number, to: number) => enter(moved(order, from, to))
  return (
    <Card title={t('bootOrder')}>
      {known.state !== 'there' && <Loaded from={known}>{() => null}</Loaded>}
      <FormFields form={form} label={t('save')}>
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
                <bdi>{nameOf(each)}</bdi> <small>{each}</small>
              </span>
              <button type="button" aria-label={t('up', nameOf(each))} onClick={() => move(index, index - 1)}>
                ↑
              </button>
              <button type="button" aria-label={t('down', nameOf(each))} onClick={() => move(index, index + 1)}>
                ↓
              </button>
            </li>
          ))}
        </ol>
        <Remarks form={form} name="order" label={t('bootOrder')} shown={stored.map(nameOf).join(', ')} />
        {outside.length > 0 && (
          <>
            <p>{t('outsideBootOrder')}</p>
            <ul class="order">
              {outside.map((each) => (
                <li key={each}>
                  <span>
                    <bdi>{names.get(each)}</bdi> <small>{each}</small>
                  </span>
                  <button type="button" aria-label={t('putIn', nameOf(each))} onClick={() => enter([...order, each])}>
                    +
                  </button>
                </li>
              ))}
            </ul>
          </>
        )}
      </FormFields>
    </Card>
  )
}

/** The references of boot options in a text, in which spaces are between them. */
const listed = (text: string) => text.split(' ').filter((each) => each !== '')

function Override({ system }: { readonly system: System }) {
  const { Boot: boot = {}, '@odata.id': uri } = system
  const paths = boot['UefiTargetBootSourceOverride@Redfish.AllowableValues'] ?? []
  const often = (changed: { readonly target?: string | undefined; readonly enabled?: string | undefined }) =>
    changed.enabled ?? enabledFor(changed.target, boot) ?? ''
  const form = useForm({
    uri,
    stored: {
      target: boot.BootSourceOverrideTarget ?? '',
      enabled: boot.BootSourceOverrideEnabled ?? '',
      path: boot.UefiTargetBootSourceOverride ?? ''
    },
    properties: {
      target: 'Boot/BootSourceOverrideTarget',
      enabled: 'Boot/BootSourceOverrideEnabled',
      path: 'Boot/UefiTargetBootSourceOverride'
    },
    body: ({ target, path }, changed) => ({
      Boot: {
        BootSourceOverrideTarget: target,
        BootSourceOverrideEnabled: often(changed),
        ...(path !== '' && { UefiTargetBootSourceOverride: path })
      }
    })
  })
  const draftOf = (name: 'target' | 'enabled') => form.drafts.get(name)?.value
  const enabled = often({ target: draftOf('target'), enabled: draftOf('enabled') })
  const shown = { ...form, entered: { ...form.entered, enabled } }
  const inWords = (values: readonly string[] = []) => values.map((each) => [each, labelOf(each)] as const)
  return (
    <Card title={t('override')}>
      <FormFields form={form} label={t('save')}>
        <Field
          form={form}
          name="target"
          label={t('bootFrom')}
          choices={inWords(boot['BootSourceOverrideTarget@Redfish.AllowableValues'])}
        />
        <Field
          form={shown}
          name="enabled"
          label={t('howOften')}
          choices={inWords(boot['BootSourceOverrideEnabled@Redfish.AllowableValues'])}
        />
        {paths.length > 0 && (
          <Field
            form={form}
            name="path"
            label={t('uefiTarget')}
            choices={[['', t('empty')], ...paths.map((each) => [each, each] as const)]}
          />
        )}
      </FormFields>
    </Card>
  )
}

/** How often a target that was chosen is booted from, unless the user chooses that as well: an override without a frequency would be off. */
function enabledFor(chosen: string | undefined, { BootSourceOverrideEnabled: stored }: NonNullable<System['Boot']>) {
  if (chosen === undefined) return stored
  if (chosen === 'None') return 'Disabled'
  return stored === 'Disabled' ? 'Once' : stored
}
