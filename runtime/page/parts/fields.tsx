import { useEffect, useId } from 'preact/hooks'
import { fieldOf } from '../rules/concerned.ts'
import { type Draft, draftOf } from '../rules/drafts.ts'
import type { Failure } from '../rules/failure.ts'
import { bodyOf, type Field, inputText, inputValue } from '../rules/forms.ts'
import { type Drafts, useDrafts } from '../service/drafts.ts'
import { labelOf, nameOf, t } from '../words/index.ts'
import type { Allowed } from './allowed.ts'
import { ChangedElsewhere } from './elsewhere.tsx'
import { FieldProblem } from './field-problem.tsx'
import { Submit } from './submit.tsx'

type Body = { readonly [name: string]: unknown }

interface Props extends Allowed {
  readonly fields: readonly Field[]
  /** Where it is sent. */
  readonly uri: string
  /** The refusal of the last request. */
  readonly failure?: Failure | undefined
  /** The word on the button that sends it. */
  readonly label: string
  readonly busy: boolean
  /** Shows names and values as the schema has them, for people who write programs. */
  readonly raw?: boolean
  /** Settles with whether it is stored: then the input is gone. */
  readonly onSend: (body: Body) => Promise<boolean>
  /** Called with the body as it would be sent now. */
  readonly onChange?: (body: Body) => void
}

/** A form made of fields. It sends only the edited fields. Drafts survive changes by other clients. */
export function Fields(props: Props) {
  const { fields, uri, failure, label, busy, raw = false, onSend, onChange, ...allowed } = props
  const [drafts, setDrafts] = useDrafts(`${uri} ${fields.map(keyOf)}`, isSecret)
  const form = useId()
  const set = (field: Field, draft: Draft<string> | undefined) => {
    const next = new Map(drafts)
    if (draft === undefined) next.delete(keyOf(field))
    else next.set(keyOf(field), draft)
    setDrafts(next)
  }
  const enter = (field: Field, text: string) => {
    const isLeftOut = !field.required && field.value === undefined && text === ''
    set(field, isLeftOut ? undefined : draftOf(drafts.get(keyOf(field)), text, inputText(field)))
  }
  const { body, wrong } = entered(fields, drafts)
  useEffect(() => onChange?.(body), [JSON.stringify(body)])
  const properties = Object.fromEntries(fields.map((each) => [keyOf(each), keyOf(each)]))
  const submit = async () => {
    if (wrong.size > 0 || !(await onSend(body))) return
    setDrafts(new Map())
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
        const refused = failure?.messages.filter((each) => fieldOf(each, properties) === key) ?? []
        const text = !wrong.has(key) ? undefined : field.kind === 'list' ? linesOf(field) : t('noJson')
        return (
          <div class="field" key={key}>
            <label for={`${form}${key}`}>
              <bdi>
                {name}
                {field.required && ` (${t('required')})`}
              </bdi>
            </label>
            <Editor
              id={`${form}${key}`}
              field={field}
              text={draft?.value ?? now}
              raw={raw}
              isWrong={text !== undefined || refused.length > 0}
              onText={(text) => enter(field, text)}
            />
            <ChangedElsewhere
              draft={draft}
              now={now}
              shown={raw ? now : inWords(field, now)}
              label={name}
              onChoose={(next) => set(field, next)}
            />
            <span id={`${form}${key}about`}>
              {field.property.description && <small>{field.property.description}</small>}{' '}
              {field.kind === 'list' && text === undefined && <small>{linesOf(field)}</small>}
              <FieldProblem text={text} messages={refused} />
            </span>
          </div>
        )
      })}
      <Submit label={label} busy={busy} kind="primary" {...allowed} />
    </form>
  )
}

/** The body that says what was entered, and the fields whose text means nothing. */
function entered(
  fields: readonly Field[],
  drafts: Drafts<string>
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

/** Whether what is entered is not to be seen, nor kept. @param key the path of the property */
const isSecret = (key: string) => /(password|passphrase|secret)[^/]*$/i.test(key)

const keyOf = ({ path }: Field) => path.join('/')

/** The text of a field as it is shown of it. */
function inWords({ kind }: Field, text: string): string {
  if (kind === 'flag' && text !== '') return t(text === 'true' ? 'yes' : 'no')
  return kind === 'choice' ? labelOf(text) : text
}

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
  readonly isWrong: boolean
  readonly onText: (text: string) => void
}

function Editor({ id, field, text: now, raw, isWrong, onText }: EditorProps) {
  const { kind, choices, nullable, required, property } = field
  const said = { 'aria-invalid': isWrong, 'aria-describedby': `${id}about` }
  const options = kind === 'flag' ? ['true', 'false'] : choices
  if (kind === 'choice' || kind === 'flag') {
    return (
      <select
        id={id}
        {...said}
        value={now}
        required={required}
        onChange={({ currentTarget }) => onText(currentTarget.value)}
      >
        {(nullable || inputText(field) === '') && <option value="">{t('empty')}</option>}
        {options.map((each) => (
          <option key={each} value={each} selected={each === now}>
            {raw ? each : inWords(field, each)}
          </option>
        ))}
      </select>
    )
  }
  const enter = ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
    onText(currentTarget.value)
  if (kind === 'json' || kind === 'list')
    return <textarea id={id} {...said} value={now} required={required} rows={3} onInput={enter} />
  const common = { id, ...said, value: now, required, onInput: enter }
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
  return isSecret(keyOf(field)) ? (
    <input {...common} type="password" autocomplete="new-password" />
  ) : (
    <input {...common} type="text" autocomplete="off" maxLength={maxLength} />
  )
}
