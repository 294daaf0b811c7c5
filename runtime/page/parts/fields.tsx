import { useId, useState } from 'preact/hooks'
import { bodyOf, type Entered, type Field, inputValue } from '../rules/forms.ts'
import { t } from '../words.ts'

interface Props {
  readonly fields: readonly Field[]
  /** The word on the button that sends it. */
  readonly label: string
  readonly busy: boolean
  readonly onSend: (body: { readonly [name: string]: unknown }) => void
  /** Is told of the body as it would be sent now. */
  readonly onChange?: (body: { readonly [name: string]: unknown }) => void
}

/** A form made of fields. What was not touched is not sent. */
export function Fields({ fields, label, busy, onSend, onChange }: Props) {
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
            {field.path.join(' › ')}
            {field.required && ` (${t('required')})`}
          </label>
          <Editor id={`${form}${keyOf(field)}`} field={field} onText={(text) => enter(field, text)} />
          {field.property.description && <small>{field.property.description}</small>}
          {wrong === keyOf(field) && <small class="problem">{t('noJson')}</small>}
        </div>
      ))}
      <button type="submit" class="primary" aria-busy={busy}>
        {label}
      </button>
    </form>
  )
}

const keyOf = ({ path }: Field) => path.join('/')

interface EditorProps {
  readonly id: string
  readonly field: Field
  readonly onText: (text: string) => void
}

function Editor({ id, field, onText }: EditorProps) {
  const { kind, choices, nullable, value, required, property } = field
  const now = value === undefined || value === null ? '' : kind === 'json' ? JSON.stringify(value) : String(value)
  const options = kind === 'flag' ? ['true', 'false'] : choices
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
            {each}
          </option>
        ))}
      </select>
    )
  }
  const enter = ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
    onText(currentTarget.value)
  if (kind === 'json') return <textarea id={id} defaultValue={now} required={required} rows={3} onInput={enter} />
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
