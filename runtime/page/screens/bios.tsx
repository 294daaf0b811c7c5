import type { AttributeRegistry, Value, Values } from '#data/bios'
import { Action, Outcome } from '../parts/action.tsx'
import { useWhyNot } from '../parts/allowed.ts'
import { ChangedElsewhere } from '../parts/elsewhere.tsx'
import { FieldProblem } from '../parts/field-problem.tsx'
import { Fields } from '../parts/fields.tsx'
import { type Operation, useOperation } from '../parts/operation.ts'
import { Messages } from '../parts/problem.tsx'
import { Card, Loaded } from '../parts/show.tsx'
import { addressOf, place } from '../router.ts'
import { type Draft, draftOf } from '../rules/drafts.ts'
import type { ShownMessage } from '../rules/failure.ts'
import { type Parameter, parametersOf } from '../rules/forms.ts'
import { partOf, together } from '../rules/known.ts'
import { changedNames } from '../rules/pending.ts'
import {
  enteredValue,
  isFound,
  isOpen,
  isShown,
  type MenuBranch,
  menuTree,
  type Setting,
  settingsOf,
  shownValue,
  unsent
} from '../rules/settings.ts'
import { attributeRegistryOf } from '../service/bios.ts'
import { send } from '../service/client.ts'
import { type Drafts, draftsOf, keepDrafts } from '../service/drafts.ts'
import { contentAt } from '../service/files.ts'
import { useKept } from '../service/kept.ts'
import { useSystem } from '../service/machine.ts'
import { reread, useResource } from '../service/resources.ts'
import type { Bios as BiosResource } from '../types.ts'
import { t } from '../words/index.ts'

const enter = ({ '@odata.id': uri }: BiosResource, entered: Drafts<Value>) => keepDrafts(uri, entered)

const draftsIn = ({ '@odata.id': uri }: BiosResource) => draftsOf<Value>(uri)

function enteredIn(bios: BiosResource): Values {
  return Object.fromEntries([...draftsIn(bios)].map(([name, { value }]) => [name, value]))
}

/** Where settings are that stand in no menu. */
const root = '.'

/** The settings of the BIOS by the menus of its registry, with the dependencies as the service evaluates them. */
export function Bios() {
  const bios = useResource<BiosResource>(partOf(useSystem(), ({ Bios }) => Bios?.['@odata.id']))
  const settings = useResource<BiosResource>(
    partOf(bios, (value) => value['@Redfish.Settings']?.SettingsObject?.['@odata.id'])
  )
  const registry = attributeRegistryOf(bios)
  return (
    <Loaded from={together(bios, settings, registry)}>
      {([now, next, texts]) => <Setup bios={now} settings={next} registry={texts} />}
    </Loaded>
  )
}

interface SetupProps {
  readonly bios: BiosResource
  readonly settings: BiosResource
  readonly registry: AttributeRegistry
}

