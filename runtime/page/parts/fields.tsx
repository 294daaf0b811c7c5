import { useId, useState } from 'preact/hooks'
import { bodyOf, type Entered, type Field, inputText, inputValue } from '../rules/forms.ts'
import { nameOf, t } from '../words/index.ts'

interface Props {
  readonly fields: readonly Field[]
  /** The word on the button that sends it. */
  readonly label: string
  readonly busy: boolean
  /** Shows names and values as the schema has them, for people who write programs. */
  readonly raw?: boolean
  readonly onSend: (body: { readonly [name: string]: unknown }) => void
  /** Called with the body as it would be sent now. */
  readonly onChange?: (body: { readonly [name: string]: unknown }) => void
}

/** A form made of fields. What was not touched is not sent. */
export function Fields({ fields, label, busy, raw = false, onSend, onChange }: Props) {
  const [entered, setEntered] = useState<Entered>(new Map())
  const form = useId()
  const [wrong, setWrong] = useState<string | undefined>()
  const enter = (field: Field, text: string) => {
    const next = new Map(entered)
    try {
      const optional = !field.required && field.value === undefined && text === ''
      if (optional) next.delete(keyOf(field))
      else next.set(keyOf(field), inputValue(field, text))
      setWrong(undefined)
    } catch {
      setWrong(keyOf(field))
    }
    setEntered(next)
    onChange?.(bodyOf(fields, next))
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (wrong === undefined) onSend(bodyOf(fields, entered))
      }}
    >
      {fields.map((field) => (
        <div class="field" key={keyOf(field)}>
          <label for={`${form}${keyOf(field)}`}>
            {raw ? field.path.join(' › ') : nameOf(field.path)}
            {field.required && ` (${t('required')})`}
          </label>
          <Editor id={`${form}${keyOf(field)}`} field={field} raw={raw} onText={(text) => enter(field, text)} />
          {field.property.description && <small>{field.property.description}</small>}
          {field.kind === 'list' && <small class={wrong === keyOf(field) ? 'problem' : ''}>{linesOf(field)}</small>}
          {field.kind === 'json' && wrong === keyOf(field) && <small class="problem">{t('noJson')}</small>}
        </div>
      ))}
      <button type="submit" class="primary" aria-busy={busy}>
        {label}
      </button>
    </form>
  )
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
  readonly raw: boolean
  readonly onText: (text: string) => void
}

function Editor({ id, field, raw, onText }: EditorProps) {
  const { kind, choices, nullable, required, property } = field
  const now = inputText(field)
  const options = kind === 'flag' ? ['true', 'false'] : choices
  const shown = (option: string) => (kind === 'flag' && !raw ? t(option === 'true' ? 'yes' : 'no') : option)
  if (kind === 'choice' || kind === 'flag') {
    return (
      <select
        id={id}
        defaultValue={now}
        required={required}
        onChange={({ currentTarget }) => onText(currentTarget.value)}
      >
        {(nullable || now === '') && <option value="" />}
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
    return <textarea id={id} defaultValue={now} required={required} rows={3} onInput={enter} />
  const isSecret = /password|passphrase|secret/i.test(field.path.at(-1) ?? '')
  const common = { id, defaultValue: now, required, onInput: enter }
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
