import { useId, useState } from 'preact/hooks'
import { type Draft, draftOf } from '../rules/drafts.ts'
import { bodyOf, type Field, inputText, inputValue } from '../rules/forms.ts'
import { nameOf, t } from '../words/index.ts'
import { ChangedElsewhere } from './elsewhere.tsx'
import { Submit } from './submit.tsx'

type Body = { readonly [name: string]: unknown }

interface Props {
  readonly fields: readonly Field[]
  /** The word on the button that sends it. */
  readonly label: string
  readonly busy: boolean
  /** Shows names and values as the schema has them, for people who write programs. */
  readonly raw?: boolean
  /** Whether it is about what is the user's own, which every role may change. */
  readonly own?: boolean
  /** Settles with whether it is stored: then the input is gone. */
  readonly onSend: (body: Body) => Promise<boolean>
  /** Called with the body as it would be sent now. */
  readonly onChange?: (body: Body) => void
}

/** The texts in the editors that the user changed, by the field. */
type Drafts = ReadonlyMap<string, Draft<string>>

/** A form made of fields. What was not touched is not sent, and what is being entered outlives changes by others. */
export function Fields({ fields, label, busy, raw = false, own = false, onSend, onChange }: Props) {
  const [drafts, setDrafts] = useState<Drafts>(new Map())
  const form = useId()
  const set = (field: Field, draft: Draft<string> | undefined) => {
    const next = new Map(drafts)
    if (draft === undefined) next.delete(keyOf(field))
    else next.set(keyOf(field), draft)
    setDrafts(next)
    onChange?.(entered(fields, next).body)
  }
  const enter = (field: Field, text: string) => {
    const isLeftOut = !field.required && field.value === undefined && text === ''
    set(field, isLeftOut ? undefined : draftOf(drafts.get(keyOf(field)), text, inputText(field)))
  }
  const { body, wrong } = entered(fields, drafts)
  const submit = async () => {
    if (wrong.size > 0 || !(await onSend(body))) return
    setDrafts(new Map())
    onChange?.({})
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      {fields.map((field) => {
        const key = keyOf(field)
        const name = raw ? field.path.join(' › ') : nameOf(field.path)
        const draft = drafts.get(key)
        const now = inputText(field)
        return (
          <div class="field" key={key}>
            <label for={`${form}${key}`}>
              {name}
              {field.required && ` (${t('required')})`}
            </label>
            <Editor
              id={`${form}${key}`}
              field={field}
              text={draft?.value ?? now}
              raw={raw}
              onText={(text) => enter(field, text)}
            />
            <ChangedElsewhere draft={draft} now={now} shown={now} label={name} onChoose={(next) => set(field, next)} />
            {field.property.description && <small>{field.property.description}</small>}
            {field.kind === 'list' && <small class={wrong.has(key) ? 'problem' : ''}>{linesOf(field)}</small>}
            {field.kind === 'json' && wrong.has(key) && <small class="problem">{t('noJson')}</small>}
          </div>
        )
      })}
      <Submit label={label} busy={busy} kind="primary" own={own} />
    </form>
  )
}

/** The body that says what was entered, and the fields whose text means nothing. */
function entered(
  fields: readonly Field[],
  drafts: Drafts
): { readonly body: Body; readonly wrong: ReadonlySet<string> } {
  const wrong = new Set<string>()
  const values = new Map<string, unknown>()
  for (const field of fields) {
    const draft = drafts.get(keyOf(field))
    if (draft === undefined) continue
    try {
      values.set(keyOf(field), inputValue(field, draft.value))
    } catch {
      wrong.add(keyOf(field))
    }
  }
  return { body: bodyOf(fields, values), wrong }
}

const keyOf = ({ path }: Field) => path.join('/')

/** The lines of a list in words. */
function linesOf({ columns }: Field): string {
  if (columns.length < 2) return t('onePerLine')
  return t('linesOf', columns.map((each) => nameOf([each])).join(', '))
}

interface EditorProps {
  readonly id: string
  readonly field: Field
  /** Its text. */
  readonly text: string
  readonly raw: boolean
  readonly onText: (text: string) => void
}

function Editor({ id, field, text: now, raw, onText }: EditorProps) {
  const { kind, choices, nullable, required, property } = field
  const options = kind === 'flag' ? ['true', 'false'] : choices
  const shown = (option: string) => (kind === 'flag' && !raw ? t(option === 'true' ? 'yes' : 'no') : option)
  if (kind === 'choice' || kind === 'flag') {
    return (
      <select id={id} value={now} required={required} onChange={({ currentTarget }) => onText(currentTarget.value)}>
        {(nullable || inputText(field) === '') && <option value="" />}
        {options.map((each) => (
          <option key={each} value={each} selected={each === now}>
            {shown(each)}
          </option>
        ))}
      </select>
    )
  }
  const enter = ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
    onText(currentTarget.value)
  if (kind === 'json' || kind === 'list')
    return <textarea id={id} value={now} required={required} rows={3} onInput={enter} />
  const isSecret = /password|passphrase|secret/i.test(field.path.at(-1) ?? '')
  const common = { id, value: now, required, onInput: enter }
  if (kind === 'number') {
    const { minimum: min, maximum: max } = property
    return (
      <input
        {...common}
        {...(min !== undefined && { min })}
        {...(max !== undefined && { max })}
        type="number"
        step="any"
      />
    )
  }
  const { maxLength = 4096 } = property
  return isSecret ? (
    <input {...common} type="password" autocomplete="new-password" />
  ) : (
    <input {...common} type="text" autocomplete="off" maxLength={maxLength} />
  )
}