function Setup({ bios, settings, registry }: SetupProps) {
  // Whoever comes to another menu sees that menu, and not what was searched for.
  const [search, setSearch] = useKept('bios search')
  const mark = `${place.value.rest}\n`
  const words = search.startsWith(mark) ? search.slice(mark.length) : ''
  const setWords = (next: string) => setSearch(`${mark}${next}`)
  const saving = useOperation()
  const whyNot = useWhyNot()
  const current = bios.Attributes ?? {}
  const waiting = settings.Attributes ?? {}
  const pending = Object.fromEntries(changedNames(current, waiting).map((name) => [name, waiting[name] ?? null]))
  const all = settingsOf(registry, current, { ...pending, ...enteredIn(bios) })
  const path = place.value.rest || (registry.RegistryEntries.Menus[0]?.MenuPath ?? root)
  const changed = all.filter((each) => each.next !== each.current)
  const shown =
    words !== '' ? all.filter((each) => isFound(each, words)) : path === 'changed' ? changed : inMenu(all, path)
  const toSend = unsent(enteredIn(bios), waiting)
  const count = Object.keys(toSend).length
  const save = () =>
    saving.run(async () => {
      const answer = await send('PATCH', settings['@odata.id'], { Attributes: toSend })
      await reread(settings['@odata.id'])
      enter(bios, new Map())
      return answer
    })
  return (
    <div class="sides">
      <nav aria-label={t('menus')}>
        <a
          href={addressOf('bios/changed')}
          onClick={() => setWords('')}
          aria-current={path === 'changed' ? 'page' : undefined}
        >
          {t('changed')} ({changed.length})
        </a>
        {inMenu(all, root).length > 0 && (
          <a
            href={addressOf(`bios/${root}`)}
            onClick={() => setWords('')}
            aria-current={path === root ? 'page' : undefined}
          >
            {t('settings')}
          </a>
        )}
        <Menus of={menuTree(registry.RegistryEntries.Menus)} path={path} onChoose={() => setWords('')} />
      </nav>
      <div>
        <div class="row bar">
          <input
            type="search"
            aria-label={t('search')}
            placeholder={t('search')}
            value={words}
            onInput={({ currentTarget }) => setWords(currentTarget.value)}
          />
          <button
            type="button"
            class="primary"
            aria-disabled={count === 0 || whyNot !== undefined}
            title={whyNot}
            aria-busy={saving.busy}
            onClick={() => count > 0 && whyNot === undefined && save()}
          >
            {t('saveChanges', count)}
          </button>
          {count > 0 && (
            <button type="button" onClick={() => enter(bios, new Map())}>
              {t('discard')}
            </button>
          )}
        </div>
        <Outcome operation={saving} />
        {shown.filter(isShown).map((each) => (
          <Row key={each.name} setting={each} stored={pending[each.name] ?? each.current} bios={bios} saving={saving} />
        ))}
        {shown.length === 0 && <p>{t('nothingFound')}</p>}
        <Reset bios={bios} settings={settings} />
        <Passwords bios={bios} />
      </div>
    </div>
  )
}

function inMenu(all: readonly Setting[], path: string): Setting[] {
  return all
    .filter(({ definition }) => definition.MenuPath === path)
    .sort((a, b) => a.definition.DisplayOrder - b.definition.DisplayOrder)
}

interface MenusProps {
  readonly of: readonly MenuBranch[]
  readonly path: string
  readonly onChoose: () => void
}

/** Choosing a menu ends a search. */
function Menus({ of, path, onChoose }: MenusProps) {
  return (
    <ul>
      {of.map(({ menu, inner }) => (
        <li key={menu.MenuPath}>
          <a
            href={addressOf(`bios/${encodeURIComponent(menu.MenuPath)}`)}
            aria-current={menu.MenuPath === path ? 'page' : undefined}
            onClick={onChoose}
          >
            {menu.DisplayName}
          </a>
          {inner.length > 0 && <Menus of={inner} path={path} onChoose={onChoose} />}
        </li>
      ))}
    </ul>
  )
}

interface RowProps {
  readonly setting: Setting
  /** The value that the service has for the next reset. */
  readonly stored: Value
  readonly bios: BiosResource
  readonly saving: Operation
}

function Row({ setting, stored, bios, saving }: RowProps) {
  const { name, definition, current, next, fault, settles } = setting
  const pointer = `#/Attributes/${name}`
  const concern = (each: ShownMessage) => each.RelatedProperties?.includes(pointer) ?? false
  const failed = ((bios['@Redfish.Settings']?.Messages ?? []) as readonly ShownMessage[]).filter(concern)
  const refused = saving.failure?.messages.filter(concern) ?? []
  const isChanged = next !== current
  const judged: ShownMessage[] = fault === undefined ? [] : [{ MessageId: fault.key, MessageArgs: fault.args }]
  const draft = draftsIn(bios).get(name)
  const keep = (next: Draft<Value> | undefined) => {
    const entered = new Map(draftsIn(bios))
    if (next === undefined) entered.delete(name)
    else entered.set(name, next)
    enter(bios, entered)
  }
  const change = (value: Value) => keep(draftOf(draft, value, stored))
  return (
    <div class={`setting ${isChanged ? 'changed' : ''} ${isOpen(setting) ? '' : 'closed'}`}>
      <label for={name}>
        <bdi>{definition.DisplayName}</bdi>
      </label>
      <Editor setting={setting} onEnter={change} />
      <div id={`${name}-about`} class="about">
        {isChanged && (
          <p>
            <span class="old">{t('now', shownValue(definition, current))}</span>{' '}
            <button
              type="button"
              class="plain"
              onClick={() => change(current)}
              aria-label={t('undoOf', definition.DisplayName)}
            >
              {t('undo')}
            </button>
          </p>
        )}
        <ChangedElsewhere
          draft={draft}
          now={stored}
          shown={shownValue(definition, stored)}
          label={definition.DisplayName}
          onChoose={keep}
        />
        {settles !== undefined && <p class="note">{t('settles', shownValue(definition, settles))}</p>}
        <small>{definition.HelpText}</small>
        {definition.WarningText && isChanged && <p class="note">{definition.WarningText}</p>}
        <FieldProblem messages={[...judged, ...refused]} />
        {failed.length > 0 && (
          <div class="problem">
            {t('lastTransfer')} <Messages messages={failed} />
          </div>
        )}
      </div>
    </div>
  )
}

function Editor({ setting, onEnter }: { readonly setting: Setting; readonly onEnter: (value: Value) => void }) {
  const { name, definition, next } = setting
  const { Type, Value: values = [], LowerBound, UpperBound, ScalarIncrement, MaxLength } = definition
  const common = { id: name, disabled: !isOpen(setting), 'aria-describedby': `${name}-about` }
  const enter = ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
    onEnter(enteredValue(definition, currentTarget.value))
  if (Type === 'Password') return <span id={name}>••••</span>
  if (Type === 'String' && definition.ReadOnly) return <output id={name}>{String(next ?? '')}</output>
  if (Type === 'Boolean') {
    return (
      <input
        {...common}
        type="checkbox"
        checked={next === true}
        onChange={({ currentTarget }) => onEnter(currentTarget.checked)}
      />
    )
  }
  if (Type === 'Enumeration') {
    return (
      <select {...common} value={String(next)} onChange={enter}>
        {values.map((each) => (
          <option key={each.ValueName} value={each.ValueName}>
            {each.ValueDisplayName ?? each.ValueName}
          </option>
        ))}
      </select>
    )
  }
  const bounds = { min: LowerBound, max: UpperBound, step: ScalarIncrement || 1 }
  return (
    <input
      {...common}
      {...(Type === 'Integer' ? { ...bounds, type: 'number' } : { type: 'text', maxLength: MaxLength })}
      value={String(next ?? '')}
      onInput={enter}
    />
  )
}

function Reset({ bios, settings }: { readonly bios: BiosResource; readonly settings: BiosResource }) {
  const target = bios.Actions?.['#Bios.ResetBios']?.target
  if (target === undefined) return null
  return (
    <Card title={t('defaults')}>
      <Action
        label={t('resetToDefaults')}
        kind="danger"
        question={t('defaultsQuestion')}
        act={async () => {
          const answer = await send('POST', target, {})
          enter(bios, new Map())
          await reread(settings['@odata.id'])
          return answer
        }}
      />
    </Card>
  )
}

function Passwords({ bios }: { readonly bios: BiosResource }) {
  const change = bios.Actions?.['#Bios.ChangePassword']
  const info = contentAt<{ readonly Parameters: readonly Parameter[] }>(change?.['@Redfish.ActionInfo'])
  const operation = useOperation()
  if (change === undefined || info === undefined) return null
  return (
    <Card title={t('biosPasswords')}>
      <Fields
        // An empty password removes it; a missing one is an error.
        fields={parametersOf(info.Parameters).map((each) => ({ ...each, required: each.kind === 'choice' }))}
        uri={change.target}
        failure={operation.failure}
        label={t('changePassword')}
        busy={operation.busy}
        onSend={(body) =>
          operation.run(() => send('POST', change.target, { OldPassword: '', NewPassword: '', ...body }))
        }
      />
      <Outcome operation={operation} />
    </Card>
  )
}
